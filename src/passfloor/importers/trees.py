"""Folders that hold one attempt a folder: listed one level at a time, links never followed."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from passfloor.canonical.lenient import parse
from passfloor.errors import ImportRefused, JsonError
from passfloor.importers import files


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


def first(folder: Path, wanted: Callable[[Path], object]) -> Path | None:
    """The first of the folders directly in a folder that is one of those wanted; the rest is not looked at.

    Raises:
        ImportRefused: as ``folders`` does.
    """
    return next(filter(wanted, folders(folder)[:LOOKED_AT]), None)


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


def text_of(path: Path, *, most: int = files.MAX_TEXT) -> str:
    """The text of a file that ``present`` found.

    Raises:
        ImportRefused: it is too large, not UTF-8, or cannot be read.
    """
    content = files.without_mark(files.read(path, most=most), files.shown(path))
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ImportRefused(f"{files.shown(path)} is not UTF-8: save it as UTF-8") from None


def text_or_none(path: Path) -> str:
    """The text of a file, empty where there is none.

    Raises:
        ImportRefused: as ``present`` and ``text_of`` do.
    """
    return text_of(path) if present(path) else ""


def document(path: Path, text: str | None = None) -> dict[str, Any]:
    """The JSON object that a file holds, read leniently.

    Raises:
        ImportRefused: it is no JSON object, or as ``text_of`` does.
    """
    return mapping(text_of(path) if text is None else text, files.shown(path))


def mapping(text: str, where: str) -> dict[str, Any]:
    """The JSON object in a text.

    Raises:
        ImportRefused: it is anything else.
    """
    try:
        value = parse(text)
    except JsonError as error:
        raise ImportRefused(f"{where}: {error}") from None
    if not isinstance(value, dict):
        raise ImportRefused(f"{where} is no JSON object")
    return value


def optional(path: Path) -> dict[str, Any]:
    """The JSON object of a file that need not be there: empty where it is not.

    Raises:
        ImportRefused: it is there and is no JSON object.
    """
    return document(path) if present(path) else {}
