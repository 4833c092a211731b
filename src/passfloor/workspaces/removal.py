"""Remove a folder whatever is in it, without following a link and without leaving it."""

import contextlib
import os
import secrets
from pathlib import Path

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Linux alone can name a folder without the right to read it.
_NAME_ONLY = getattr(os, "O_PATH", 0)


def remove_tree(path: Path) -> None:
    """Remove the folder at ``path`` and all it holds.

    Folders without permissions are opened up first. Links are removed, never followed. A folder inside is
    moved to the top before it is emptied, so that any depth needs two open files and no recursion.

    Raises:
        OSError: Something could not be removed; what could be is gone.
    """
    top = _open_folder(os.fspath(path), None)
    try:
        _empty(top)
    finally:
        os.close(top)
    path.rmdir()


def _empty(top: int) -> None:
    moved = f".removing-{secrets.token_hex(8)}"
    pending = _clear(top, top, f"{moved}-")
    count = 0
    while pending:
        name = pending.pop()
        folder = _open_folder(name, top)
        count += 1
        try:
            pending += _clear(folder, top, f"{moved}-{count}-")
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=top)


def _clear(folder: int, top: int, prefix: str) -> list[str]:
    """Remove what can be removed at once; return the names in ``top`` under which full folders now stand."""
    full: list[str] = []
    with os.scandir(folder) as entries:
        listing = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in listing:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
            continue
        try:
            os.rmdir(name, dir_fd=folder)
        except OSError:
            full.append(name if folder == top else _move_up(name, folder, top, f"{prefix}{len(full)}"))
    return full


def _move_up(name: str, folder: int, top: int, new: str) -> str:
    # Moving a folder rewrites its "..", so it has to be writable itself.
    os.close(_open_folder(name, folder))
    os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
    return new


def _open_folder(name: str, parent: int | None) -> int:
    try:
        folder = os.open(name, _OPEN_FOLDER, dir_fd=parent)
    except PermissionError:
        _open_up(name, parent)
        folder = os.open(name, _OPEN_FOLDER, dir_fd=parent)
    with contextlib.suppress(PermissionError):
        os.fchmod(folder, 0o700)
    return folder


def _open_up(name: str, parent: int | None) -> None:
    """Give the owner every right to a folder that cannot be opened, without following a link."""
    if not _NAME_ONLY:
        os.chmod(name, 0o700, dir_fd=parent, follow_symlinks=False)
        return
    handle = os.open(name, _NAME_ONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        Path(f"/proc/self/fd/{handle}").chmod(0o700)
    finally:
        os.close(handle)
