"""Files of others: opened only where they are regular files, and never read beyond a bound."""

import errno
import os
import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from passfloor.errors import ImportRefused

MAX_TEXT = 64 * 1024 * 1024
"""Most bytes of a file that is read whole, and of one record."""

HEAD = 64 * 1024
"""Bytes that recognising a format looks at."""

MAX_ENTRIES = 200_000
"""Most files and folders of one walk."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"


def opened(path: Path) -> BufferedReader:
    """A regular file, opened for reading; a link is followed. A FIFO or device is refused without waiting.

    Raises:
        ImportRefused: it is missing, not readable or no regular file.
    """
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:
        raise ImportRefused(f"{shown(path)} is no name of a file: name the log") from None
    mode = os.fstat(number).st_mode
    if not stat.S_ISREG(mode):
        os.close(number)
        what = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise ImportRefused(f"{shown(path)} is {what}: name the log's file")
    return os.fdopen(number, "rb")


def read(path: Path, *, most: int = MAX_TEXT) -> bytes:
    """A file's content.

    Raises:
        ImportRefused: as ``opened`` does; it is larger than ``most`` bytes; or it cannot be read.
    """
    with opened(path) as stream:
        try:
            content = stream.read(most + 1)
        except OSError as error:
            raise unreadable(path, error) from None
    if len(content) > most:
        raise ImportRefused(f"{shown(path)} is larger than {most} bytes, the most that is read whole")
    return content


def text(path: Path, *, most: int = MAX_TEXT) -> str:
    """A file's text, without a byte order mark.

    Raises:
        ImportRefused: as ``read`` does; or it is not UTF-8.
    """
    content = without_mark(read(path, most=most), shown(path))
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ImportRefused(f"{shown(path)} is not UTF-8: save it as UTF-8") from None


def nothing(path: Path, what: str) -> ImportRefused:
    """The refusal of a log in which no attempt ended.

    Args:
        path: The log.
        what: What it should hold.
    """
    return ImportRefused(f"{shown(path)} holds no {what}: there is nothing to import")


def head(path: Path, size: int = HEAD) -> bytes:
    """The first bytes of a file, without a UTF-8 byte order mark; empty for whatever cannot be read."""
    try:
        with opened(path) as stream:
            return stream.read(size).removeprefix(_BOM)
    except (ImportRefused, OSError):
        return b""


def without_mark(content: bytes, name: str) -> bytes:
    """The bytes behind a UTF-8 byte order mark.

    Raises:
        ImportRefused: they begin as UTF-16 does.
    """
    if content.startswith(_UTF16):
        raise ImportRefused(f"{name} is UTF-16: save it as UTF-8")
    return content.removeprefix(_BOM)


def walk(folder: Path, *, depth: int = 8, most: int = MAX_ENTRIES) -> Iterator[Path]:
    """All regular files below a folder, each folder's in order of their names; links are not followed.

    Raises:
        ImportRefused: there are more than ``most`` entries, or a folder cannot be read.
    """
    left = most
    waiting = [(folder, depth)]
    while waiting:
        place, room = waiting.pop()
        try:
            with os.scandir(place) as entries:
                found = []
                for entry in entries:
                    left -= 1
                    if left < 0:
                        raise ImportRefused(
                            f"{shown(folder)} holds more than {most} files: name a part of it"
                        )
                    found.append(entry)
        except OSError as error:
            raise unreadable(place, error) from None
        found.sort(key=lambda entry: entry.name)
        yield from (Path(entry.path) for entry in found if entry.is_file(follow_symlinks=False))
        if room:
            folders = [Path(entry.path) for entry in found if entry.is_dir(follow_symlinks=False)]
            waiting += [(each, room - 1) for each in reversed(folders)]


def unreadable(path: Path, error: OSError) -> ImportRefused:
    """The refusal of what the system does not open or read."""
    reason = error.strerror or errno.errorcode.get(error.errno or 0, "unknown error")
    return ImportRefused(f"cannot read {shown(path)}: {reason}")


def shown(path: Path | str) -> str:
    """A path for a message: quoted, printable ASCII, its end where it is long."""
    words = ascii(str(path))
    return words if len(words) <= 160 else f"'...{words[-150:]}"
