"""Appending to a chain: one process at a time, many threads, and one sync for those that wait together."""

import fcntl
import os
import shutil
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, Self

from passfloor import chains
from passfloor.canonical import text
from passfloor.errors import EnvironmentFault, UsageError
from passfloor.journal import lines
from passfloor.journal.places import open_file, refused, sync_folder

Flush = Callable[[int], None]
"""Brings what was written to a descriptor to the disk."""

_flush: Flush = getattr(os, "fdatasync", os.fsync)


class _Place(NamedTuple):
    """Where the chain ends: bytes, lines, and the last line's chain value."""

    end: int
    seq: int
    head: bytes


class ChainWriter:
    """The only writer of a chain while it is open. Threads may share it.

    A line that was appended survives the death of the process. One appended with ``sync`` survives the loss
    of power as well; threads that wait for that at the same time share one sync, made by the first of them.

    Attributes:
        torn: how many bytes of an unfinished line were set aside when it was opened.
    """

    def __init__(self, path: Path, descriptor: int, place: _Place, torn: int, flush: Flush) -> None:
        """Take over a descriptor that is locked; made by ``open``."""
        self.torn = torn
        self._path = path
        self._descriptor = descriptor
        self._place = place
        self._flush = flush
        self._settled = 0
        self._refusal: EnvironmentFault | None = None
        self._writing = threading.Lock()
        self._flushing = threading.Lock()

    @classmethod
    def open(
        cls,
        path: Path,
        before: bytes,
        *,
        create: bool,
        visit: lines.Visit = lambda _offset, _body: None,
        flush: Flush = _flush,
    ) -> Self:
        """Lock the file, read it to its end, and set a torn last line aside in ``<name>.torn-<number>``.

        Args:
            path: the file; it is made, empty, where ``create`` is true.
            before: the value of ``chains.start`` that the chain is begun with.
            create: whether it is new.
            visit: called for every line that is there.
            flush: brings a descriptor's file to the disk.

        Raises:
            JournalError: the file is missing or damaged; it is left as it is.
            UsageError: another writer holds it, or it is there and should be new.
            EnvironmentFault: it cannot be read or written.
        """
        made = os.O_CREAT | os.O_EXCL if create else 0
        descriptor = open_file(path, os.O_RDWR | os.O_APPEND | made)
        try:
            _lock(path, descriptor)
            reader = lines.ChainReader(path, before)
            reader.replay(visit)
            if reader.torn:
                _set_aside(path, descriptor, reader.end)
            if create:
                sync_folder(path.parent)
            place = _Place(reader.end, reader.count, reader.head)
            writer = cls(path, descriptor, place, reader.torn, flush)
            # Whoever was killed may have left whole lines that no sync has covered; from now on they count.
            writer._settle(reader.end)
        except BaseException:
            os.close(descriptor)
            raise
        return writer

    def append(self, body: Any, *, sync: bool) -> int:
        """Append one line and return its offset in bytes.

        Args:
            body: JSON.
            sync: return only when it is on the disk.

        Raises:
            EnvironmentFault: the disk is full or failing. Nothing half-written is left behind; after a
                failed sync nothing more is taken.
            JsonError: the body is no JSON; nothing was written.
        """
        content = text(body)
        with self._writing:
            offset = self._write(content)
            end = self._place.end
        if sync:
            self._settle(end)
        return offset

    def close(self) -> None:
        """Let others write; closing again does nothing."""
        with self._writing, self._flushing:
            if self._descriptor < 0:
                return
            # Unlocked by name: a child that was forked a moment ago may hold a copy of the descriptor.
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)
            self._descriptor = -1
            self._refusal = EnvironmentFault(f"{str(self._path)!a} was closed; open it again")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, content: bytes) -> int:
        self._check()
        place = self._place
        head = chains.link(place.head, content)
        data = chains.line(place.seq, head, content)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            self._place = _Place(place.end + len(data), place.seq + 1, head)
        except OSError as error:
            self._cut_back()
            raise refused(self._path, "written", error) from None
        except BaseException:
            # A signal: perhaps before the last byte, perhaps after.
            self._cut_back()
            raise
        return place.end

    def _cut_back(self) -> None:
        try:
            os.ftruncate(self._descriptor, self._place.end)
        except OSError as error:
            self._refusal = refused(self._path, "written", error)

    def _settle(self, end: int) -> None:
        with self._flushing:
            # Those that wait here mostly find that the one before them synced their lines with its own.
            if self._settled >= end:
                return
            self._check()
            reached = self._place.end
            try:
                self._flush(self._descriptor)
            except OSError as error:
                # Not to be tried again: the kernel may have dropped what it could not write, and succeed.
                self._refusal = refused(self._path, "synced", error)
                raise self._refusal from None
            self._settled = reached

    def _check(self) -> None:
        if self._refusal is not None:
            raise EnvironmentFault(*self._refusal.args)


def _lock(path: Path, descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(
            f"{str(path)!a} is being written by another process; wait until it has ended, or stop it"
        ) from None
    except OSError as error:
        raise refused(path, "locked", error) from None


def _set_aside(path: Path, descriptor: int, end: int) -> None:
    names = (path.with_name(f"{path.name}.torn-{number}") for number in count(1))
    place = next(name for name in names if not os.path.lexists(name))
    try:
        with (
            os.fdopen(open_file(path, os.O_RDONLY), "rb") as source,
            os.fdopen(open_file(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as target,
        ):
            source.seek(end)
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
        os.ftruncate(descriptor, end)
    except OSError as error:
        raise refused(path, "mended", error) from None
