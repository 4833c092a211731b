"""Task results on their way into a receipt: written to a file as they come, so that none is held."""

import contextlib
import tempfile
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Self

from passfloor.canonical import canonical, forms, parse
from passfloor.errors import EnvironmentFault
from passfloor.receipts import BETWEEN, Seal

_CHUNK = 1024 * 1024


class Spool:
    """Task results as they stand in a receipt file, in a file that has no name and ends with its process.

    Each is written attempt by attempt: ``add`` for each of its attempts, then ``end``.
    """

    def __init__(self, folder: Path) -> None:
        """Make the file, readable by this user alone, on the disk that ``folder`` is on.

        Raises:
            EnvironmentFault: it cannot be made there.
        """
        self._folder = folder
        try:
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder, buffering=_CHUNK)  # noqa: SIM115
        except OSError as error:
            raise self._refused(error) from None
        self._size = 0
        # Where each task result begins, and where those do whose text is not their RFC 8785 form.
        self._starts = array("q")
        self._differing = set[int]()
        self._within = False

    def add(self, attempt: Mapping[str, Any]) -> int:
        """Write the next attempt of a task result; how many bytes it takes.

        Raises:
            EnvironmentFault: it cannot be written.
            JsonError: it has no RFC 8785 form.
        """
        if not self._within:
            self._write(BETWEEN if self._starts else b"")
            self._starts.append(self._size)
            # The first of a task result's members, by name.
            self._write(b'{"attempts":[')
        exact, line = forms(attempt)
        if line != exact:
            self._differing.add(self._starts[-1])
        self._write(b"," + line if self._within else line)
        self._within = True
        return len(line)

    def end(self, members: Mapping[str, Any]) -> None:
        """Write the other members of the task result; it had an attempt at least. Raises as ``add`` does."""
        self._write(b"]," + canonical(members)[1:])
        self._within = False

    def feed(self, seal: Seal) -> None:
        """Give all task results to the receipt hash.

        Raises:
            EnvironmentFault: the file cannot be read.
        """
        for start, after in zip(self._starts, [*self._starts[1:], self._size + len(BETWEEN)], strict=True):
            end = after - len(BETWEEN)
            if start in self._differing:
                line = b"".join(self._read(start, end))
                seal.add(canonical(parse(line, max_nodes=len(line)).value))
            else:
                seal.add_parts(self._read(start, end))

    def content(self) -> Iterator[bytes]:
        """What was written, in pieces.

        Raises:
            EnvironmentFault: the file cannot be read.
        """
        return self._read(0, self._size)

    def close(self) -> None:
        """Let go of the file, which is gone then."""
        # What was not written by then is not wanted.
        with contextlib.suppress(OSError):
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, data: bytes) -> None:
        try:
            self._file.write(data)
        except OSError as error:
            raise self._refused(error) from None
        self._size += len(data)

    def _read(self, start: int, end: int) -> Iterator[bytes]:
        try:
            self._file.seek(start)
            while start < end:
                piece = self._file.read(min(_CHUNK, end - start))
                start += len(piece)
                yield piece
        except OSError as error:
            raise self._refused(error) from None

    def _refused(self, error: OSError) -> EnvironmentFault:
        return EnvironmentFault(
            f"the receipt cannot be put together in {str(self._folder)!a} ({error.strerror}); "
            "free the disk, then go on with the run"
        )
