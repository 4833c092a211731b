"""Before the first attempt: everything that would make a finished run worthless is looked for now."""

import os
import shutil
from pathlib import Path
from typing import Any

from passfloor import receipts
from passfloor.canonical import parse
from passfloor.errors import EnvironmentFault, JsonError, UsageError

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


def check_runs_dir(path: Path) -> None:
    """Runs can be kept there; nothing is made yet.

    Raises:
        UsageError: something else stands there, or it cannot be written to.
    """
    place = path.absolute()
    nearest = next(folder for folder in (place, *place.parents) if folder.exists())
    if not nearest.is_dir():
        raise UsageError(f"--runs-dir {str(path)!a}: {str(nearest)!a} is no folder; choose another")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise UsageError(f"--runs-dir {str(path)!a}: {str(nearest)!a} cannot be written to; choose another")


def holds(path: Path, receipt_hash: str) -> bool:
    """Whether the file at ``path`` is the receipt of that hash, whole and unchanged but for its signature."""
    document = read_receipt(path)
    return document is not None and document["receipt_hash"] == receipt_hash


def read_receipt(path: Path) -> dict[str, Any] | None:
    """The receipt at ``path`` as JSON data; None where there is none, or its hash is not what it says."""
    try:
        document = parse(path.read_bytes()).value
        if isinstance(document, dict) and document["receipt_hash"] == receipts.receipt_hash(document):
            return document
    except (OSError, JsonError, TypeError, LookupError):
        pass
    return None


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
