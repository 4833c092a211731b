"""A run whose attempts are all there, sealed by somebody who did not make them."""

import time
from collections.abc import Iterator
from datetime import datetime

from passfloor.errors import UsageError
from passfloor.journal.ledger import Ledger
from passfloor.journal.run_folder import RunFolder
from passfloor.journal.state import RunState
from passfloor.models.ledger import RunEnd, RunSeal
from passfloor.models.plan import Interrupted
from passfloor.models.receipt import ReceiptHead
from passfloor.models.suite import Suite
from passfloor.running.recorded import RecordedRun
from passfloor.running.runner import SealedBefore
from passfloor.running.sealing import Draft, Frame, Witness, draft
from passfloor.running.selection import part
from passfloor.running.session import Clock, timestamp


def require_finished(folder: RunFolder, state: RunState, suite: Suite) -> None:
    """Refuse a run that cannot be sealed under ``suite``.

    Raises:
        UsageError: it was run with another suite, or attempts are missing.
    """
    header = folder.header
    chosen = part(suite, header.plan.selection)
    whole = header.plan.selection.of if header.plan.selection is not None else header.plan.suite_hash
    if suite.suite_hash != whole or chosen.suite_hash != header.plan.suite_hash:
        raise UsageError(
            f"the suite {suite.version!a} has the hash {suite.suite_hash}, and the run {header.run} was made "
            f"with {whole}; name the suite that was run with --suite"
        )
    if suite.version != header.suite_version:
        raise UsageError(
            f"the suite is called {suite.version!a}, and the run {header.run} was made with "
            f"{header.suite_version!a}; name the suite that was run with --suite"
        )
    total = len(chosen.tasks) * state.n
    done = sum((task.id, index) in state.finished for task in chosen.tasks for index in range(state.n))
    if done != total or len(state.finished) != total:
        raise UsageError(
            f"the run {header.run} has {done} of {total} attempts: finish it where it was begun, with "
            "bench run --no-seal --resume, and copy it again"
        )


def draft_finished(
    run: RecordedRun,
    suite: Suite,
    *,
    embed_suite: bool | None,
    ended_at: str | None = None,
    before: SealedBefore | None = None,
    clock: Clock = time.time,
    witness: Witness | None = None,
) -> Draft:
    """The unsigned receipt of a finished run, derived from its journal alone.

    Args:
        run: All of its attempts are there.
        suite: With which it was made.
        embed_suite: Put the suite into the receipt; None: when it is at most 256 KiB.
        ended_at: When it ended; None: now.
        before: With it, as it was sealed before.
        clock: Seconds since the epoch.
        witness: Is shown every attempt.

    Raises:
        EnvironmentFault: the disk is full or failing.
    """
    plan = run.session.plan
    tasks = part(suite, plan.selection).tasks
    ended = before.ended_at if before is not None else ended_at or timestamp(clock())
    # A run does not end before its last stage, nor is it sealed before it ended, whatever the clocks say.
    ended = max(ended, run.session.stages[-1].decided_at)
    emitted = before.emitted_at if before is not None else max(clock(), _seconds(ended))
    frame = Frame(suite, plan, run.environments, embed_suite, lambda: emitted)
    return draft(
        frame,
        tasks,
        lambda task, index: run.store.read((task.id, index)),
        lambda: run.session.close(emitted, ended_at=ended, interrupted=list(_interrupted(run, suite))),
        folder=run.folder,
        witness=witness,
    )


def was_sealed_here(ledger: Ledger, run: str, receipt_hash: str) -> bool:
    """Whether the ledger says that the run was sealed as that receipt.

    What a journal says of a seal is the word of whoever had the journal, and so would be the time in it.

    Raises:
        JournalError: the ledger is damaged.
    """
    return any(
        isinstance(entry, RunEnd | RunSeal) and (entry.run, entry.receipt_hash) == (run, receipt_hash)
        for entry in ledger.entries()
    )


def seal_line(run: RecordedRun, receipt: ReceiptHead, at: float) -> RunSeal:
    """The line of a ledger that has no start of the run; ``at``: now, in seconds since the epoch."""
    opening = run.session.opening
    return RunSeal(
        run=run.session.run,
        run_seq=opening.run_seq,
        plan_hash=run.session.stages[0].plan_hash,
        subject=run.session.plan.subject,
        at=opening.started_at,
        prev_receipt_hash=opening.prev_receipt_hash,
        suite_hash=run.session.plan.suite_hash,
        receipt_hash=receipt.receipt_hash,
        sealed_at=timestamp(at),
    )


def _interrupted(run: RecordedRun, suite: Suite) -> Iterator[Interrupted]:
    """Attempts begun more than once, in plan order."""
    starts, plan = run.store.interrupted(), run.session.plan
    for task in part(suite, plan.selection).tasks:
        for index in range(plan.n):
            if (task.id, index) in starts:
                yield Interrupted(task_id=task.id, index=index, starts=starts[task.id, index])


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
