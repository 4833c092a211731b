"""Before the first attempt: everything that would make a finished run worthless is looked for now."""

import os
import shutil
from pathlib import Path

from passfloor.errors import EnvironmentFault, UsageError

_LEAST_FREE_BYTES = 64 * 1024 * 1024


def check_out(path: Path, *, force: bool) -> None:
    """The receipt's place is free and can be written to.

    Raises:
        UsageError: something stands there, or its folder is missing or closed.
    """
    if path.is_dir():
        raise UsageError(f"--out {str(path)!a} is a folder: name a file in it")
    if (path.exists() or path.is_symlink()) and not force:
        raise UsageError(f"--out {str(path)!a} exists: choose another file, or replace it with --force")
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"--out {str(path)!a}: the folder {str(folder)!a} does not exist")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"--out {str(path)!a}: the folder {str(folder)!a} cannot be written to")


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
