"""Raw records on disk while a log is read: memory holds where each one stands."""

import contextlib
import tempfile
from array import array
from pathlib import Path
from typing import IO, Self

from passfloor.errors import EnvironmentFault

_BUFFER = 1024 * 1024


class RecordSpool:
    """Texts in a file that has no name and ends with its process; each has a number from 0."""

    def __init__(self, folder: Path | None = None) -> None:
        """Make the file on the disk of ``folder``; None: where the system keeps such files.

        Raises:
            EnvironmentFault: it cannot be made there.
        """
        try:
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder, buffering=_BUFFER)  # noqa: SIM115
        except OSError as error:
            raise _refused(error) from None
        self._elsewhere = False
        self._starts = array("q", [0])
        self._splits = array("q")

    def __len__(self) -> int:
        return len(self._splits)

    def add(self, where: str, text: str) -> int:
        """Keep a record and the words for its place; its number.

        Raises:
            EnvironmentFault: the disk is full or failing.
        """
        place, content = where.encode(errors="surrogatepass"), text.encode(errors="surrogatepass")
        try:
            if self._elsewhere:
                self._file.seek(0, 2)
                self._elsewhere = False
            self._file.write(place)
            self._file.write(content)
        except OSError as error:
            raise _refused(error) from None
        self._splits.append(len(place))
        self._starts.append(self._starts[-1] + len(place) + len(content))
        return len(self._splits) - 1

    def where(self, number: int) -> str:
        """The words for a record's place."""
        return self._read(self._starts[number], self._splits[number])

    def text(self, number: int) -> str:
        """A record's text."""
        start = self._starts[number] + self._splits[number]
        return self._read(start, self._starts[number + 1] - start)

    def size(self, number: int) -> int:
        """How many bytes a record's text takes."""
        return self._starts[number + 1] - self._starts[number] - self._splits[number]

    def close(self) -> None:
        """Let go of the file, which is gone then."""
        with contextlib.suppress(OSError):
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, start: int, size: int) -> str:
        self._elsewhere = True
        try:
            self._file.seek(start)
            return self._file.read(size).decode(errors="surrogatepass")
        except OSError as error:
            raise _refused(error) from None


def _refused(error: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"the records cannot be kept on disk while they are read ({error.strerror}); free the disk, or name "
        "another with TMPDIR"
    )
