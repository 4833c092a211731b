"""The table of contents of a zip archive (section 4.3.12 of the specification), one entry at a time."""

import io
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from passfloor.errors import ImportRefused
from passfloor.importers import files

MAX_MEMBERS = 500_000
"""Most members of one archive."""

LOCAL = b"PK\x03\x04"
"""What the header before a member begins with."""

_END, _END64, _LOCATOR = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_ENTRY = b"PK\x01\x02"
_FULL = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of an archive's table of contents.

    Attributes:
        name: As the archive has it; never used as a path.
        method: How it is packed.
        packed: Its bytes in the archive.
        size: Its bytes unpacked, as the archive claims.
        crc: CRC-32 of those.
        offset: Where its local header stands.
        sealed: It is encrypted.
    """

    name: str
    method: int
    packed: int
    size: int
    crc: int
    offset: int
    sealed: bool


def starts_as_zip(path: Path) -> bool:
    """Whether the file begins as a zip archive does. Never raises."""
    return files.head(path, 4) in (LOCAL, _END)


def members(path: Path, wanted: Callable[[str], bool]) -> dict[str, Member]:
    """The members whose names are wanted, by name, in the archive's order.

    Raises:
        ImportRefused: it cannot be read or is no whole zip archive, has too many members, or two of the
            wanted names are one.
    """
    found: dict[str, Member] = {}
    for member in _table(path):
        if wanted(member.name):
            if member.name in found:
                raise ImportRefused(
                    f"{files.shown(path)} holds two members named {files.shown(member.name)}: "
                    "which one counts is not said; write the log again"
                )
            found[member.name] = member
    return found


def _table(path: Path) -> Iterator[Member]:
    """The central directory, one entry at a time."""
    name = files.shown(path)
    with files.opened(path) as stream:
        try:
            count, offset = _place(stream, name)
            if count > MAX_MEMBERS:
                raise ImportRefused(f"{name} holds {count} members, the limit is {MAX_MEMBERS}")
            stream.seek(offset)
            for _ in range(count):
                yield _entry(stream, name, offset)
        except OSError as error:
            raise files.unreadable(path, error) from None


def _place(stream: BinaryIO, name: str) -> tuple[int, int]:
    """How many entries the central directory has, and where it starts."""
    size = stream.seek(0, io.SEEK_END)
    start = max(0, size - 22 - 0xFFFF)
    stream.seek(start)
    tail = stream.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < 22:
        raise ImportRefused(
            f"{name} is a zip archive without its table of contents: it was cut; copy it again"
        )
    end = start + at
    count, length, offset = struct.unpack("<HII", tail[at + 10 : at + 20])
    if count == 0xFFFF or length == _FULL or offset == _FULL:
        count, length, offset, end = _place64(stream, end, name)
    # A directory elsewhere is a file joined to another, or cut at its start.
    if offset + length != end:
        raise damaged(name)
    return count, offset


def _place64(stream: BinaryIO, end: int, name: str) -> tuple[int, int, int, int]:
    if end < 20:
        raise damaged(name)
    stream.seek(end - 20)
    locator = stream.read(20)
    where = struct.unpack("<Q", locator[8:16])[0]
    if locator[:4] != _LOCATOR or where > end - 76:
        raise damaged(name)
    stream.seek(where)
    record = stream.read(56)
    if record[:4] != _END64:
        raise damaged(name)
    count, length, offset = struct.unpack("<QQQ", record[32:56])
    return count, length, offset, where


def _entry(stream: BinaryIO, name: str, table: int) -> Member:
    """The next entry; ``table``: where the first one stands, behind all members."""
    fixed = stream.read(46)
    if len(fixed) < 46 or fixed[:4] != _ENTRY:
        raise damaged(name)
    flags, method = struct.unpack("<HH", fixed[8:12])
    crc, packed, size, length, extra, remark = struct.unpack("<IIIHHH", fixed[16:34])
    offset = struct.unpack("<I", fixed[42:46])[0]
    title = stream.read(length)
    more = stream.read(extra)
    stream.read(remark)
    size, packed, offset = _wide(more, (size, packed, offset), name)
    if offset >= table:
        raise damaged(name)
    return Member(named(title), method, packed, size, crc, offset, bool(flags & 1))


def _wide(extra: bytes, narrow: tuple[int, int, int], name: str) -> tuple[int, int, int]:
    """Size, packed size and offset, each from the zip64 field where it is too large for its own."""
    if _FULL not in narrow:
        return narrow
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack("<HH", extra[at : at + 4])
        if kind == 1:
            wide = iter(struct.iter_unpack("<Q", extra[at + 4 : at + 4 + length // 8 * 8]))
            try:
                size, packed, offset = (next(wide)[0] if value == _FULL else value for value in narrow)
            except (StopIteration, RuntimeError):
                raise damaged(name) from None
            return size, packed, offset
        at += 4 + length
    raise damaged(name)


def named(title: bytes) -> str:
    """A name: UTF-8, which today's writers use, or else one character a byte."""
    try:
        return title.decode("utf-8")
    except UnicodeDecodeError:
        return title.decode("latin-1")


def damaged(name: str) -> ImportRefused:
    """The refusal of what was changed, or lost a part, since it was written."""
    return ImportRefused(f"{name} is damaged (its parts do not fit together): get the log again")
