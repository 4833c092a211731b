"""Members of a zip archive, unpacked as they are read and held to what the table of contents says of them."""

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

from passfloor.errors import ImportRefused
from passfloor.importers import files
from passfloor.importers.archives.contents import LOCAL, Member, damaged, named

MAX_MEMBER = 8 * 1024**3
"""Most bytes of one member, unpacked."""

MAX_RATIO = 1000
"""Most bytes that one packed byte may unpack to, past the first 16 MiB of a member."""

_SPARED = 16 * 1024 * 1024
_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93


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
        if len(header) < 30 or header[:4] != LOCAL:
            raise damaged(name)
        length, extra = struct.unpack("<HH", header[26:30])
        if named(stream.read(length)) != member.name:
            raise damaged(name)
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
            raise damaged(self._name) from None
        self._seen += len(data)
        self._crc = zlib.crc32(data, self._crc)
        short = not data and self._seen < self._member.size
        if short or self._seen > self._member.size or (not data and self._crc != self._member.crc):
            raise damaged(self._name)
        buffer[: len(data)] = data
        return len(data)
