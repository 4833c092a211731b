"""Files of hash-chained lines: read from the start, or one line by its place."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from passfloor import chains
from passfloor.canonical import parse
from passfloor.errors import JournalError, JsonError
from passfloor.journal.places import open_file, refused

Visit = Callable[[int, Any], None]
"""Called with a line's offset in bytes and its body."""


class ChainReader:
    """Reads a chain once, line by line, holding one line at a time.

    Attributes:
        path: the file.
        end: bytes read so far, whole lines only.
        torn: after the last line: how many bytes of an unfinished line stand behind it.
    """

    def __init__(self, path: Path, before: bytes) -> None:
        """Read nothing yet. ``before`` is the value of ``start`` that the chain was begun with."""
        self.path = path
        self.end = 0
        self.torn = 0
        self._chain = chains.Chain(before)

    @property
    def count(self) -> int:
        """Lines read so far."""
        return self._chain.count

    @property
    def head(self) -> bytes:
        """Chain value of the last line read."""
        return self._chain.head

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
        try:
            body = self._chain.take(data, is_last=is_last)
        except JournalError as error:
            raise _fault(self.path, self.count + 1, str(error)) from None
        if body is not None:
            self.end += len(data)
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
    found = chains.LINE.fullmatch(data.removesuffix(b"\n"))
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
