"""Folders that hold one attempt a folder: listed one level at a time, links never followed."""

import os
import stat
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.importers import files
from passfloor.importers.fields import mapping


def plain(*names: str) -> str:
    """Names of files as one line of printable ASCII, joined as a path."""
    return ascii("/".join(names))[1:-1]


LOOKED_AT = 50
"""Most folders or files that recognising a folder of logs looks into."""


def folders(folder: Path, *, most: int = files.MAX_ENTRIES) -> list[Path]:
    """The folders directly in a folder, by name; links to folders are left out.

    Raises:
        ImportRefused: there are more than ``most`` entries, or it cannot be read.
    """
    found: list[Path] = []
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number >= most:
                    raise ImportRefused(
                        f"{files.shown(folder)} holds more than {most} entries: name a part of it"
                    )
                if entry.is_dir(follow_symlinks=False):
                    found.append(Path(entry.path))
    except OSError as error:
        raise files.unreadable(folder, error) from None
    return sorted(found)


def holding(path: Path, wanted: Callable[[Path], bool]) -> list[Path]:
    """The folder itself where it is one of those wanted; else those directly in it that are, by name.

    Raises:
        ImportRefused: as ``folders`` does.
    """
    return [path] if wanted(path) else [each for each in folders(path) if wanted(each)]


def recognised(path: Path, wanted: Callable[[Path], bool], alone: str, several: str) -> str | None:
    """Why a folder is of a format: it is one of those wanted, or among the first folders in it one is.

    Args:
        path: The folder.
        wanted: Says whether a folder is.
        alone: The reason where it is one itself.
        several: What it holds where it holds some, in the plural.

    Raises:
        ImportRefused: as ``folders`` does.
    """
    if wanted(path):
        return alone
    found = next(filter(wanted, folders(path)[:LOOKED_AT]), None)
    return f"it holds {several} such as {files.shown(found.name)}" if found else None


def some(folder: Path, depth: int) -> Iterator[Path]:
    """The first files below a folder, as ``files.walk`` gives them."""
    return islice(files.walk(folder, depth=depth), LOOKED_AT)


def is_folder(path: Path) -> bool:
    """Whether a folder stands there; a link to one counts, since the user named it.

    Raises:
        ImportRefused: the system does not say.
    """
    try:
        return path.is_dir()
    except OSError as error:
        raise files.unreadable(path, error) from None


def present(path: Path) -> bool:
    """Whether a regular file stands there.

    Raises:
        ImportRefused: something else does: a link, which could lead anywhere, a FIFO, a folder.
    """
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        reason = error if isinstance(error, OSError) else OSError(0, "no name of a file")
        raise files.unreadable(path, reason) from None
    if stat.S_ISREG(mode):
        return True
    what = "a link" if stat.S_ISLNK(mode) else "a folder" if stat.S_ISDIR(mode) else "no regular file"
    raise ImportRefused(f"{files.shown(path)} is {what}: a copy of the log with the file itself is needed")


def text_or_none(path: Path) -> str:
    """The text of a file, empty where there is none.

    Raises:
        ImportRefused: as ``present`` and ``files.text`` do.
    """
    return files.text(path) if present(path) else ""


def document(path: Path) -> dict[str, Any]:
    """The JSON object that a file holds, read leniently.

    Raises:
        ImportRefused: it is no JSON object, or as ``files.text`` does.
    """
    return mapping(files.text(path), files.shown(path))


def optional(path: Path) -> dict[str, Any]:
    """The JSON object of a file that need not be there: empty where it is not.

    Raises:
        ImportRefused: it is there and is no JSON object.
    """
    return document(path) if present(path) else {}
