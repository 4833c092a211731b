"""Zip archives of others: members read as streams from where they lie, and never unpacked to disk.

Read here and not by the standard library, which builds an object for each of a million members and, before
Python 3.14, has no Zstandard (method 93). The form is that of the ZIP File Format Specification 6.3.10.
"""

import io
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

from passfloor.errors import ImportRefused
from passfloor.importers import files

MAX_MEMBERS = 500_000
"""Most members of one archive."""

MAX_MEMBER = 8 * 1024**3
"""Most bytes of one member, unpacked."""

MAX_RATIO = 1000
"""Most bytes that one packed byte may unpack to, past the first 16 MiB of a member."""

_SPARED = 16 * 1024 * 1024
_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_END, _END64, _LOCATOR = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_ENTRY, _LOCAL = b"PK\x01\x02", b"PK\x03\x04"
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
    return files.head(path, 4) in (_LOCAL, _END)


def members(path: Path, wanted: Callable[[str], bool]) -> dict[str, Member]:
    """The members whose names are wanted, by name, in the archive's order.

    Raises:
        ImportRefused: it is no whole zip archive, has too many members, or two of the wanted names are one.
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


@contextmanager
def opened(path: Path, member: Member) -> Iterator[BinaryIO]:
    """One member as a stream of its unpacked bytes; its length and CRC-32 are checked at its end.

    Raises:
        ImportRefused: it is encrypted, packed by another method, larger than a limit, or damaged. Reading the
            stream raises the same for what is found on the way.
    """
    name = f"{files.shown(path)}: {files.shown(member.name)}"
    _check(member, name)
    with files.opened(path) as stream:
        stream.seek(member.offset)
        header = stream.read(30)
        if len(header) < 30 or header[:4] != _LOCAL:
            raise _damaged(name)
        length, extra = struct.unpack("<HH", header[26:30])
        if _text(stream.read(length)) != member.name:
            raise _damaged(name)
        stream.seek(extra, io.SEEK_CUR)
        packed = cast("BinaryIO", io.BufferedReader(_Part(stream, member.packed)))
        unpacked, faults = _unpacker(packed, member, name)
        with io.BufferedReader(_Checked(unpacked, faults, member, name), 256 * 1024) as checked:
            yield cast("BinaryIO", checked)


def read(path: Path, member: Member, *, most: int = files.MAX_TEXT) -> bytes:
    """One member whole.

    Raises:
        ImportRefused: as ``opened`` does, or it is larger than ``most`` bytes.
    """
    if member.size > most:
        raise ImportRefused(
            f"{files.shown(path)}: {files.shown(member.name)} has {member.size} bytes, the limit is {most}"
        )
    with opened(path, member) as stream:
        return stream.read()


def _check(member: Member, name: str) -> None:
    if member.sealed:
        raise ImportRefused(f"{name} is encrypted: decrypt the log first")
    if member.size > MAX_MEMBER:
        raise ImportRefused(f"{name} claims {member.size} bytes, the limit is {MAX_MEMBER}")
    if member.size > _SPARED + MAX_RATIO * member.packed:
        raise ImportRefused(
            f"{name} claims to unpack to more than {MAX_RATIO} times its size: not read; if it is honest, "
            "convert the log to JSON with the tool that wrote it"
        )


def _unpacker(packed: BinaryIO, member: Member, name: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """A reader of the unpacked bytes, and what it raises for bad ones."""
    if member.method == _STORED:
        return packed, ()
    if member.method == _DEFLATED:
        return io.BufferedReader(_Inflated(packed)), (zlib.error,)
    if member.method == _ZSTANDARD:
        return _zstandard(packed, name)
    raise ImportRefused(
        f"{name} is packed by method {member.method}; known are 0, 8 (deflate) and 93 (Zstandard)"
    )


def _zstandard(packed: BinaryIO, name: str) -> tuple[Any, tuple[type[Exception], ...]]:
    try:
        library: Any = import_module("compression.zstd")
    except ImportError:
        pass
    else:
        return library.ZstdFile(packed), (library.ZstdError, EOFError)
    try:
        library = import_module("zstandard")
    except ImportError:
        raise ImportRefused(
            f"{name} is packed with Zstandard, which Python reads from 3.14 on: install passfloor[import] "
            "or convert the log (inspect log convert --to json)"
        ) from None
    reader = library.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    return reader, (library.ZstdError,)


class _Part(io.RawIOBase):
    """The next so many bytes of a stream."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(min(len(buffer), self._left))
        self._left -= len(data)
        buffer[: len(data)] = data
        return len(data)


class _Inflated(io.RawIOBase):
    """Raw deflate (RFC 1951), unpacked no further than is asked for."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._inflate.eof:
            packed = self._inflate.unconsumed_tail or self._packed.read(64 * 1024)
            data = self._inflate.decompress(packed, len(buffer))
            if data or not packed:
                buffer[: len(data)] = data
                return len(data)
        return 0


class _Checked(io.RawIOBase):
    """Unpacked bytes, of which there are as many as the archive says, with the CRC-32 that it says."""

    def __init__(self, source: Any, faults: tuple[type[Exception], ...], member: Member, name: str) -> None:
        self._source = source
        self._faults = faults
        self._member = member
        self._name = name
        self._seen = 0
        self._crc = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._source.read(len(buffer))
        except self._faults:
            raise _damaged(self._name) from None
        self._seen += len(data)
        self._crc = zlib.crc32(data, self._crc)
        short = not data and self._seen < self._member.size
        if short or self._seen > self._member.size or (not data and self._crc != self._member.crc):
            raise _damaged(self._name)
        buffer[: len(data)] = data
        return len(data)


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
                yield _entry(stream, name)
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
        raise _damaged(name)
    return count, offset


def _place64(stream: BinaryIO, end: int, name: str) -> tuple[int, int, int, int]:
    if end < 20:
        raise _damaged(name)
    stream.seek(end - 20)
    locator = stream.read(20)
    where = struct.unpack("<Q", locator[8:16])[0]
    if locator[:4] != _LOCATOR or where > end - 76:
        raise _damaged(name)
    stream.seek(where)
    record = stream.read(56)
    if record[:4] != _END64:
        raise _damaged(name)
    count, length, offset = struct.unpack("<QQQ", record[32:56])
    return count, length, offset, where


def _entry(stream: BinaryIO, name: str) -> Member:
    fixed = stream.read(46)
    if len(fixed) < 46 or fixed[:4] != _ENTRY:
        raise _damaged(name)
    flags, method = struct.unpack("<HH", fixed[8:12])
    crc, packed, size, named, extra, remark = struct.unpack("<IIIHHH", fixed[16:34])
    offset = struct.unpack("<I", fixed[42:46])[0]
    title = stream.read(named)
    more = stream.read(extra)
    stream.read(remark)
    size, packed, offset = _wide(more, (size, packed, offset), name)
    return Member(_text(title), method, packed, size, crc, offset, bool(flags & 1))


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
                raise _damaged(name) from None
            return size, packed, offset
        at += 4 + length
    raise _damaged(name)


def _text(title: bytes) -> str:
    """A name: UTF-8, which today's writers use, or else one character a byte."""
    try:
        return title.decode("utf-8")
    except UnicodeDecodeError:
        return title.decode("latin-1")


def _damaged(name: str) -> ImportRefused:
    return ImportRefused(f"{name} is damaged (its parts do not fit together): get the log again")
