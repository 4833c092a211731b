"""Whose signatures count: the keys named for this very check, else the local identity and trust.json."""

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from passfloor.cli.options import read_file
from passfloor.cli.outputs import note
from passfloor.errors import KeyFileError, PassfloorError

if TYPE_CHECKING:
    from passfloor.keys.trust_file import TrustEntry
    from passfloor.signing.public_keys import PublicKey
    from passfloor.verification.inputs import TrustedKey


def named_keys(
    signer_keys: Iterable[str], jwks: str | None, environ: Mapping[str, str]
) -> "dict[str, TrustedKey]":
    """The keys of ``--signer-key`` and ``--jwks``, by fingerprint; no other counts.

    What a JWK set says of a key's window and revocation counts, however the key was named besides. What is
    known of it here decides nothing; one that is known to be revoked is warned of.

    Raises:
        UsageError: a file is missing, or a key unusable.
    """
    from passfloor.signing.published import is_published
    from passfloor.verification.inputs import TrustedKey

    keys: dict[str, TrustedKey] = {}
    for name in signer_keys:
        key = read_key(name, "--signer-key")
        keys[key.kid] = TrustedKey(key, "--signer-key")
    if jwks is not None:
        from passfloor.signing.key_sets import read_jwks

        for listed in read_jwks(read_file(jwks, "the JWK set"), source=jwks):
            keys[listed.key.kid] = TrustedKey(listed.key, f"--jwks {jwks}", listed.validity)
    for each in keys.values():
        if is_published(each.key):
            note(
                f"warning: {each.key.kid} is a published test key, and anybody can sign with it: "
                "name the signer's own key"
            )
    _warn_of_revoked(keys, environ)
    return keys


def _warn_of_revoked(keys: "Mapping[str, TrustedKey]", environ: Mapping[str, str]) -> None:
    """Say which keys count only because they were named: here it is known that they were revoked."""
    from passfloor.signing.validity import time_text

    try:
        kept = kept_keys(environ)
    except PassfloorError as error:
        note(f"warning: whether a named key was revoked cannot be told here: {error}")
        return
    for kid, named in keys.items():
        known = kept.get(kid)
        revoked = None if known is None else known.validity.revoked
        if known is None or revoked is None or named.validity.revoked is not None:
            continue
        why = f", because: {revoked.reason}" if revoked.reason else ""
        note(
            f"warning: {known.anchor} says that {kid} was revoked, since {time_text(revoked.since)}{why}: "
            "whoever holds it can write any time into what it signs; it counts here only because you named "
            "it, so ask its owner for the key that signs now"
        )


def kept_keys(environ: Mapping[str, str]) -> "dict[str, TrustedKey]":
    """The keys of the local identity and of trust.json, by fingerprint; read only.

    A key that stands in both counts where both let it.

    Raises:
        UsageError: one of the two is damaged, or could have been written by somebody else.
    """
    from passfloor.keys.keystore import KeyStore, home
    from passfloor.keys.trust_file import TrustFile
    from passfloor.verification.inputs import TrustedKey

    folder = home(environ)
    keys: dict[str, TrustedKey] = {}
    for listed in KeyStore(folder).listed():
        keys[listed.key.kid] = TrustedKey(listed.key, f"the local identity in {folder}", listed.validity)
    for entry in TrustFile(folder).entries():
        keys[entry.kid] = _of_entry(entry, keys.get(entry.kid))
    return keys


def read_key(name: str, what: str) -> "PublicKey":
    """A public key, by the path of its file or as its own text.

    Args:
        name: The path or the text.
        what: The option or argument it was given for.

    Raises:
        UsageError: the file cannot be read.
        KeyFileError: it is no usable key.
    """
    from passfloor.signing.public_keys import read_public_key

    if os.path.exists(name):  # noqa: PTH110  # a key's own text may be no valid path
        return read_public_key(read_file(name, "the key"), source=name)
    try:
        return read_public_key(name, source=what)
    except KeyFileError as error:
        raise KeyFileError(f"{what} {name[:80]!a} is no file, and as a key: {error}") from error


def _of_entry(entry: "TrustEntry", own: "TrustedKey | None") -> "TrustedKey":
    from passfloor.verification.inputs import KeyPolicy, TrustedKey

    validity = entry.validity() if own is None else entry.validity().narrowed(own.validity)
    policy = KeyPolicy(entry.policy.min_k, entry.policy.recorded, tuple(entry.policy.subjects))
    called = f"trust.json (as '{entry.name}')" if entry.name else "trust.json"
    return TrustedKey(entry.key("trust.json"), called, validity, policy)
