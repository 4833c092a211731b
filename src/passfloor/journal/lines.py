r"""Hash-chained JSON lines: each line vouches for itself and for all before it.

A line is ``{"body":B,"chain":"<hex>","seq":i}`` and a line feed, in exactly this spelling; B is JSON on one
line and i counts from 0. Its chain value is SHA-256(value before || SHA-256(bytes of B)), the values as raw
32 bytes; the value before line 0 is that of ``start``. Nobody signs it: the chain finds damage and clumsy
edits, not somebody who computes it anew.

A process that dies leaves at most one line unfinished, the last. Such a line is *torn*: it never counted, and
is set aside. Any other line that is wrong is an error.
"""

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from passfloor.canonical import parse
from passfloor.errors import JournalError, JsonError
from passfloor.journal.places import open_file, refused

Visit = Callable[[int, Any], None]
"""Called with a line's offset in bytes and its body."""

_LINE = re.compile(rb'\{"body":(.*),"chain":"([0-9a-f]{64})","seq":(0|[1-9][0-9]{0,15})\}', re.DOTALL)


def start(*names: str) -> bytes:
    """The value before line 0: SHA-256 over what the chain is of, parts joined by one zero byte."""
    return hashlib.sha256("\0".join(names).encode()).digest()


def link(before: bytes, body: bytes) -> bytes:
    """The chain value of a line with this body after the value ``before``."""
    return hashlib.sha256(before + hashlib.sha256(body).digest()).digest()


def line(seq: int, chain: bytes, body: bytes) -> bytes:
    """The bytes of a line."""
    return b'{"body":%b,"chain":"%b","seq":%d}\n' % (body, chain.hex().encode(), seq)


class ChainReader:
    """Reads a chain once, line by line, holding one line at a time.

    Attributes:
        path: the file.
        count: lines read so far.
        end: bytes read so far, whole lines only.
        head: chain value of the last line read.
        torn: after the last line: how many bytes of an unfinished line stand behind it.
    """

    def __init__(self, path: Path, before: bytes) -> None:
        """Read nothing yet. ``before`` is the value of ``start`` that the chain was begun with."""
        self.path = path
        self.count = 0
        self.end = 0
        self.head = before
        self.torn = 0

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        """Each line's offset in bytes and its body.

        Raises:
            JournalError: a line other than a torn last one is wrong, or there is no such file.
            EnvironmentFault: the file cannot be read.
        """
        with os.fdopen(open_file(self.path, os.O_RDONLY), "rb") as file:
            try:
                for data in iter(file.readline, b""):
                    offset = self.end
                    body = self._take(data, is_last=not file.peek(1))
                    if body is None:
                        self.torn = len(data)
                        return
                    yield offset, _parsed(self.path, self.count, body)
            except OSError as error:
                raise refused(self.path, "read", error) from None

    def replay(self, visit: Visit) -> None:
        """Read to the end, calling ``visit`` for each line; what it refuses is refused naming the line."""
        for offset, body in self:
            with self.naming_the_line():
                visit(offset, body)

    @contextlib.contextmanager
    def naming_the_line(self) -> Iterator[None]:
        """A JournalError raised inside is raised as one about the line read last."""
        try:
            yield
        except JournalError as error:
            raise _fault(self.path, self.count, str(error)) from None

    def _take(self, data: bytes, *, is_last: bool) -> bytes | None:
        """The body of the next line, as bytes, or None where it is torn."""
        number = self.count + 1
        if not data.endswith(b"\n"):
            return None
        found = _LINE.fullmatch(data, 0, len(data) - 1)
        if found is None:
            # Ended by a line feed all the same: an unsynced line after a loss of power.
            if is_last:
                return None
            raise _fault(self.path, number, "is not a line of a chain")
        body, chain, seq = bytes(found[1]), found[2], found[3]
        if int(seq) != self.count:
            raise _fault(self.path, number, f"says seq {int(seq)} where {self.count} is due")
        head = link(self.head, body)
        if head.hex().encode() != chain:
            # Nor does a line that was written hold a zero byte; a block that never reached the disk does.
            if is_last and b"\0" in body:
                return None
            raise _fault(self.path, number, "does not follow: its content or what stands before was changed")
        self.count, self.end, self.head = number, self.end + len(data), head
        return body


def read_line(path: Path, offset: int) -> Any:
    """The body of the line at ``offset``, as ``ChainReader`` gave it; the chain is not looked at again.

    Raises:
        JournalError: no line stands there.
    """
    with os.fdopen(open_file(path, os.O_RDONLY), "rb") as file:
        try:
            file.seek(offset)
            data = file.readline()
        except OSError as error:
            raise refused(path, "read", error) from None
    found = _LINE.fullmatch(data.removesuffix(b"\n"))
    if found is None:
        raise JournalError(
            f"{str(path)!a} was changed while in use: no line at byte {offset}; start a new run"
        )
    return _parsed(path, int(found[3]) + 1, found[1])


def _parsed(path: Path, number: int, body: bytes) -> Any:
    try:
        # No limit: what is written must be readable, and a line was built in memory before.
        return parse(body, max_nodes=len(body) + 1).value
    except JsonError as error:
        raise _fault(path, number, f"holds no JSON: {error}") from None


def _fault(path: Path, number: int, what: str) -> JournalError:
    return JournalError(
        f"{str(path)!a} line {number} {what}; restore the file from a copy, or set it aside and start anew"
    )
