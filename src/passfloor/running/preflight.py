"""Before the first attempt: everything that would make a finished run worthless is looked for now."""

import os
import shutil
import stat
from pathlib import Path
from typing import Any

from passfloor import receipts
from passfloor.canonical import canonical, parse
from passfloor.errors import EnvironmentFault, JsonError, UsageError

_LEAST_FREE_BYTES = 64 * 1024 * 1024
# Nobody else's limit is asked of a file of our own.
_ANY = 2**62


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
    try:
        with path.open("rb") as stream:
            reader = receipts.LineReader(stream, max_bytes=_ANY, max_nodes=_ANY)
            head: Any = reader.head.value
            seal = receipts.Seal(head)
            for task in reader.tasks():
                seal.add(canonical(task.value, plain=task.plain))
            return bool(head.get("receipt_hash") == seal.hex() == receipt_hash)
    except receipts.LayoutError:
        # Laid out anew by somebody, and not by its writer.
        document = read_receipt(path)
        return document is not None and document["receipt_hash"] == receipt_hash
    except (OSError, JsonError):
        return False


def read_receipt(path: Path) -> dict[str, Any] | None:
    """The receipt at ``path`` as JSON data; None where there is none, or its hash is not what it says."""
    try:
        document = parse(path.read_bytes()).value
        if isinstance(document, dict) and document["receipt_hash"] == receipts.receipt_hash(document):
            return document
    except (OSError, JsonError, TypeError, LookupError):
        pass
    return None


def check_disk(folder: Path, flag: str = "--workspace-root") -> None:
    """There is room for the attempts in a folder that ``flag`` names, or will be once it is made.

    Raises:
        EnvironmentFault: less than 64 MiB are free.
    """
    place = folder.absolute()
    free = shutil.disk_usage(next(each for each in (place, *place.parents) if each.exists())).free
    if free < _LEAST_FREE_BYTES:
        raise EnvironmentFault(
            f"only {free} bytes are free under {str(folder)!a} (at least {_LEAST_FREE_BYTES}): "
            f"free some, or choose another folder with {flag}"
        )
