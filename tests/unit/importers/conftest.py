"""Logs counted as an import counts them; small zip archives, also such as no standard library writes."""

import struct
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from passfloor.importers.collate import collate
from passfloor.importers.collated import Collated
from passfloor.importers.interface import Asked, Log
from passfloor.importers.spool import RecordSpool

MakeZip = Callable[..., Path]


def _packed(data: bytes, method: int) -> bytes:
    if method == 8:
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        return packer.compress(data) + packer.flush()
    if method == 93:
        zstandard = pytest.importorskip("zstandard")
        half = len(data) // 2
        # Two frames: what a writer that flushes leaves.
        return b"".join(zstandard.ZstdCompressor().compress(part) for part in (data[:half], data[half:]))
    return data


def zip_bytes(
    members: Sequence[tuple[str, bytes]],
    *,
    method: int = 8,
    flags: int = 0,
    size: int | None = None,
    crc: int | None = None,
    local_name: str | None = None,
    zip64: bool = False,
    count: int | None = None,
) -> bytes:
    """An archive; ``size``, ``crc`` and the others are lies about every member."""
    body, table = bytearray(), bytearray()
    for name, data in members:
        packed, title = _packed(data, method), name.encode()
        facts = (zlib.crc32(data) if crc is None else crc, len(packed), len(data) if size is None else size)
        offset = len(body)
        local = title if local_name is None else local_name.encode()
        body += b"PK\x03\x04" + struct.pack("<HHHHH", 45, flags, method, 0, 0)
        body += (
            struct.pack("<IIIHH", facts[0], len(packed), len(data), len(local), 4)
            + local
            + b"\x99\x99\x00\x00"
            + packed
        )
        extra = struct.pack("<HHQQQ", 1, 24, facts[2], facts[1], offset) if zip64 else b""
        if zip64:
            facts, offset = (facts[0], 0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFF
        table += b"PK\x01\x02" + struct.pack("<HHHHHH", 45, 45, flags, method, 0, 0)
        table += struct.pack("<IIIHHHHHII", *facts, len(title), len(extra), 0, 0, 0, 0, offset)
        table += title + extra
    start, end = len(body), len(body) + len(table)
    number = len(members) if count is None else count
    tail = b""
    if zip64:
        tail += b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, number, number, len(table), start)
        tail += b"PK\x06\x07" + struct.pack("<IQI", 0, end, 1)
        tail += b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    else:
        tail += b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, number, number, len(table), start, 0)
    return bytes(body + table) + tail


@pytest.fixture
def make_zip(tmp_path: Path) -> MakeZip:
    """Write an archive and give its path; for the arguments see ``zip_bytes``."""

    def make(members: Sequence[tuple[str, bytes]], name: str = "log.eval", **lies: object) -> Path:
        path = tmp_path / name
        path.write_bytes(zip_bytes(members, **lies))
        return path

    return make


@pytest.fixture
def counted() -> Callable[..., Collated]:
    """Every attempt of a log in its place, where nothing was asked for unless it is given."""

    def count(log: Log, asked: Asked | None = None) -> Collated:
        with RecordSpool() as spool:
            return collate(log, asked or Asked(), spool)

    return count


@pytest.fixture
def counts(counted: Callable[..., Collated]) -> Callable[..., dict[str, tuple[int, int]]]:
    """Of each task how many attempts there are and how many passed."""

    def count(log: Log, asked: Asked | None = None) -> dict[str, tuple[int, int]]:
        return {str(task.name): (task.n, task.count("passed")) for task in counted(log, asked).tasks}

    return count


@pytest.fixture
def codes() -> Callable[[Log], set[str]]:
    """The codes of what an importer noted."""
    return lambda log: {note.code for note in log.notes}
