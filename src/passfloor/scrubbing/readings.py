"""Other ways to read the same bytes, each with the way back to where they stand.

A secret reaches an output percent-encoded (RFC 3986 section 2.1), inside the string of a JSON text (RFC 8259
section 7), or wrapped into rows. There are too many spellings to list: which characters are escaped differs
from encoder to encoder. So the text is decoded instead, and what is found is replaced where it came from.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property

_ESCAPE_DEPTH = 2
"""Escapes inside escapes that are followed: an address inside a JSON text, JSON inside JSON."""

_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
_BACKSLASH = re.compile(
    rb"\\(?:u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}"
    rb"|[\"'\\/bfnrt])"
)
# Not the blanks before a line end: a long run of them without one would be looked at again from each of them.
_LINE_END = re.compile(rb"[\r\n][ \t\r\n]*")
_LETTERS = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}


_Read = Callable[["re.Match[bytes]"], bytes]


class Reading:
    """Bytes as they read after decoding.

    Attributes:
        data: What is read.
        joined: Line ends and the blanks after them were left out.
    """

    def __init__(self, data: bytes, origin: "tuple[Reading, re.Pattern[bytes], _Read] | None" = None) -> None:
        """Keep what was read, and how: from which reading, which tokens were replaced, and by what."""
        self.data = data
        self.joined = origin is not None and origin[1] is _LINE_END
        self._origin = origin

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the bytes ``start`` to ``end`` (exclusive, not empty) come from in the first reading."""
        if self._origin is None:
            return start, end
        starts, origins = self._pieces
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
        begin = origins[first] if first % 2 else origins[first] + start - starts[first]
        stop = origins[last + 1] if last % 2 else origins[last] + end - starts[last]
        return self._origin[0].span(begin, stop)

    @cached_property
    def _pieces(self) -> tuple[list[int], list[int]]:
        """Where the pieces start here and in the origin: by turns copied (perhaps empty) and decoded."""
        starts, origins = [0], [0]
        at = done = 0
        if self._origin is not None:
            reading, tokens, read = self._origin
            for token in tokens.finditer(reading.data):
                size = len(read(token))
                at += token.start() - done
                done = token.end()
                starts += at, at + size
                origins += token.start(), done
                at += size
        return starts, origins


def readings(data: bytes) -> Iterator[Reading]:
    """The bytes as they are, decoded in every order up to a depth, and each of these with lines joined."""
    level, seen = [Reading(data)], {data}
    for depth in range(_ESCAPE_DEPTH + 1):
        for reading in level:
            yield reading
            whole = Reading(joined(reading.data), (reading, _LINE_END, lambda _token: b""))
            if whole.data not in seen:
                seen.add(whole.data)
                yield whole
        if depth < _ESCAPE_DEPTH:
            level = [fresh for reading in level for fresh in _decoded(reading, seen)]


def joined(data: bytes) -> bytes:
    """The bytes without line ends and the blanks after them."""
    return _LINE_END.sub(b"", data)


def unescaped(data: bytes) -> Iterator[bytes]:
    """The bytes with percent signs, and with backslashes, decoded once; nothing where there are none."""
    for reading in _decoded(Reading(data), {data}):
        yield reading.data


def _decoded(reading: Reading, seen: set[bytes]) -> Iterator[Reading]:
    for mark, tokens, read in ((b"\\", _BACKSLASH, _character), (b"%", _PERCENT, _octet)):
        if mark in reading.data:
            data = tokens.sub(read, reading.data)
            if data not in seen:
                seen.add(data)
                yield Reading(data, (reading, tokens, read))


def _octet(token: "re.Match[bytes]") -> bytes:
    return bytes.fromhex(token.group(1).decode())


def _character(token: "re.Match[bytes]") -> bytes:
    escape = token.group()[1:]
    if escape[:1] == b"x" and len(escape) == 3:
        return bytes.fromhex(escape[1:].decode())
    if escape[:1] != b"u":
        return _LETTERS.get(escape, escape)
    code = int(escape[1:5], 16)
    if len(escape) > 5:
        code = 0x10000 + ((code - 0xD800) << 10) + int(escape[7:], 16) - 0xDC00
    return chr(code).encode(errors="surrogatepass")
