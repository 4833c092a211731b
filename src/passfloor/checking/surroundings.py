"""What stands where an agent might leave something for its next attempt: looked at, never opened."""

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

_MOST_ENTRIES = 20_000
_BELOW_HOME = ("", ".cache", ".config", ".local/share")
# Made by whoever imports Python, and read by nobody as anything else.
_IGNORED = frozenset({"__pycache__"})

Snapshot = Mapping[str, tuple[int, int]]
"""Path -> time of change and size."""


def places(environ: Mapping[str, str], start_folder: Path, temporary: Path) -> list[Path]:
    """The folders that are looked at: of the operator's home, where the run starts, and the temporary one."""
    home = environ.get("HOME")
    below = [] if not home else [Path(home) / name for name in _BELOW_HOME]
    return list(dict.fromkeys(folder.absolute() for folder in (*below, start_folder, temporary)))


def snapshot(folders: Iterable[Path], *, ignored: Iterable[Path] = ()) -> Snapshot:
    """The entries of the folders themselves, nothing below; what cannot be read is left out."""
    apart = {str(path.absolute()) for path in (*folders, *ignored)}
    found: dict[str, tuple[int, int]] = {}
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.path not in apart and entry.name not in _IGNORED and len(found) < _MOST_ENTRIES:
                        _add(found, entry)
        except OSError:
            continue
    return found


def changed(before: Snapshot, after: Snapshot) -> list[str]:
    """What appeared, or is not what it was, in the order of its path."""
    return sorted(path for path, state in after.items() if before.get(path) != state)


def _add(found: dict[str, tuple[int, int]], entry: "os.DirEntry[str]") -> None:
    try:
        state = entry.stat(follow_symlinks=False)
    except OSError:
        return
    if not stat.S_ISSOCK(state.st_mode):
        found[entry.path] = state.st_mtime_ns, state.st_size
