"""Guarded file access for keys: secrets nobody else could read, and writes that are whole or absent."""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from passfloor.errors import EnvironmentFault, KeyFileError
from passfloor.signing.wrappings import MAX_KEY_BYTES

MOST_LISTED = 4 * 1024 * 1024
"""Most bytes of a file that says which keys count."""

_PRIVATE_MODE = 0o600
_PUBLIC_MODE = 0o644
_FOLDER_MODE = 0o700
# Opening a FIFO must not hang, and a link must not be followed; both flags are absent on Windows.
_GUARDED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_TRUSTED = "lets others change who is trusted"
_IS_POSIX = os.name == "posix"


def read_private(path: Path) -> bytes:
    """Return the content of a private key file that belongs to this user alone.

    Owner and mode are those of the opened file, so that it cannot be exchanged between check and use.

    Raises:
        KeyFileError: missing, unreadable, a symbolic link, no regular file, owned by another user, open to
            group or others, or larger than a key.
    """
    return _read(path, 0o077, "lets others at the private key", MAX_KEY_BYTES)


def read_public(path: Path) -> bytes:
    """Return the content of a public key file; more than a key's size is cut just past the limit.

    Raises:
        KeyFileError: missing, unreadable, a symbolic link, no regular file, owned by another user, or
            writable by group or others.
    """
    return _read(path, 0o022, _TRUSTED, MAX_KEY_BYTES)


def read_list(path: Path) -> bytes:
    """Return the content of a file that says which keys count. Raises as ``read_public``, and past 4 MiB."""
    data = _read(path, 0o022, _TRUSTED, MOST_LISTED)
    if len(data) > MOST_LISTED:
        raise KeyFileError(f"{path}: larger than {MOST_LISTED} bytes; restore the file")
    return data


def names(folder: Path) -> list[str]:
    """Return the names in a folder, in no order; an absent folder has none.

    Raises:
        KeyFileError: it cannot be listed.
    """
    try:
        return [entry.name for entry in folder.iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _unreadable(folder, error) from None


def make_folder(path: Path) -> None:
    """Make a folder that only this user can enter, with those above it; one that is there is checked.

    Raises:
        EnvironmentFault: it cannot be made.
        KeyFileError: it is there, and others could write to it.
    """
    try:
        path.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFault(
            f"{path}: cannot make the folder ({error.strerror}); make it writable"
        ) from None
    check_folder(path)


def check_folder(path: Path, *, private: bool = False) -> None:
    """Refuse a folder of keys that somebody else could put keys into; an absent one passes.

    Args:
        path: the folder.
        private: nobody else may even enter it, as is demanded where a private key is read.

    Raises:
        KeyFileError: owned by another user, writable by group or others, or not to be looked at.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unreadable(path, error) from None
    if _IS_POSIX and status.st_uid != os.geteuid():
        raise KeyFileError(
            f"{path}: the folder of keys belongs to user {status.st_uid}; use a folder of your own"
        )
    if _IS_POSIX and status.st_mode & 0o022:
        raise KeyFileError(f"{path}: others can write to the folder of keys; run `chmod 700 {path}`")
    if _IS_POSIX and private and status.st_mode & 0o077:
        raise KeyFileError(f"{path}: others can enter the folder of private keys; run `chmod 700 {path}`")


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder alone among all that lock it; waits for whoever holds it. Nothing is made.

    Raises:
        EnvironmentFault: it cannot be locked.
    """
    if not _IS_POSIX:
        yield
        return
    import fcntl

    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise EnvironmentFault(
            f"{folder}: cannot be locked ({error.strerror}); check its permissions"
        ) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            raise EnvironmentFault(
                f"{folder}: cannot be locked ({error.strerror}); keep keys on a disk with locks"
            ) from None
        yield
    finally:
        # Unlocked by name: a child that was forked a moment ago may hold a copy of the descriptor.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def check_writable(path: Path) -> None:
    """Check that a folder is writable or could be made, without making it.

    Raises:
        EnvironmentFault: it could not.
    """
    nearest = next(place for place in (path, *path.parents) if os.path.lexists(place))
    # The trailing slash lets nothing but a folder pass.
    if not os.access(f"{nearest}/", os.W_OK | os.X_OK):
        raise EnvironmentFault(f"{path}: cannot be written to (see {nearest}); make it writable")


def write_private(path: Path, data: bytes) -> None:
    """Write a secret; the file is never open to others, not even for a moment.

    Raises:
        EnvironmentFault: the write failed; nothing is left behind.
    """
    _write(path, data, _PRIVATE_MODE)


def write_public(path: Path, data: bytes) -> None:
    """Write or replace a public file in one step.

    Raises:
        EnvironmentFault: the write failed; what was there before still is.
    """
    _write(path, data, _PUBLIC_MODE)


def _write(path: Path, data: bytes, mode: int) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _GUARDED, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        draft.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise EnvironmentFault(f"{path}: cannot be written ({error.strerror}); free it or the disk") from None


def _sync_folder(path: Path) -> None:
    if _IS_POSIX:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _read(path: Path, forbidden: int, what: str, most: int) -> bytes:
    try:
        if path.is_symlink():
            raise KeyFileError(f"{path}: must not be a symbolic link; put the file itself there")
        descriptor = os.open(path, os.O_RDONLY | _GUARDED)
    except OSError as error:
        raise _unreadable(path, error) from None
    try:
        _check_owner(path, os.fstat(descriptor), forbidden, what)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(most + 1)
    finally:
        os.close(descriptor)


def _check_owner(path: Path, status: os.stat_result, forbidden: int, what: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise KeyFileError(f"{path}: not a regular file; give the path of a key file")
    if _IS_POSIX and status.st_uid != os.geteuid():
        raise KeyFileError(f"{path}: belongs to user {status.st_uid}; give a key file of your own")
    if _IS_POSIX and status.st_mode & forbidden:
        mode = stat.S_IMODE(status.st_mode)
        raise KeyFileError(f"{path}: mode {mode:04o} {what}; run `chmod 600 {path}`")


def _unreadable(path: Path, error: OSError) -> KeyFileError:
    return KeyFileError(f"{path}: cannot be read ({error.strerror}); check the path and its permissions")
