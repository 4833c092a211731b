"""The key store: ``keys/<kid>.pem``, ``keys/<kid>.pub.pem``, ``keys/current`` and ``keys/history.json``.

Reading never makes anything; a store whose folder is absent holds no keys. Files are written one at a time,
each whole or not at all and under a lock, so that a crash at any point leaves a store that reads as it did
before, or as it does after.
"""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from passfloor.errors import KeyFileError, UsageError
from passfloor.keys import files
from passfloor.keys.hidden import KEY_FILE_VARIABLE, KEY_VARIABLE
from passfloor.keys.history import NOTHING, History, Revoked, read_history
from passfloor.keys.location import check_location, home, require_home, user_home
from passfloor.signing.key_sets import ListedKey, jwks
from passfloor.signing.private_keys import SigningKey, generate, read_private_key
from passfloor.signing.public_keys import PublicKey, read_public_key
from passfloor.signing.published import check_private
from passfloor.signing.validity import OPEN, Validity, time_text

__all__ = [
    "KEY_FILE_VARIABLE",
    "KEY_VARIABLE",
    "KeyEntry",
    "KeyStore",
    "check_location",
    "home",
    "user_home",
]

_KID = re.compile(r"[A-Za-z0-9_-]{43}")
_PRIVATE_SUFFIX = ".pem"
_PUBLIC_SUFFIX = ".pub.pem"
_HISTORY = "history.json"


@dataclass(frozen=True)
class KeyEntry:
    """One key of the store.

    Attributes:
        kid: its fingerprint, as the file is named.
        path: the private file where there is one, else the public file.
        current: whether it signs by default.
        has_private: whether the private file is there.
        validity: when it counts.
    """

    kid: str
    path: Path
    current: bool
    has_private: bool
    validity: Validity = OPEN


_Entries = list[KeyEntry]
_PublicKeys = list[PublicKey]
_ListedKeys = list[ListedKey]


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
        key = generate()
        with self._made(key, password) as folder:
            if make_current:
                files.write_public(folder / "current", key.public.kid.encode("ascii") + b"\n")
        return key

    def rotate(self, *, at: float, password: bytes | None = None) -> tuple[SigningKey, str]:
        """Make a key that signs in place of the current one, whose window closes.

        Args:
            at: now, in seconds since the epoch.
            password: encrypts the new private file when given.

        Returns:
            The new key, and the fingerprint of the one it replaces.

        Raises:
            UsageError: there is no current key, or no home.
            KeyFileError: the passphrase is empty, a file is damaged, or others can write to the folder.
            EnvironmentFault: a write failed; the old key still signs, or the new one does.
        """
        self._replaceable()
        key = generate()
        with self._made(key, password) as folder:
            # Asked again under the lock: somebody may have been faster.
            old = self._replaceable()
            # From this write on the new key signs; the next only says so once more.
            self._write_history(self.history().rotated(old, key.public.kid, at))
            files.write_public(folder / "current", key.public.kid.encode("ascii") + b"\n")
        return key, old

    def revoke(self, kid: str, *, at: float, since: float | None = None, reason: str = "") -> None:
        """Revoke a key of the store: it verifies nothing from now on, and does not sign.

        Args:
            kid: its fingerprint.
            at: now, in seconds since the epoch.
            since: since when it cannot be believed; None: since now.
            reason: why, for people.

        Raises:
            UsageError: there is no such key, or it is revoked already.
            KeyFileError: a file is damaged.
            EnvironmentFault: the write failed; the key is not revoked.
        """
        _require_kid(kid)
        if kid not in {entry.kid for entry in self.list()}:
            raise UsageError(f"no key {kid} here; take one from `key list`")
        with files.locked(require_home(self.home) / "keys"):
            history = self.history()
            if (before := history.of(kid).revoked) is not None:
                raise UsageError(f"the key {kid} is revoked already, since {before.since}; nothing to do")
            record = Revoked(at=time_text(at), since=time_text(at if since is None else since), reason=reason)
            self._write_history(history.with_members(kid, revoked=record))

    def history(self) -> History:
        """What became of the keys; of a store without a history nothing.

        Raises:
            KeyFileError: the history cannot be read, or somebody else could have written it.
        """
        path = self._history_path()
        if path is None or path.name not in files.names(path.parent):
            return NOTHING
        files.check_folder(path.parent)
        data = files.read_list(path)
        return read_history(data, str(path))

    def list(self) -> _Entries:
        """Return the keys of the store, by fingerprint.

        Raises:
            KeyFileError: the folder cannot be read, others can write to it, or ``current`` is damaged.
        """
        names = self._names()
        current, history = self.current(), self.history()
        entries = []
        for kid in sorted({name.removesuffix(_PRIVATE_SUFFIX).removesuffix(".pub") for name in names}):
            has_private = kid + _PRIVATE_SUFFIX in names
            path = self._path(kid, _PRIVATE_SUFFIX if has_private else _PUBLIC_SUFFIX)
            validity = history.of(kid).validity()
            entries.append(KeyEntry(kid, path, kid == current, has_private, validity))
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
        # A rotation that was cut short after it counted left the key before in there.
        return self.history().successor(kid)

    def signer_at(self, at: float) -> str | None:
        """Return the fingerprint of the key that signs what was made at a time, or None without any key.

        That is the current key, or for what was made before its window the key before it, and so on.

        Args:
            at: seconds since the epoch.
        """
        if (kid := self.current()) is None:
            return None
        history = self.history()
        line = [kid, *history.predecessors(kid)]
        return next((each for each in line if history.of(each).validity().covers(at)), kid)

    def load(self, kid: str | None, password: bytes | None) -> SigningKey:
        """Read a private key of the store.

        Args:
            kid: its fingerprint; None for the current one.
            password: its passphrase, where it has one.

        Raises:
            UsageError: no such fingerprint can be, or there is no current key.
            KeyFileError: the file is absent, damaged, open to others, of another key, or does not open; or
                everybody holds the key.
        """
        kid = self.current() if kid is None else kid
        if kid is None:
            raise UsageError("there is no current signing key; make one with `key generate`")
        path = self._private_path(kid)
        key = read_private_key(files.read_private(path), password=password, source=str(path))
        _check_name(path, kid, key.public)
        check_private(key, source=str(path))
        return key

    def is_encrypted(self, kid: str) -> bool:
        """Whether the private file of a key asks for a passphrase. Raises as ``load`` does."""
        return b"BEGIN ENCRYPTED PRIVATE KEY" in files.read_private(self._private_path(kid))

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

    def listed(self) -> _ListedKeys:
        """Return the public keys with their windows and revocations, by fingerprint. Reads only.

        Raises:
            KeyFileError: as for ``public_keys``, or the history is damaged.
        """
        history = self.history()
        return [ListedKey(key, history.of(key.kid).validity()) for key in self.public_keys()]

    def jwks(self) -> dict[str, Any]:
        """Return the public keys as a JWK set, those of the past too, by fingerprint, to be published.

        Raises:
            KeyFileError: as for ``listed``.
        """
        return jwks(self.listed())

    @contextlib.contextmanager
    def _made(self, key: SigningKey, password: bytes | None) -> Iterator[Path]:
        """Write a new key's files; what makes it count is done in the context, under the lock."""
        home = require_home(self.home)
        private = key.pem(password)
        files.make_folder(home)
        folder = home / "keys"
        files.make_folder(folder)
        with files.locked(folder):
            files.write_private(self._path(key.public.kid, _PRIVATE_SUFFIX), private)
            files.write_public(self._path(key.public.kid, _PUBLIC_SUFFIX), key.public.pem())
            yield folder

    def _replaceable(self) -> str:
        if (kid := self.current()) is None:
            raise UsageError("there is no key to be replaced; make one with `key generate`")
        return kid

    def _write_history(self, history: History) -> None:
        path = require_home(self.home) / "keys" / _HISTORY
        files.write_public(path, history.data())

    def _history_path(self) -> Path | None:
        return None if self.home is None else self.home / "keys" / _HISTORY

    def _private_path(self, kid: str) -> Path:
        _require_kid(kid)
        path = self._path(kid, _PRIVATE_SUFFIX)
        files.check_folder(path.parent, private=True)
        return path

    def _path(self, kid: str, suffix: str) -> Path:
        return require_home(self.home) / "keys" / (kid + suffix)

    def _names(self) -> set[str]:
        if self.home is None:
            return set()
        folder = self.home / "keys"
        files.check_folder(folder)
        return {name for name in files.names(folder) if _is_key_name(name)}


def _require_kid(kid: str) -> None:
    if not _KID.fullmatch(kid):
        raise UsageError("a fingerprint is 43 characters of base64url; take one from `key list`")


def _is_key_name(name: str) -> bool:
    kid = name.removesuffix(_PRIVATE_SUFFIX).removesuffix(".pub")
    return name.endswith(_PRIVATE_SUFFIX) and _KID.fullmatch(kid) is not None


def _check_name(path: Path, kid: str, key: PublicKey) -> None:
    if key.kid != kid:
        raise KeyFileError(f"{path}: holds the key {key.kid}; name the file after the key it holds")
