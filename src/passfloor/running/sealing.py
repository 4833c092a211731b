"""Sealing: attempts in, the unsigned receipt out. What is derived here is derived again by every verifier."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from passfloor import __version__
from passfloor.aggregate import Numbers, TaskCount, nearest, numbers
from passfloor.canonical import canonical
from passfloor.models.plan import Plan, Session
from passfloor.models.receipt import (
    RECEIPT_SCHEMA,
    Attempt,
    Environment,
    ReceiptHead,
    ReliabilityReceipt,
    TaskResult,
)
from passfloor.models.suite import Suite, Task
from passfloor.projection import AttemptView, Coordination, coordination
from passfloor.receipts import CLOSING, Seal, opening, receipt_hash
from passfloor.running.attempts import FinishedAttempt
from passfloor.running.session import Clock
from passfloor.running.spool import Spool

MAX_EMBEDDED = 256 * 1024
"""A suite of at most this many canonical bytes is embedded unless told otherwise."""

UNRECORDED = "unrecorded"
"""The rule of evidence whose coordination nobody recorded: it claims nothing."""

_MOST_HELD = 256 * 1024
"""Attempts of one task are read once where they take at most so many bytes, else again to be compared."""

Read = Callable[[Task, int], FinishedAttempt]
"""Gives a task's attempt of that index."""

Close = Callable[[], Session]
"""Ends the session, once every attempt has been read."""


@dataclass(frozen=True)
class Frame:
    """What a receipt holds beside what its attempts give.

    Attributes:
        suite: The suite of which the plan's selection was run; the whole is embedded.
        plan: Its plan.
        environments: Where each stage ran, one a stage.
        embed_suite: Put the suite into the receipt; None: when it is at most 256 KiB.
        clock: Seconds since the epoch.
    """

    suite: Suite
    plan: Plan
    environments: Sequence[Environment]
    embed_suite: bool | None = None
    clock: Clock = time.time

    def head(
        self, session: Session, figures: Numbers, blobs: Mapping[str, Any], *, held: bool | None
    ) -> dict[str, Any]:
        """Every member but the task results and the hash.

        Args:
            session: Closed.
            figures: Of all attempts.
            blobs: Large values moved out of the events.
            held: Whether coordination was held fixed in every task; None where it was not recorded.
        """
        document: dict[str, Any] = {
            "schema": RECEIPT_SCHEMA,
            "tool": {"name": "passfloor", "version": __version__},
            **self.plan.model_dump(),
            "suite_version": self.suite.version,
            "session": session.model_dump(),
            "emitted_at": self.clock(),
            "pass_at_1": nearest(figures.pass_at_k),
            "pass_caret_k": nearest(figures.pass_hat_k),
            "coordination_ok": held,
            "counts": figures.counts.model_dump(),
            "environment": [environment.model_dump() for environment in self.environments],
            "blobs": dict(blobs),
        }
        embedded = self.suite.document()
        if self.embed_suite or (self.embed_suite is None and len(canonical(embedded)) <= MAX_EMBEDDED):
            document["suite"] = embedded
        return document


class Witness(Protocol):
    """Is shown what is sealed, for whoever tells of it."""

    def attempt(self, attempt: Attempt) -> None:
        """The next attempt, in plan order."""
        ...

    def task(self, task_id: str, shared: Coordination | None) -> None:
        """The task of the attempts since the one before, and what they had in common; None: unrecorded."""
        ...


class Draft:
    """A receipt that is hashed and not yet signed; its task results are on disk until it is closed.

    Attributes:
        head: Every member but the task results.
    """

    def __init__(self, head: ReceiptHead, spool: Spool) -> None:
        """Made by ``draft``."""
        self.head = head
        self._spool = spool

    def file(self, head: ReceiptHead) -> Iterator[bytes]:
        """The receipt file in pieces, under a ``head`` that differs from the draft's in its signature."""
        yield from opening(head.document())
        yield from self._spool.content()
        yield CLOSING

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._spool.close()


def seal(frame: Frame, tasks: Sequence[Task], read: Read, close: Close) -> ReliabilityReceipt:
    """Put everything together and hash it; signing comes after.

    Args:
        frame: What does not come of the attempts.
        tasks: Those that were run, in suite order.
        read: Gives attempts.
        close: Ends the session.
    """
    results: list[TaskResult] = []
    blobs: dict[str, Any] = {}
    for task in tasks:
        found = [read(task, index) for index in range(frame.plan.n)]
        for finished in found:
            blobs.update(finished.blobs)
        attempts = [each.attempt for each in found]
        results.append(task_result(task, attempts, frame.plan.coordination_rule, blobs))
    counts = (TaskCount.of(attempt.outcome for attempt in result.attempts) for result in results)
    figures = numbers(counts, frame.plan.k)
    held = _held(frame.plan, all(result.coordination_identical for result in results))
    document = frame.head(close(), figures, blobs, held=held)
    document["task_results"] = [result.model_dump() for result in results]
    document["receipt_hash"] = receipt_hash(document)
    return ReliabilityReceipt.model_validate(document)


def task_result(
    task: Task, attempts: Sequence[Attempt], rule: str, blobs: Mapping[str, Any] | None = None
) -> TaskResult:
    """All attempts of a task and what they had in common under ``rule``; ``blobs`` are what they refer to."""
    shared = _shared(rule, [_view(attempt, blobs or {}) for attempt in attempts])
    return TaskResult(**_members(task, shared), attempts=list(attempts))


def draft(
    frame: Frame,
    tasks: Sequence[Task],
    read: Read,
    close: Close,
    *,
    folder: Path,
    witness: Witness | None = None,
) -> Draft:
    """The same receipt as ``seal`` makes, holding one attempt at a time (and all blobs).

    Args:
        frame: What does not come of the attempts.
        tasks: Those that were run, in suite order.
        read: Gives attempts; is asked twice for those of a task that are large together.
        close: Ends the session.
        folder: On whose disk the task results wait.
        witness: Is shown every attempt.

    Raises:
        EnvironmentFault: the disk is full or failing.
    """
    spool = Spool(folder)
    try:
        writer = _Writer(frame.plan, read, spool, witness)
        figures = numbers((writer.task(task) for task in tasks), frame.plan.k)
        document = frame.head(close(), figures, writer.blobs, held=_held(frame.plan, writer.held))
        hashed = Seal(document)
        spool.feed(hashed)
        head = ReceiptHead.model_validate({**document, "receipt_hash": hashed.hex()})
    except BaseException:
        spool.close()
        raise
    return Draft(head, spool)


class _Writer:
    """Writes task results into a spool and keeps what they add up to."""

    def __init__(self, plan: Plan, read: Read, spool: Spool, witness: Witness | None) -> None:
        self.blobs: dict[str, Any] = {}
        self.held = True
        self._plan = plan
        self._read = read
        self._spool = spool
        self._witness = witness

    def task(self, task: Task) -> TaskCount:
        views = _Views(lambda index: self._read(task, index).attempt, self.blobs)
        count = TaskCount.of(self._attempt(task, index, views) for index in range(self._plan.n))
        shared = _shared(self._plan.coordination_rule, views)
        self.held &= shared is None or shared.identical
        self._spool.end(_members(task, shared))
        if self._witness is not None:
            self._witness.task(task.id, shared)
        return count

    def _attempt(self, task: Task, index: int, views: "_Views") -> str:
        finished = self._read(task, index)
        self.blobs.update(finished.blobs)
        attempt = finished.attempt
        views.append(attempt, self._spool.add(attempt.model_dump()))
        if self._witness is not None:
            self._witness.attempt(attempt)
        return attempt.outcome


class _Views(Sequence[AttemptView]):
    """What is compared of a task's attempts; past so many bytes they are read again when asked for."""

    def __init__(self, read: Callable[[int], Attempt], blobs: Mapping[str, Any]) -> None:
        self._read = read
        self._blobs = blobs
        self._held: list[AttemptView] = []
        self._size = self._bytes = 0

    def append(self, attempt: Attempt, size: int) -> None:
        self._bytes += size
        self._size += 1
        if self._bytes <= _MOST_HELD:
            self._held.append(_view(attempt, self._blobs))

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: Any) -> Any:
        if index < len(self._held):
            return self._held[index]
        if index >= self._size:
            raise IndexError
        return _view(self._read(index), self._blobs)


def _view(attempt: Attempt, blobs: Mapping[str, Any]) -> AttemptView:
    receipt = attempt.receipt
    return AttemptView(receipt.events, receipt.model_extra or {}, attempt_id=attempt.attempt_id, blobs=blobs)


def _shared(rule: str, views: Sequence[AttemptView]) -> Coordination | None:
    """What a task's attempts have in common; None where nothing was recorded, so that nothing is claimed."""
    return None if rule == UNRECORDED else coordination(rule, views)


def _held(plan: Plan, held: bool) -> bool | None:
    return None if plan.coordination_rule == UNRECORDED else held


def _members(task: Task, shared: Coordination | None) -> dict[str, Any]:
    """Those of a task result beside its attempts."""
    return {
        "task_id": task.id,
        "task_hash": task.task_hash,
        "coordination_hash": None if shared is None else shared.hash,
        "coordination_identical": None if shared is None else shared.identical,
    }
