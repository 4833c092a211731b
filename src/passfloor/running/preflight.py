"""Before the first attempt: everything that would make a finished run worthless is looked for now."""

import os
import shutil
import stat
from pathlib import Path

from passfloor.errors import EnvironmentFault, UsageError

_LEAST_FREE_BYTES = 64 * 1024 * 1024


def check_out(path: Path, *, force: bool) -> None:
    """The place of a file to be written is free, or holds a file to be replaced, and can be written to.

    A link is followed: it is the file it leads to that is replaced or made.

    Raises:
        UsageError: something stands there (with ``force``: something that is not a regular file), or its
            folder is missing or closed.
    """
    shown = f"--out {str(path)!a}"
    mode = _mode(path, shown)
    if mode is not None and stat.S_ISDIR(mode):
        raise UsageError(f"{shown} is a folder: name a file in it")
    if mode is not None and not stat.S_ISREG(mode):
        raise UsageError(f"{shown} is not a regular file: name a file")
    if (mode is not None or path.is_symlink()) and not force:
        raise UsageError(f"{shown} exists: choose another file, or replace it with --force")
    folder = Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent
    if not folder.is_dir():
        raise UsageError(f"{shown}: the folder {str(folder)!a} does not exist")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{shown}: the folder {str(folder)!a} cannot be written to")


def _mode(path: Path, shown: str) -> int | None:
    """The kind of what a path leads to, None where there is nothing."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"{shown}: {error.strerror}: name another file") from error


def check_disk(folder: Path) -> None:
    """There is room for the attempts.

    Raises:
        EnvironmentFault: less than 64 MiB are free.
    """
    free = shutil.disk_usage(folder).free
    if free < _LEAST_FREE_BYTES:
        raise EnvironmentFault(
            f"only {free} bytes are free under {str(folder)!a} (at least {_LEAST_FREE_BYTES}): "
            "free some, or choose another folder with --workspace-root"
        )
