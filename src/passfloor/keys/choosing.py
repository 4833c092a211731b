"""Which key signs: the environment's, a named file's, or that of the store; tried out before it is needed."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from passfloor.errors import KeyFileError, UsageError
from passfloor.keys import files
from passfloor.keys.hidden import KEY_FILE_VARIABLE, KEY_VARIABLE
from passfloor.keys.keystore import KeyStore
from passfloor.keys.location import check_location, require_home, user_home
from passfloor.signing.names import PASSWORD_VARIABLE
from passfloor.signing.private_keys import SigningKey, read_private_key
from passfloor.signing.published import check_private
from passfloor.signing.validity import time_text

KeySource = Literal["environment", "file", "store", "new"]


def signing_key(
    env: Mapping[str, str],
    store: KeyStore,
    *,
    start_folder: Path,
    forbidden: Iterable[Path] = (),
    at: float | None = None,
) -> tuple[SigningKey, bool]:
    """Return the key that signs, and whether it was made just now.

    ``PASSFLOOR_SIGNING_KEY`` (the key as text) wins, then ``PASSFLOOR_SIGNING_KEY_FILE``, then the key of the
    store that signed at the time; with none of them a key is made and becomes the current one.
    ``PASSFLOOR_KEY_PASSWORD`` is the passphrase. A variable that is set but empty is refused: a secret that a
    CI job did not receive must not turn into a new identity.

    Args:
        env: the environment.
        store: the key store.
        start_folder: where the command was started.
        forbidden: folders that agents write to.
        at: when what is signed was made, in seconds since the epoch; None: now.

    Raises:
        UsageError: an empty variable, or a store in a place where keys must not live.
        KeyFileError: the key cannot be read, is revoked, everybody holds it, or it did not sign at that time.
        EnvironmentFault: a new key cannot be written.
    """
    password = password_of(env)
    if (given := _given(env)) is not None:
        return _checked(_read_given(env, given, password), store, at), False
    check_location(store.home, start_folder, forbidden, user_home(env))
    kid = store.current() if at is None else store.signer_at(at)
    if kid is not None:
        _check_validity(kid, store, at)
        return store.load(kid, password), False
    return store.generate(password=password), True


def signing_key_available(
    env: Mapping[str, str],
    store: KeyStore,
    *,
    start_folder: Path,
    forbidden: Iterable[Path] = (),
    at: float | None = None,
) -> KeySource:
    """Check, before anything is run, that ``signing_key`` with the same arguments will succeed.

    Args:
        env: as for ``signing_key``.
        store: as for ``signing_key``.
        start_folder: as for ``signing_key``.
        forbidden: as for ``signing_key``.
        at: when a key that is given has to sign; None: at any time.

    Returns:
        Where the key comes from; ``new`` when it would be made. Nothing is made here.

    Raises:
        UsageError: as for ``signing_key``.
        KeyFileError: as for ``signing_key``.
        EnvironmentFault: a key would have to be made and the folder cannot be written to.
    """
    password = password_of(env)
    if (given := _given(env)) is not None:
        _checked(_read_given(env, given, password), store, at)
        return given
    check_location(store.home, start_folder, forbidden, user_home(env))
    if (kid := store.current()) is not None:
        _check_validity(kid, store, None)
        store.load(kid, password)
        return "store"
    if password == b"":
        raise UsageError(f"{PASSWORD_VARIABLE} is set but empty; give the new key a passphrase, or unset it")
    files.check_writable(require_home(store.home) / "keys")
    return "new"


def password_of(env: Mapping[str, str]) -> bytes | None:
    """The passphrase that the environment gives, as bytes; None where it gives none."""
    value = env.get(PASSWORD_VARIABLE)
    return None if value is None else value.encode("utf-8", "surrogateescape")


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
        data, source = env[KEY_VARIABLE].encode("utf-8", "surrogateescape"), KEY_VARIABLE
    else:
        path = Path(env[KEY_FILE_VARIABLE])
        data, source = files.read_private(path), f"{KEY_FILE_VARIABLE} {path}"
    key = read_private_key(data, password=password, source=source)
    check_private(key, source=source)
    return key


def _checked(key: SigningKey, store: KeyStore, at: float | None) -> SigningKey:
    """A key that was given: one that the store knows of must not sign against what is known of it."""
    _check_validity(key.public.kid, store, at)
    return key


def _check_validity(kid: str, store: KeyStore, at: float | None) -> None:
    validity = store.history().of(kid).validity()
    if (revoked := validity.revoked) is not None:
        raise KeyFileError(
            f"the key {kid} was revoked (since {time_text(revoked.since)}) and signs nothing; "
            "make another with `key rotate`"
        )
    if at is not None and not validity.covers(at):
        raise KeyFileError(
            f"the key {kid} signs {validity.window}, and this was made at {time_text(at)}; "
            "sign with the key of that time, or make it anew"
        )
