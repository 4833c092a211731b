"""The ledger: one line when a run starts and one when it ends, in one chain over all runs of an identity."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from passfloor.errors import JournalError
from passfloor.journal import lines, places
from passfloor.journal.writer import ChainWriter
from passfloor.models.base import Document, RunId, Timestamp
from passfloor.models.plan import Subject

_CHAIN = "passfloor/ledger/v1"

Status = Literal["completed", "aborted"]


class RunStart(Document):
    """A run started. ``run_seq`` counts from 1; ``prev_receipt_hash`` is of the last run completed before."""

    event: Literal["start"] = "start"
    run: RunId
    run_seq: int = Field(ge=1)
    plan_hash: str
    subject: Subject
    at: Timestamp
    prev_receipt_hash: str | None


class RunEnd(Document):
    """A run ended; it may end again, where it was resumed. ``receipt_hash`` is null where it was aborted."""

    event: Literal["end"] = "end"
    run: RunId
    status: Status
    receipt_hash: str | None
    at: Timestamp


LedgerEntry = RunStart | RunEnd


class _Count:
    """What the lines so far add up to, and what may come next."""

    def __init__(self) -> None:
        self.started: set[str] = set()
        self.last_receipt: str | None = None

    def check(self, entry: LedgerEntry) -> None:
        if isinstance(entry, RunStart):
            if entry.run in self.started:
                raise JournalError(f"starts the run {entry.run}, which has started already")
            if entry.run_seq != len(self.started) + 1:
                raise JournalError(f"says run_seq {entry.run_seq} where {len(self.started) + 1} is due")
            if entry.prev_receipt_hash != self.last_receipt:
                raise JournalError("names another receipt than the last one")
            return
        if entry.run not in self.started:
            raise JournalError(f"ends the run {entry.run}, which never started")
        if (entry.status == "completed") is (entry.receipt_hash is None):
            raise JournalError("needs a receipt_hash where the run was completed, and only there")

    def add(self, entry: LedgerEntry) -> None:
        self.check(entry)
        if isinstance(entry, RunStart):
            self.started.add(entry.run)
        elif entry.receipt_hash is not None:
            self.last_receipt = entry.receipt_hash


class Ledger:
    """The ledger at a path; any number of processes may use it at the same time.

    It is only ever added to. A damaged one is an error, never mended, but for a last line that was never
    finished: that one is set aside.
    """

    def __init__(self, path: Path) -> None:
        """Nothing is read or made yet."""
        self._path = path

    def start(self, run: str, plan_hash: str, subject: Subject, at: str) -> RunStart:
        """Enter the start of a run. The ledger, and its folder, are made where they are missing.

        Args:
            run: its id.
            plan_hash: of its plan.
            subject: the agent under test.
            at: now, as RFC 3339 in UTC with milliseconds.

        Returns:
            The line, with the run's number and the hash of the receipt before it.

        Raises:
            JournalError: the ledger is damaged, or the run is in it.
            EnvironmentFault: it cannot be written.
        """
        places.make_folder(self._path.parent)
        with self._appending(create=True) as (writer, count):
            entry = RunStart(
                run=run,
                run_seq=len(count.started) + 1,
                plan_hash=plan_hash,
                subject=subject,
                at=at,
                prev_receipt_hash=count.last_receipt,
            )
            self._append(writer, count, entry)
        return entry

    def end(self, run: str, status: Status, receipt_hash: str | None, at: str) -> RunEnd:
        """Enter the end of a run.

        Args:
            run: its id.
            status: whether a receipt was made.
            receipt_hash: of that receipt; None where it was aborted.
            at: now, as RFC 3339 in UTC with milliseconds.

        Raises:
            JournalError: the ledger is missing or damaged, or has no start of the run.
            EnvironmentFault: it cannot be written.
        """
        entry = RunEnd(run=run, status=status, receipt_hash=receipt_hash, at=at)
        with self._appending(create=False) as (writer, count):
            self._append(writer, count, entry)
        return entry

    def entries(self) -> Iterator[LedgerEntry]:
        """The lines in order, each checked before it is given; a ledger that is not there has none.

        Raises:
            JournalError: a line is damaged; names it.
        """
        if not os.path.lexists(self._path):
            return
        count = _Count()
        reader = lines.ChainReader(self._path, lines.start(_CHAIN))
        for _, body in reader:
            with reader.naming_the_line():
                entry = _entry(body)
                count.add(entry)
            yield entry

    @contextlib.contextmanager
    def _appending(self, *, create: bool) -> Iterator[tuple[ChainWriter, _Count]]:
        count = _Count()
        if not create and not os.path.lexists(self._path):
            raise JournalError(
                f"there is no ledger {str(self._path)!a}: no run was started under this identity"
            )
        with _locked(self._path.with_name(f"{self._path.name}.lock")):
            writer = ChainWriter.open(
                self._path,
                lines.start(_CHAIN),
                create=create and not os.path.lexists(self._path),
                visit=lambda _offset, body: count.add(_entry(body)),
            )
            with writer:
                yield writer, count

    def _append(self, writer: ChainWriter, count: _Count, entry: LedgerEntry) -> None:
        try:
            count.check(entry)
        except JournalError as error:
            raise JournalError(f"the ledger {str(self._path)!a} refuses a line that {error}") from None
        writer.append(entry.model_dump(), sync=True)


def _entry(body: Any) -> LedgerEntry:
    try:
        match body:
            case {"event": "start"}:
                return RunStart.model_validate(body)
            case {"event": "end"}:
                return RunEnd.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise JournalError(f"has {'.'.join(map(str, first['loc']))!a}: {first['msg']}") from None
    raise JournalError("holds no event of a ledger")


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock file; waits for whoever holds it."""
    descriptor = places.open_file(path, os.O_RDWR | os.O_CREAT)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            raise places.refused(path, "locked", error) from None
        yield
    finally:
        # Unlocked by name: a child that was forked a moment ago may hold a copy of the descriptor.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)
