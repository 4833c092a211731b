"""Sealing: attempts in, the unsigned receipt out. What is derived here is derived again by every verifier."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from passfloor import __version__
from passfloor.aggregate import TaskCount, nearest, numbers
from passfloor.canonical import canonical
from passfloor.models.plan import Plan, Session
from passfloor.models.receipt import RECEIPT_SCHEMA, Attempt, Environment, ReliabilityReceipt, TaskResult
from passfloor.models.suite import Suite, Task
from passfloor.projection import AttemptView, coordination
from passfloor.receipts import receipt_hash
from passfloor.running.session import Clock

MAX_EMBEDDED = 256 * 1024
"""A suite of at most this many canonical bytes is embedded unless told otherwise."""


def task_result(task: Task, attempts: Sequence[Attempt], rule: str) -> TaskResult:
    """All attempts of a task and what they had in common under ``rule``."""
    views = [
        AttemptView(attempt.receipt.events, attempt.receipt.model_extra or {}, attempt_id=attempt.attempt_id)
        for attempt in attempts
    ]
    shared = coordination(rule, views)
    return TaskResult(
        task_id=task.id,
        task_hash=task.task_hash,
        coordination_hash=shared.hash,
        coordination_identical=shared.identical,
        attempts=list(attempts),
    )


def seal(
    suite: Suite,
    plan: Plan,
    session: Session,
    results: Sequence[TaskResult],
    blobs: Mapping[str, Any],
    *,
    environments: Sequence[Environment],
    embed_suite: bool | None = None,
    clock: Clock = time.time,
) -> ReliabilityReceipt:
    """Put everything together and hash it; signing comes after.

    Args:
        suite: The suite of which the plan's selection was run; the whole is embedded.
        plan: Its plan.
        session: Closed.
        results: One a task, in suite order.
        blobs: Large values moved out of the events.
        environments: Where each stage ran, one a stage.
        embed_suite: Put the suite into the receipt; None: when it is at most 256 KiB.
        clock: Seconds since the epoch.
    """
    figures = numbers(
        (TaskCount.of(attempt.outcome for attempt in result.attempts) for result in results), plan.k
    )
    document: dict[str, Any] = {
        "schema": RECEIPT_SCHEMA,
        "tool": {"name": "passfloor", "version": __version__},
        **plan.model_dump(),
        "suite_version": suite.version,
        "session": session.model_dump(),
        "emitted_at": clock(),
        "pass_at_1": nearest(figures.pass_at_k),
        "pass_caret_k": nearest(figures.pass_hat_k),
        "coordination_ok": all(result.coordination_identical for result in results),
        "counts": figures.counts.model_dump(),
        "environment": [environment.model_dump() for environment in environments],
        "blobs": dict(blobs),
        "task_results": [result.model_dump() for result in results],
    }
    embedded = suite.document()
    if embed_suite or (embed_suite is None and len(canonical(embedded)) <= MAX_EMBEDDED):
        document["suite"] = embedded
    document["receipt_hash"] = receipt_hash(document)
    return ReliabilityReceipt.model_validate(document)
