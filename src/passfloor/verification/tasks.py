"""Judging one task result: its attempts' identity, evidence, verdicts and coordination."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from passfloor import blobs
from passfloor.aggregate import TaskCount
from passfloor.canonical import Parsed, canonical
from passfloor.digests import splice
from passfloor.grading import Scorer, ScorerFailed, Verdict, judge
from passfloor.models.receipt import Attempt, ReceiptHead, TaskResult
from passfloor.models.suite import Task
from passfloor.projection import SAMPLED_KINDS, AttemptView
from passfloor.verification.findings import Finding
from passfloor.verification.steps import coordination, coverage, evidence, identity, verdicts


@dataclass(frozen=True)
class Bench:
    """What every attempt of a receipt is judged with. ``scorer`` None means the declared assertions."""

    head: ReceiptHead
    identity: identity.Identity
    shelf: evidence.BlobShelf
    judged: bool
    scorer: Scorer | None


@dataclass
class TaskJudgement:
    """What one task result gave. ``count`` and ``held`` are None where its attempts do not say."""

    findings: list[Finding] = field(default_factory=list)
    count: TaskCount | None = None
    held: bool | None = None
    distinct: int = 0


@dataclass(frozen=True)
class _Encoded:
    """One attempt in canonical bytes: event by event, and its whole run receipt."""

    events: Sequence[bytes]
    run_receipt: bytes


def encode(parsed: Parsed, result: TaskResult | None) -> tuple[bytes, list[_Encoded]]:
    """The task result's RFC 8785 form, built from the forms of its events; each value is encoded once."""
    value: Any = parsed.value
    if result is None:
        return canonical(value, plain=parsed.plain), []
    plain = parsed.ascii_names and parsed.floats == _float_scores(value)
    encoded, attempts = [], []
    for attempt in value["attempts"]:
        events = [canonical(event, plain=plain) for event in attempt["receipt"]["events"]]
        ready = b"[" + b",".join(events) + b"]"
        run_receipt = splice(attempt["receipt"], "events", ready, plain=plain)
        encoded.append(_Encoded(events, run_receipt))
        attempts.append(splice(attempt, "receipt", run_receipt, plain=parsed.plain))
    return splice(value, "attempts", b"[" + b",".join(attempts) + b"]", plain=plain), encoded


def _float_scores(value: Any) -> int:
    """How many attempts' scores are fractions: where those are all floats there are, the rest is plain."""
    return sum(isinstance(attempt["score"], float) for attempt in value["attempts"])


def judge_task(
    bench: Bench, result: TaskResult, encoded: Sequence[_Encoded], task: Task, position: int, where: int
) -> TaskJudgement:
    """Steps 8 to 13 over one task result; ``position`` in the suite, ``where`` in the receipt."""
    path = f"task_results[{where}]"
    judgement = TaskJudgement()
    add = judgement.findings.extend
    if result.task_hash != task.task_hash:
        detail = f"claims task_hash {result.task_hash}, the suite's task hashes to {task.task_hash}"
        add([Finding(8, "task", detail, task.id, None, f"{path}.task_hash")])
    short = list(coverage.check_attempts(result, bench.head.n, path))
    add(short)
    views, derived = [], []
    outputs = set()
    for slot, (attempt, forms) in enumerate(zip(result.attempts, encoded, strict=True)):
        spot = f"{path}.attempts[{slot}]"
        add(evidence.check_task(attempt, task, spot))
        add(bench.identity.check_attempt(attempt, task, position, spot))
        add(evidence.check_hash(attempt, forms.run_receipt, task, spot))
        broken = evidence.check_schema(bench.head, attempt, task, spot)
        add(broken)
        if broken:
            continue
        add(evidence.check_chain(attempt, task, forms.events, bench.shelf, spot))
        views.append(AttemptView(attempt.receipt.events, attempt.receipt.model_extra or {}, forms.events))
        outputs.add(_output(attempt.receipt.events, forms.events))
        derived.append(_derive(bench, attempt, task, spot, judgement))
    if views and len(views) == len(result.attempts):
        judgement.held, findings = coordination.check_task(bench.head, result, views, path)
        add(findings)
    judgement.distinct = len(outputs)
    judgement.count = _count(bench.head.n, derived) if not short else None
    return judgement


def _derive(
    bench: Bench, attempt: Attempt, task: Task, path: str, judgement: TaskJudgement
) -> Verdict | None:
    """Step 12 for one attempt."""
    if not bench.judged:
        return None
    receipt: dict[str, Any] = attempt.receipt.model_dump()
    receipt["events"] = blobs.expand(attempt.receipt.events, bench.shelf.values)
    head = bench.head
    try:
        verdict = judge(
            bench.scorer, task, receipt, completion_only=head.completion_only, graders=head.graders or None
        )
    except ScorerFailed as error:
        judgement.findings.append(Finding(12, "scorer_failed", str(error), task.id, attempt.index, path))
        return None
    judgement.findings.extend(verdicts.check(attempt, verdict, task.id, path))
    return verdict


def _count(n: int, derived: Sequence[Verdict | None]) -> TaskCount | None:
    outcomes = [verdict.outcome for verdict in derived if verdict is not None]
    return TaskCount.of(outcomes) if len(outcomes) == n else None


def _output(events: Sequence[Mapping[str, Any]], encoded: Sequence[bytes]) -> bytes:
    """One digest over all that the model is declared to have sampled in an attempt."""
    sampled = hashlib.sha256()
    for event, form in zip(events, encoded, strict=True):
        if event["kind"] in SAMPLED_KINDS:
            sampled.update(form)
    return sampled.digest()
