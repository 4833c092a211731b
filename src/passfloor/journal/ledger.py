"""The ledger: lines when a run or a stage starts and when it ends, in one chain over an identity's runs."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from passfloor import chains
from passfloor.errors import JournalError
from passfloor.journal import lines, places
from passfloor.journal.writer import ChainWriter
from passfloor.ledgers import Count, entry_of
from passfloor.models.ledger import (
    LEDGER_CHAIN,
    LedgerEntry,
    LedgerStatus,
    RunEnd,
    RunSeal,
    RunStage,
    RunStart,
)
from passfloor.models.plan import Subject


class Ledger:
    """The ledger at a path; any number of processes may use it at the same time.

    It is only ever added to. A damaged one is an error, never mended, but for a last line that was never
    finished: that one is set aside.
    """

    def __init__(self, path: Path) -> None:
        """Nothing is read or made yet."""
        self._path = path

    def start(
        self, run: str, plan_hash: str, subject: Subject, at: str, *, suite_hash: str | None = None
    ) -> RunStart:
        """Enter the start of a run. The ledger, and its folder, are made where they are missing.

        Args:
            run: its id.
            plan_hash: of its plan.
            subject: the agent under test.
            at: now, as RFC 3339 in UTC with milliseconds.
            suite_hash: of the tasks that are run; None leaves it unsaid.

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
                suite_hash=suite_hash,
            )
            self._append(writer, count, entry)
        return entry

    def stage(self, line: RunStage) -> None:
        """Enter that more attempts of a sealed run begin.

        Raises:
            JournalError: the ledger is missing or damaged, or has no start of the run.
            EnvironmentFault: it cannot be written.
        """
        with self._appending(create=False) as (writer, count):
            self._append(writer, count, line)

    def end(self, run: str, status: LedgerStatus, receipt_hash: str | None, at: str) -> RunEnd:
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

    def seal(self, line: RunSeal) -> None:
        """Enter that a run of elsewhere was sealed here. The ledger is made where it is missing.

        Raises:
            JournalError: the ledger is damaged, or the run started here.
            EnvironmentFault: it cannot be written.
        """
        places.make_folder(self._path.parent)
        with self._appending(create=True) as (writer, count):
            self._append(writer, count, line)

    def entries(self) -> Iterator[LedgerEntry]:
        """The lines in order, each checked before it is given; a ledger that is not there has none.

        Raises:
            JournalError: a line is damaged; names it.
        """
        if not os.path.lexists(self._path):
            return
        count = Count()
        reader = lines.ChainReader(self._path, chains.start(LEDGER_CHAIN))
        for _, body in reader:
            with reader.naming_the_line():
                entry = entry_of(body)
                count.add(entry)
            yield entry

    @contextlib.contextmanager
    def _appending(self, *, create: bool) -> Iterator[tuple[ChainWriter, Count]]:
        count = Count()
        if not create and not os.path.lexists(self._path):
            raise JournalError(
                f"there is no ledger {str(self._path)!a}: no run was started under this identity"
            )
        with _locked(self._path.with_name(f"{self._path.name}.lock")):
            writer = ChainWriter.open(
                self._path,
                chains.start(LEDGER_CHAIN),
                create=create and not os.path.lexists(self._path),
                visit=lambda _offset, body: count.add(entry_of(body)),
            )
            with writer:
                yield writer, count

    def _append(self, writer: ChainWriter, count: Count, entry: LedgerEntry) -> None:
        try:
            count.check(entry)
        except JournalError as error:
            raise JournalError(f"the ledger {str(self._path)!a} refuses a line that {error}") from None
        writer.append(entry.model_dump(), sync=True)


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
