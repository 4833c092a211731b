"""Files and folders of this user alone: no links are followed, and what is written is whole or absent."""

import contextlib
import os
import secrets
import stat
from pathlib import Path

from passfloor.errors import EnvironmentFault, JournalError, UsageError

_FILE_MODE = 0o600
_FOLDER_MODE = 0o700
# A link must not be followed, and opening a FIFO must not hang.
_GUARDED = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_file(path: Path, flags: int) -> int:
    """Open a regular file and return its descriptor; one that is made is readable by this user alone.

    Raises:
        JournalError: there is no such file, or it is a link or no regular file.
        UsageError: it must be made new (``O_EXCL``) and is there.
        EnvironmentFault: the machine refuses.
    """
    try:
        # Said before opening: the error that O_NOFOLLOW gives differs from system to system.
        if path.is_symlink():
            raise JournalError(f"{str(path)!a} is a symbolic link; put the file itself there")
        descriptor = os.open(path, flags | _GUARDED, _FILE_MODE)
    except FileNotFoundError:
        raise JournalError(f"{str(path)!a} is missing; restore it, or start a new run") from None
    except FileExistsError:
        raise UsageError(f"{str(path)!a} exists; remove it, or choose another folder") from None
    except OSError as error:
        raise refused(path, "opened", error) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise JournalError(f"{str(path)!a} is no regular file; put the file itself there")
    return descriptor


def read_file(path: Path) -> bytes:
    """Return a file's content. Raises as ``open_file`` does."""
    with os.fdopen(open_file(path, os.O_RDONLY), "rb") as file:
        try:
            return file.read()
        except OSError as error:
            raise refused(path, "read", error) from None


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, and see to it that it is on the disk.

    Raises:
        EnvironmentFault: the folder cannot be written to, or the disk is full; nothing is left behind.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        descriptor = open_file(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        draft.replace(path)
    except OSError as error:
        raise refused(path, "written", error) from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
    sync_folder(path.parent)


def make_folder(path: Path, *, new: bool = False, private: bool = True) -> None:
    """Make a folder, with those above it.

    Args:
        path: the folder.
        new: it must not be there yet.
        private: only this user may enter it.

    Raises:
        UsageError: it must be new and is there.
        EnvironmentFault: it cannot be made.
    """
    try:
        path.mkdir(mode=_FOLDER_MODE if private else 0o777, parents=True, exist_ok=not new)
    except FileExistsError:
        what = "exists" if new else "is no folder"
        raise UsageError(f"{str(path)!a} {what}; remove it, or choose another folder") from None
    except OSError as error:
        raise refused(path, "made", error) from None


def sync_folder(path: Path) -> None:
    """See to it that the names in a folder are on the disk.

    Raises:
        EnvironmentFault: the machine refuses.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise refused(path, "synced", error) from None


def refused(path: Path, what: str, error: OSError) -> EnvironmentFault:
    """The fault of a machine that does not let ``path`` be opened, read, written, made or synced."""
    return EnvironmentFault(
        f"{str(path)!a} cannot be {what} ({error.strerror}); check the disk and the permissions"
    )
