"""Judging one task result: its attempts' identity, evidence, verdicts and coordination."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from passfloor import blobs
from passfloor.aggregate import TaskCount
from passfloor.canonical import Parsed, canonical, splice
from passfloor.digests import spine_start
from passfloor.grading import Elsewhere, Scorer, ScorerFailed, Verdict, judge
from passfloor.grading.sealed_word import SealedWord
from passfloor.models.receipt import Attempt, ReceiptHead, TaskResult
from passfloor.models.suite import Task
from passfloor.projection import ANSWER, CALL_NOTES, SAMPLE, SAMPLED_KINDS, Act, AttemptView, IdentityField
from passfloor.verification.findings import MOST_ALIKE, Finding
from passfloor.verification.served import Served
from passfloor.verification.steps import coordination, coverage, evidence, identity, recorded, verdicts


@dataclass(frozen=True)
class Bench:
    """What every attempt of a receipt is judged with. ``scorer`` None means the declared assertions.

    ``fields`` are the plan's identity fields, ``texts`` the blobs as recorded events refer to them.
    """

    head: ReceiptHead
    identity: identity.Identity
    shelf: evidence.BlobShelf
    judged: bool
    scorer: Scorer | None
    fields: Sequence[IdentityField]
    texts: recorded.TextShelf


@dataclass
class TaskJudgement:
    """What one task result gave. ``count`` and ``held`` are None where its attempts do not say.

    ``acts`` were compared under the rule ``causal``; ``marks`` of identity fields were counted; ``served`` is
    what providers said, an entry for each attempt with a recorded answer; ``attested`` are the indices of
    the attempts whose verdict is in part the signer's word.
    """

    findings: list[Finding] = field(default_factory=list)
    count: TaskCount | None = None
    held: bool | None = None
    distinct: int = 0
    acts: int = 0
    marks: int = 0
    served: list[Served] = field(default_factory=list)
    attested: list[int] = field(default_factory=list)


class _Encoded(NamedTuple):
    """One attempt's run receipt as it was read, and in canonical bytes: event by event, and whole.

    ``output`` is one digest over all that the model is declared to have sampled, and nothing beside it.
    """

    read: Mapping[str, Any]
    events: Sequence[bytes]
    run_receipt: bytes
    output: bytes


def encode(parsed: Parsed, result: TaskResult | None) -> tuple[bytes, list[_Encoded]]:
    """The task result's RFC 8785 form, built from the forms of its events; each value is encoded once."""
    value: Any = parsed.value
    if result is None:
        return canonical(value, plain=parsed.plain), []
    plain = parsed.ascii_names and parsed.floats == _float_scores(value)
    encoded, attempts = [], []
    for attempt in value["attempts"]:
        read = attempt["receipt"]
        sampled = hashlib.sha256()
        events = [_encode_event(event, sampled.update, plain=plain) for event in read["events"]]
        run_receipt = splice(read, {"events": b"[" + b",".join(events) + b"]"}, plain=plain)
        encoded.append(_Encoded(read, events, run_receipt, sampled.digest()))
        ready = {"receipt": run_receipt, "score": canonical(attempt["score"])}
        attempts.append(splice(attempt, ready, plain=plain))
    return splice(value, {"attempts": b"[" + b",".join(attempts) + b"]"}, plain=plain), encoded


def _encode_event(event: Mapping[str, Any], sampled: Callable[[bytes], object], *, plain: bool) -> bytes:
    """The event's RFC 8785 form; that of a sample of the model's is handed to ``sampled`` as well."""
    kind = event.get("kind")
    if isinstance(kind, str) and kind in SAMPLED_KINDS and SAMPLE in event:
        sample = canonical(event[SAMPLE], plain=plain)
        said = event[SAMPLE]
        if kind == ANSWER and isinstance(said, dict) and not CALL_NOTES.isdisjoint(said):
            sampled(canonical({name: said[name] for name in said.keys() - CALL_NOTES}, plain=plain) + b",")
        else:
            sampled(sample + b",")
        return splice(event, {SAMPLE: sample}, plain=plain)
    return canonical(event, plain=plain)


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
    spine = spine_start(task.task_hash, task.file_hashes)
    for slot, (attempt, forms) in enumerate(zip(result.attempts, encoded, strict=True)):
        spot = f"{path}.attempts[{slot}]"
        add(evidence.check_task(attempt, task, spot))
        add(bench.identity.check_attempt(attempt, task, position, spot))
        add(evidence.check_hash(attempt, forms.run_receipt, task, spot))
        broken = evidence.check_schema(bench.head, attempt, task, bench.shelf, spot)
        add(broken)
        if broken:
            continue
        add(evidence.check_chain(attempt, task, spine, forms.events, bench.shelf, spot))
        acts = _hear(bench, attempt, forms, task, spot, judgement)
        views.append(_view(bench, attempt, forms, acts))
        outputs.add(forms.output)
        derived.append(_derive(bench, attempt, forms.read, task, spot, judgement))
    if views and len(views) == len(result.attempts):
        shared, findings = coordination.check_task(bench.head, result, views, path)
        judgement.held = shared is None or shared.identical
        judgement.acts = 0 if shared is None else shared.acts or 0
        add(findings)
    judgement.distinct = len(outputs)
    judgement.count = _count(bench.head.n, derived) if not short else None
    return judgement


def _view(bench: Bench, attempt: Attempt, forms: _Encoded, acts: Sequence[Act] | None) -> AttemptView:
    receipt = attempt.receipt
    return AttemptView(
        receipt.events,
        receipt.model_extra or {},
        forms.events,
        attempt_id=attempt.attempt_id,
        blobs=bench.shelf.values,
        acts=acts,
    )


def _hear(
    bench: Bench, attempt: Attempt, forms: _Encoded, task: Task, path: str, judgement: TaskJudgement
) -> list[Act] | None:
    """Step 10 over what one attempt recorded of its model calls, where it did; then what it heard and did."""
    if not evidence.is_recorded(bench.head, attempt):
        return None
    hearing = recorded.hear(attempt.receipt.events, forms.events, bench.fields, bench.texts)
    for code, suffix, reason in hearing.faults[:MOST_ALIKE]:
        place = f"{path}.receipt.events{suffix}"
        judgement.findings.append(Finding(10, code, reason, task.id, attempt.index, place))
    judgement.marks += hearing.marks
    if hearing.served:
        answers = {asked: tuple(answered) for asked, answered in hearing.served.items()}
        judgement.served.append(Served(task.id, attempt.index, answers))
    return hearing.acts


def _derive(
    bench: Bench, attempt: Attempt, read: Mapping[str, Any], task: Task, path: str, judgement: TaskJudgement
) -> Verdict | None:
    """Step 12 for one attempt and its run receipt as ``read``; None where nothing here can judge it."""
    word = SealedWord(attempt)
    try:
        verdict = derive(bench, read, task, word)
    except ScorerFailed as error:
        judgement.findings.append(Finding(12, "scorer_failed", str(error), task.id, attempt.index, path))
        return None
    if verdict is not None:
        judgement.findings.extend(verdicts.check(attempt, verdict, task.id, path))
    if word.asked:
        judgement.attested.append(attempt.index)
    return verdict


def derive(bench: Bench, read: Mapping[str, Any], task: Task, elsewhere: Elsewhere) -> Verdict | None:
    """The verdict on a run receipt as it was read; None where nothing here can judge it.

    ``elsewhere`` answers for the assertions that cannot be evaluated from the evidence here.

    Raises:
        ScorerFailed: the caller's own scorer failed.
    """
    head = bench.head
    asked = bench.scorer is not None or head.completion_only or task.assertions
    if not bench.judged or not asked:
        return None
    receipt = dict(read)
    if bench.shelf.values:
        receipt["events"] = blobs.expand(read["events"], bench.shelf.values)
    if bench.scorer is not None:
        # Code of somebody else's: what it changes must not reach the steps that follow.
        receipt = deepcopy(receipt)
    return judge(
        bench.scorer,
        task,
        receipt,
        completion_only=head.completion_only,
        graders=head.graders or None,
        elsewhere=elsewhere,
        removed=bench.shelf.removed,
    )


def _count(n: int, derived: Sequence[Verdict | None]) -> TaskCount | None:
    outcomes = [verdict.outcome for verdict in derived if verdict is not None]
    return TaskCount.of(outcomes) if len(outcomes) == n else None
