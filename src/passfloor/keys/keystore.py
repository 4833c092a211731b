"""The key store: ``keys/<kid>.pem``, ``keys/<kid>.pub.pem`` and ``keys/current`` below the identity's home.

Reading never makes anything; a store whose folder is absent holds no keys. Files are written so that a crash
at any point leaves a store that reads as it did before, or as it does after.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from passfloor.errors import KeyFileError, UsageError
from passfloor.keys import files
from passfloor.keys.location import check_location, home, require_home, user_home
from passfloor.signing.private_keys import PASSWORD_VARIABLE, SigningKey, generate, read_private_key
from passfloor.signing.public_keys import PublicKey, read_public_key

__all__ = [
    "KEY_FILE_VARIABLE",
    "KEY_VARIABLE",
    "KeyEntry",
    "KeySource",
    "KeyStore",
    "check_location",
    "home",
    "signing_key",
    "signing_key_available",
    "user_home",
]

KEY_VARIABLE = "PASSFLOOR_SIGNING_KEY"
KEY_FILE_VARIABLE = "PASSFLOOR_SIGNING_KEY_FILE"

KeySource = Literal["environment", "file", "store", "new"]

_KID = re.compile(r"[A-Za-z0-9_-]{43}")
_PRIVATE_SUFFIX = ".pem"
_PUBLIC_SUFFIX = ".pub.pem"


@dataclass(frozen=True)
class KeyEntry:
    """One key of the store.

    Attributes:
        kid: its fingerprint, as the file is named.
        path: the private file where there is one, else the public file.
        current: whether it signs by default.
        has_private: whether the private file is there.
    """

    kid: str
    path: Path
    current: bool
    has_private: bool


_Entries = list[KeyEntry]
_PublicKeys = list[PublicKey]


class KeyStore:
    """The keys below one home folder.

    Attributes:
        home: the folder of the local identity, or None where there is none: reads find nothing then, and
            writes are refused.
    """

    def __init__(self, home: Path | None) -> None:
        self.home = home

    def generate(self, *, password: bytes | None = None, make_current: bool = True) -> SigningKey:
        """Make a key and write it; where it may live is for the caller to check (``check_location``).

        Args:
            password: encrypts the private file when given.
            make_current: whether it signs by default from now on.

        Raises:
            UsageError: there is no home to write to.
            KeyFileError: the passphrase is empty, or others can write to the folder.
            EnvironmentFault: a write failed.
        """
        home = require_home(self.home)
        key = generate()
        private = key.pem(password)
        files.make_folder(home)
        files.make_folder(home / "keys")
        kid = key.public.kid
        files.write_private(self._path(kid, _PRIVATE_SUFFIX), private)
        files.write_public(self._path(kid, _PUBLIC_SUFFIX), key.public.pem())
        if make_current:
            files.write_public(home / "keys" / "current", kid.encode("ascii") + b"\n")
        return key

    def list(self) -> _Entries:
        """Return the keys of the store, by fingerprint.

        Raises:
            KeyFileError: the folder cannot be read, others can write to it, or ``current`` is damaged.
        """
        names = self._names()
        current = self.current()
        entries = []
        for kid in sorted({name.removesuffix(_PRIVATE_SUFFIX).removesuffix(".pub") for name in names}):
            has_private = kid + _PRIVATE_SUFFIX in names
            path = self._path(kid, _PRIVATE_SUFFIX if has_private else _PUBLIC_SUFFIX)
            entries.append(KeyEntry(kid, path, kid == current, has_private))
        return entries

    def current(self) -> str | None:
        """Return the fingerprint of the key that signs by default, or None.

        Raises:
            KeyFileError: ``current`` cannot be read or holds no fingerprint.
        """
        if self.home is None:
            return None
        path = self.home / "keys" / "current"
        files.check_folder(path.parent)
        if path.name not in files.names(path.parent):
            return None
        kid = files.read_public(path).decode("ascii", "replace").strip()
        if not _KID.fullmatch(kid):
            raise KeyFileError(f"{path}: holds no fingerprint; write that of a key from `key list` into it")
        return kid

    def load(self, kid: str | None, password: bytes | None) -> SigningKey:
        """Read a private key of the store.

        Args:
            kid: its fingerprint; None for the current one.
            password: its passphrase, where it has one.

        Raises:
            UsageError: no such fingerprint can be, or there is no current key.
            KeyFileError: the file is absent, damaged, open to others, of another key, or does not open.
        """
        kid = self.current() if kid is None else kid
        if kid is None:
            raise UsageError("there is no current signing key; make one with `key generate`")
        if not _KID.fullmatch(kid):
            raise UsageError("a fingerprint is 43 characters of base64url; take one from `key list`")
        path = self._path(kid, _PRIVATE_SUFFIX)
        files.check_folder(path.parent)
        key = read_private_key(files.read_private(path), password=password, source=str(path))
        _check_name(path, kid, key.public)
        return key

    def public_keys(self) -> _PublicKeys:
        """Return the public keys of the store, by fingerprint. Reads only.

        Raises:
            KeyFileError: a file is damaged, weak or of another key than it is named after; names it.
        """
        keys = []
        for name in sorted(name for name in self._names() if name.endswith(_PUBLIC_SUFFIX)):
            kid = name.removesuffix(_PUBLIC_SUFFIX)
            path = self._path(kid, _PUBLIC_SUFFIX)
            key = read_public_key(files.read_public(path), source=str(path))
            _check_name(path, kid, key)
            keys.append(key)
        return keys

    def jwks(self) -> dict[str, Any]:
        """Return the public keys as a JWK set (RFC 7517), by fingerprint, to be published.

        Raises:
            KeyFileError: as for ``public_keys``.
        """
        return {
            "keys": [
                {**key.jwk(), "kid": key.kid, "use": "sig", "alg": "EdDSA"} for key in self.public_keys()
            ]
        }

    def _path(self, kid: str, suffix: str) -> Path:
        return require_home(self.home) / "keys" / (kid + suffix)

    def _names(self) -> set[str]:
        if self.home is None:
            return set()
        folder = self.home / "keys"
        files.check_folder(folder)
        return {name for name in files.names(folder) if _is_key_name(name)}


def signing_key(
    env: Mapping[str, str], store: KeyStore, *, start_folder: Path, forbidden: Iterable[Path] = ()
) -> tuple[SigningKey, bool]:
    """Return the key that signs, and whether it was made just now.

    ``PASSFLOOR_SIGNING_KEY`` (the key as text) wins, then ``PASSFLOOR_SIGNING_KEY_FILE``, then the current
    key of the store; with none of them a key is made and becomes the current one. ``PASSFLOOR_KEY_PASSWORD``
    is the passphrase. A variable that is set but empty is refused: a secret that a CI job did not receive
    must not turn into a new identity.

    Args:
        env: the environment.
        store: the key store.
        start_folder: where the command was started.
        forbidden: folders that agents write to.

    Raises:
        UsageError: an empty variable, or a store in a place where keys must not live.
        KeyFileError: the key cannot be read.
        EnvironmentFault: a new key cannot be written.
    """
    password = _password(env)
    if (given := _given(env)) is not None:
        return _read_given(env, given, password), False
    check_location(store.home, start_folder, forbidden, user_home(env))
    if (kid := store.current()) is not None:
        return store.load(kid, password), False
    return store.generate(password=password), True


def signing_key_available(
    env: Mapping[str, str], store: KeyStore, *, start_folder: Path, forbidden: Iterable[Path] = ()
) -> KeySource:
    """Check, before anything is run, that ``signing_key`` with the same arguments will succeed.

    Returns:
        Where the key comes from; ``new`` when it would be made. Nothing is made here.

    Raises:
        UsageError: as for ``signing_key``.
        KeyFileError: as for ``signing_key``.
        EnvironmentFault: a key would have to be made and the folder cannot be written to.
    """
    password = _password(env)
    if (given := _given(env)) is not None:
        _read_given(env, given, password)
        return given
    check_location(store.home, start_folder, forbidden, user_home(env))
    if (kid := store.current()) is not None:
        store.load(kid, password)
        return "store"
    if password == b"":
        raise UsageError(f"{PASSWORD_VARIABLE} is set but empty; give the new key a passphrase, or unset it")
    files.check_writable(require_home(store.home) / "keys")
    return "new"


def _given(env: Mapping[str, str]) -> Literal["environment", "file"] | None:
    for name in (KEY_VARIABLE, KEY_FILE_VARIABLE):
        if name in env:
            if not env[name].strip():
                raise UsageError(f"{name} is set but empty; give it a key, or unset it")
            return "environment" if name == KEY_VARIABLE else "file"
    return None


def _read_given(
    env: Mapping[str, str], given: Literal["environment", "file"], password: bytes | None
) -> SigningKey:
    if given == "environment":
        text = env[KEY_VARIABLE].encode("utf-8", "surrogateescape")
        return read_private_key(text, password=password, source=KEY_VARIABLE)
    path = Path(env[KEY_FILE_VARIABLE])
    return read_private_key(files.read_private(path), password=password, source=f"{KEY_FILE_VARIABLE} {path}")


def _password(env: Mapping[str, str]) -> bytes | None:
    value = env.get(PASSWORD_VARIABLE)
    return None if value is None else value.encode("utf-8", "surrogateescape")


def _is_key_name(name: str) -> bool:
    kid = name.removesuffix(_PRIVATE_SUFFIX).removesuffix(".pub")
    return name.endswith(_PRIVATE_SUFFIX) and _KID.fullmatch(kid) is not None


def _check_name(path: Path, kid: str, key: PublicKey) -> None:
    if key.kid != kid:
        raise KeyFileError(f"{path}: holds the key {key.kid}; name the file after the key it holds")
