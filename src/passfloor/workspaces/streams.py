"""What is kept of a stream: its first bytes or its last, and how many were left out."""

from dataclasses import dataclass

from passfloor.canonical import sha256_hex

STDOUT_CAP = 1024 * 1024
"""Bytes of standard output that are kept, from its start."""

STDERR_CAP = 4 * 1024
"""Bytes of standard error that are kept, from its end."""


@dataclass(frozen=True)
class StreamText:
    """A stream as text.

    Attributes:
        text: The kept bytes as UTF-8, what is not UTF-8 replaced by U+FFFD.
        replaced: SHA-256 in hex of the kept bytes where something was replaced, else None.
        cut: Bytes of the stream that were left out.
    """

    text: str
    replaced: str | None
    cut: int


class Head:
    """Keeps the first ``cap`` bytes fed to it and counts the rest."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._kept = bytearray()
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        self._size += len(chunk)
        self._kept += chunk[: self._cap - len(self._kept)]

    def text(self) -> StreamText:
        """What was kept, as text; a character that the cap cut in two is left out."""
        kept = bytes(self._kept)
        return _as_text(whole_end(kept) if self._size > len(kept) else kept, self._size)


class Tail:
    """Keeps the last ``cap`` bytes fed to it and counts the rest."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._kept = b""
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        self._size += len(chunk)
        self._kept = (self._kept + chunk)[-self._cap :]

    def text(self) -> StreamText:
        """What was kept, as text; a character that the cap cut in two is left out."""
        cut = self._size > len(self._kept)
        return _as_text(_whole_start(self._kept) if cut else self._kept, self._size)


def whole_end(data: bytes) -> bytes:
    """Drop the first part of a UTF-8 sequence at the end of ``data`` whose last part is missing."""
    for back in range(1, min(3, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 != 0x80:
            wanted = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
            return data[:-back] if wanted > back else data
    return data


def _whole_start(data: bytes) -> bytes:
    """Drop the last part of a UTF-8 sequence at the start of ``data`` whose first part is missing."""
    start = 0
    while start < min(3, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:]


def _as_text(kept: bytes, size: int) -> StreamText:
    try:
        return StreamText(kept.decode(), None, size - len(kept))
    except UnicodeDecodeError:
        return StreamText(kept.decode(errors="replace"), sha256_hex(kept), size - len(kept))
