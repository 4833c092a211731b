"""A run on disk, from its start or from where it stands, to its receipt; and what the ledger says of it."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from passfloor import receipts
from passfloor.canonical import equal
from passfloor.digests import plan_hash
from passfloor.errors import UsageError
from passfloor.journal.header import RunHeader
from passfloor.journal.ledger import Ledger
from passfloor.journal.resume import differences
from passfloor.journal.run_folder import RunFolder, RunJournal, find_runs, named_run
from passfloor.journal.state import Sealed
from passfloor.models.ledger import RunEnd, RunStage, RunStart
from passfloor.models.plan import Plan, Stage
from passfloor.models.receipt import Environment, ReceiptHead
from passfloor.running.attempts import JournalStore
from passfloor.running.preflight import read_receipt
from passfloor.running.runner import environment
from passfloor.running.sealing import Draft
from passfloor.running.session import Clock, OpenSession, open_session, timestamp


class RecordedRun:
    """A run that this process takes further; no other can while it is open.

    Attributes:
        folder: Its folder.
        session: What attempt ids are made of.
        store: Its attempts.
        environments: Where each stage runs.
    """

    def __init__(self, folder: RunFolder, journal: RunJournal, ledger: Ledger | None, clock: Clock) -> None:
        """Made by ``start`` and ``resume``."""
        self.folder = folder.path
        self._journal = journal
        self._clock = clock
        # A run that was started without a number is in no ledger.
        self._ledger = ledger if folder.header.opening.run_seq is not None else None
        state = journal.state
        plan = folder.header.plan.model_copy(update={"n": state.n})
        self.session = OpenSession(folder.header.run, folder.header.opening, plan, state.stages)
        self.store = JournalStore(folder, journal)
        self.environments: tuple[Environment, ...] = state.environments

    @classmethod
    def start(
        cls,
        runs_dir: Path,
        plan: Plan,
        *,
        suite_version: str,
        seed: int,
        out: Path,
        concurrency: int,
        ledger: Ledger | None,
        where: Environment | None = None,
        challenge: str | None = None,
        precommit_hash: str | None = None,
        clock: Clock = time.time,
    ) -> Self:
        """Begin a run: its line in the ledger first, then its opening, then its folder.

        Args:
            runs_dir: Where the folders of runs are.
            plan: What is run.
            suite_version: Of the suite.
            seed: The coordination seed.
            out: Where the receipt will be written.
            concurrency: How many attempts run side by side.
            ledger: Of the identity that will sign; None: the run gets no number.
            where: What it runs on; None: this machine.
            challenge: What the relying party gave; None where nothing.
            precommit_hash: Of the commitment to the plan; None where there is none.
            clock: Seconds since the epoch.

        Raises:
            JournalError: the ledger is damaged.
            EnvironmentFault: the ledger or the folder cannot be written.
        """

        def enter(run: str, at: str) -> tuple[int, str | None]:
            if ledger is None:
                return 0, None
            line = ledger.start(run, plan_hash(plan), plan.subject, at, suite_hash=plan.suite_hash)
            return line.run_seq, line.prev_receipt_hash

        session = open_session(
            plan, clock=clock, enter=enter, challenge=challenge, precommit_hash=precommit_hash
        )
        header = RunHeader(
            run=session.run,
            suite_version=suite_version,
            plan=plan,
            opening=session.opening,
            seed=seed,
            out=str(out.absolute()),
            environment=where or environment(concurrency),
        )
        folder = RunFolder.create(runs_dir, header)
        return cls(folder, folder.write(), ledger, clock)

    @classmethod
    def resume(
        cls,
        folder: RunFolder,
        *,
        n: int,
        concurrency: int,
        ledger: Ledger | None,
        where: Environment | None = None,
        clock: Clock = time.time,
    ) -> Self:
        """Go on with a run; one that is sealed, and has fewer attempts a task than ``n``, gets a stage more.

        That stage runs on ``where``; None: this machine. It stands in the ledger before anything of it
        happens, where the start of its run does.

        Raises:
            UsageError: another process is running it.
            JournalError: it is damaged, or the ledger is.
            EnvironmentFault: one of them cannot be written.
        """
        journal = folder.write()
        try:
            sealed = journal.state.sealed
            if sealed is not None and n > journal.state.n:
                stage = Stage(
                    n=n,
                    plan_hash=plan_hash(folder.header.plan, n=n),
                    decided_at=max(timestamp(clock()), journal.state.stages[-1].decided_at),
                    after_receipt_hash=sealed.receipt_hash,
                )
                journal.stage(stage, where or environment(concurrency))
            run = cls(folder, journal, ledger, clock)
            run._enter_stage()
        except BaseException:
            journal.close()
            raise
        return run

    @property
    def sealed(self) -> Sealed | None:
        """What was sealed of it; None where it has attempts to come, or was not sealed yet."""
        return self._journal.state.sealed

    def seal(self, receipt: ReceiptHead, out: Path) -> None:
        """Keep that ``receipt`` was made; it can be made again from here on.

        Raises:
            EnvironmentFault: it cannot be written.
        """
        self._journal.sealed(
            receipt.receipt_hash,
            receipt.session.ended_at,
            receipt.emitted_at,
            out=str(out.absolute()),
            suite_embedded=receipt.suite is not None,
        )

    def complete(self, receipt_hash: str) -> None:
        """Enter the receipt in the ledger, unless it stands there already.

        Raises:
            JournalError: the ledger is missing or damaged.
            EnvironmentFault: it cannot be written.
        """
        if self._ledger is None:
            return
        run = self.session.run
        if any(
            isinstance(entry, RunEnd) and (entry.run, entry.receipt_hash) == (run, receipt_hash)
            for entry in self._ledger.entries()
        ):
            return
        self._ledger.end(run, "completed", receipt_hash, timestamp(self._clock()))

    def abort(self) -> None:
        """Enter in the ledger that the run stopped. Raises as ``complete`` does."""
        if self._ledger is not None:
            self._ledger.end(self.session.run, "aborted", None, timestamp(self._clock()))

    def _enter_stage(self) -> None:
        """Enter the stage that is under way, the first excepted, unless it stands there already.

        The journal had it before: a process that dies between the two enters it when it is gone on with.
        """
        stage = self.session.stages[-1]
        if self._ledger is None or self.sealed is not None or stage.after_receipt_hash is None:
            return
        line = RunStage(
            run=self.session.run,
            plan_hash=stage.plan_hash,
            after_receipt_hash=stage.after_receipt_hash,
            at=stage.decided_at,
        )
        known = [entry for entry in self._ledger.entries() if entry.run == line.run]
        # A ledger without the start is of another identity, as where a run is sealed that was brought along.
        if line not in known and any(isinstance(entry, RunStart) for entry in known):
            self._ledger.stage(line)

    @contextlib.contextmanager
    def open(self) -> Iterator[Self]:
        """Let others take it further afterwards."""
        try:
            yield self
        finally:
            self._journal.close()


def check_same(draft: Draft, sealed: Sealed, out: Path) -> None:
    """A run that was sealed before gave the same receipt again.

    Raises:
        UsageError: it came out otherwise; what differs is named where the receipt still stands in its place.
    """
    head = draft.head
    if head.receipt_hash == sealed.receipt_hash:
        return
    places = [out, *([] if sealed.out is None else [Path(sealed.out)])]
    kept = next((found for found in map(read_receipt, places) if found is not None), {})
    names = _differing(head, kept) if kept.get("receipt_hash") == sealed.receipt_hash else []
    raise UsageError(
        f"run {head.session.run} was sealed as {sealed.receipt_hash}, and its journal gives "
        f"{head.receipt_hash} now (differs: {', '.join(names) or 'what a release of passfloor decides'}); "
        f"use the receipt that was written to {sealed.out!a}, or start a new run"
    )


def _differing(head: ReceiptHead, kept: dict[str, Any]) -> list[str]:
    """The members of a receipt of this head, and of the one that was kept, that differ; by name."""
    document = head.document()
    members = {*kept, *document} - receipts.SEAL_MEMBERS - {"task_results"}
    names = [name for name in members if not equal(kept.get(name), document.get(name))]
    with_kept = {**document, "task_results": kept["task_results"]}
    if receipts.receipt_hash(with_kept) != head.receipt_hash:
        names.append("task_results")
    return sorted(names)


def find(
    runs_dir: Path, plan: Plan, *, suite_version: str, seed: int, out: Path, run: str | None
) -> RunFolder | None:
    """The run to go on with: that named, else the newest unfinished of this plan, else its newest finished.

    Args:
        runs_dir: Where the folders of runs are.
        plan: What is asked for.
        suite_version: Of its suite.
        seed: The coordination seed.
        out: Where its receipt is to be written.
        run: The id of a run; None looks for one.

    Returns:
        None where none was named and there is none of this plan.

    Raises:
        UsageError: there is no such run; or what was found differs, which is named: the run of that id, or
            the newest of a suite of this version that writes to the same place.
        JournalError: a run is damaged.
    """
    if run is not None:
        return _fit(named_run(runs_dir, run), plan, seed)
    runs = find_runs(runs_dir)
    same = [folder for folder in runs if not _differences(folder, plan, seed)]
    unfinished = (folder for folder in same if folder.state().sealed is None)
    if (found := next(unfinished, next(iter(same), None))) is not None:
        return _fit(found, plan, seed)
    place = str(out.absolute())
    for folder in runs:
        if (folder.header.suite_version, folder.header.out) == (suite_version, place):
            return _fit(folder, plan, seed)
    return None


def _differences(folder: RunFolder, plan: Plan, seed: int) -> list[str]:
    """What differs besides n."""
    n = folder.header.plan.n
    return differences(folder.header, plan.model_copy(update={"n": n}), seed=seed, n=n, finished=True)


def _fit(folder: RunFolder, plan: Plan, seed: int) -> RunFolder:
    state = folder.state()
    found = differences(folder.header, plan, seed=seed, n=state.n, finished=state.sealed is not None)
    if found:
        raise UsageError(
            f"run {folder.header.run} was begun otherwise: {'; '.join(found)}; "
            "put that back to go on with it, or start a new run without --resume and --run"
        )
    return folder
