"""From records to the envelope: every number and sentence of a report, derived once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from passfloor import stats
from passfloor.aggregate import Numbers, TaskCount, numbers
from passfloor.errors import UsageError
from passfloor.models.receipt import ReceiptHead
from passfloor.report.envelope import words
from passfloor.report.envelope.likeness import drift, measures
from passfloor.report.envelope.model import CurvePoint, Envelope, IfPassed, Kind, Source, TaskRow, WhoChecks
from passfloor.report.envelope.records import Collected, TaskRecord
from passfloor.report.imported import importer_of, rule_of
from passfloor.report.recorded import vouched_sentence
from passfloor.report.rejection import deciding
from passfloor.stats import assumed, curves, intervals
from passfloor.verification.result import Verification


@dataclass(frozen=True)
class Reading:
    """How a report is to read the attempts.

    Attributes:
        k: Draw size, 1 to n; None: that of the plan.
        who_checks: Who looks at an attempt before it takes effect.
        picker: What that is called; empty where it has no name.
    """

    k: int | None = None
    who_checks: WhoChecks = "nobody"
    picker: str = ""


def of_receipt(verification: Verification, collected: Collected, reading: Reading, name: str) -> Envelope:
    """The envelope of a receipt that was just judged.

    Args:
        verification: What was found.
        collected: What its observer collected.
        reading: How to read it.
        name: The file, for people.

    Raises:
        UsageError: k is above n, or the receipt does not hold n attempts of every task.
    """
    head = verification.head
    if head is None or not whole(verification, collected):
        raise UsageError(f"{name!a} does not hold n attempts of every task: see bench reliability-verify")
    distinct = verification.distinct_outputs
    alike = head.n > 1 and importer_of(head) is None and all(number == 1 for _, number, _ in distinct)
    return _derive(
        _source_of(verification, head, name),
        collected,
        head.n,
        reading,
        head.k if reading.k is None else reading.k,
        _Beside(alike, head.subject.adapter, len(head.session.interrupted)),
    )


def whole(verification: Verification, collected: Collected) -> bool:
    """Whether there are n attempts of every task that was to be run, so that there is something to report."""
    head = verification.head
    if head is None:
        return False
    due = verification.suite_tasks if head.selection is None else len(head.selection.tasks)
    tasks = collected.tasks
    return len(tasks) == due > 0 and all(len(task.attempts) == head.n >= 1 for task in tasks)


def of_rows(tasks: Sequence[TaskRecord], reading: Reading, name: str) -> Envelope:
    """The envelope of bare rows, each task with the same n. ``reading`` names k.

    Raises:
        UsageError: k is not named or above n.
    """
    if reading.k is None:
        raise UsageError("rows fix no k: name it with -k K")
    n = len(tasks[0].attempts)
    return _derive(Source("rows", name), Collected(list(tasks)), n, reading, reading.k, _Beside())


@dataclass(frozen=True)
class _Beside:
    """What only a receipt knows."""

    identical_outputs: bool = False
    adapter: str = ""
    interrupted: int = 0


def _derive(
    source: Source, collected: Collected, n: int, reading: Reading, k: int, beside: _Beside
) -> Envelope:
    tasks = sorted(collected.tasks, key=lambda task: task.position)
    pairs = [(n, task.count("passed")) for task in tasks]
    figures = numbers((_count(task) for task in tasks), k)
    curve = _curve(pairs, [task.cluster for task in tasks])
    at, rows = curve[k - 1], tuple(_row(task, k) for task in tasks)
    piles = Counter(row.kind for row in rows)
    every: dict[Kind, int] = {kind: piles[kind] for kind in words.KINDS}
    batch, served = assumed.batch(pairs, k), tuple(sorted(collected.served))
    values = {"pass@k": at.ceiling, "pass^k": at.floor, "success rate": figures.success_rate, "batch": batch}
    facts = words.Facts(
        n=n,
        k=k,
        counts=figures.counts,
        identical_outputs=beside.identical_outputs,
        first_error=_first_error(tasks),
        drift=drift(tasks),
        served=served,
        adapter=beside.adapter,
        interrupted=beside.interrupted,
        completion_only=source.completion_only,
    )
    return Envelope(
        source=source,
        n=n,
        k=k,
        counts=figures.counts,
        success_rate=figures.success_rate,
        at=at,
        curve=curve,
        piles=every,
        batch=batch,
        if_passed=_if_passed(tasks, figures, k),
        noise=intervals.attempt_noise(pairs, k),
        who_checks=reading.who_checks,
        picker=reading.picker or words.UNNAMED[reading.who_checks],
        quote=words.quote(reading.who_checks, reading.picker, k, values),
        not_covered=words.not_covered(n, of_batch=reading.who_checks == "batch"),
        advice=tuple(words.advice(every, n)),
        warnings=tuple(words.warnings(facts)),
        consistency=tuple(measures(tasks)),
        served_models=served,
        tasks=rows,
    )


def _source_of(verification: Verification, head: ReceiptHead, name: str) -> Source:
    subject = {
        "name": head.subject.name,
        "version": head.subject.version,
        "adapter": head.subject.adapter,
        "model": head.subject.model,
    }
    first = deciding(verification)
    return Source(
        kind="receipt",
        name=name,
        verified=verification.matches,
        status=str(verification.status),
        assurance=str(verification.assurance),
        anchor=verification.anchor,
        problem="" if first is None else f"{first.status}/{first.code}: {first.detail}",
        suite_version=head.suite_version,
        suite_hash=head.suite_hash,
        suite_source=verification.suite_source,
        suite_tasks=verification.suite_tasks,
        k_fixed=head.k,
        k_reason=head.k_reason,
        subject=tuple((label, value) for label, value in subject.items() if value),
        run=head.session.run,
        started_at=head.session.started_at,
        receipt_hash=verification.receipt_hash,
        signer=head.signer_fingerprint,
        coordination=head.coordination_ok,
        completion_only=head.completion_only,
        not_established=verification.not_established,
        established=verification.established,
        rule=head.coordination_rule,
        check=vouched_sentence(verification) or None,
        importer=importer_of(head),
        import_rule=tuple(rule_of(head).items()),
    )


def _curve(pairs: Sequence[tuple[int, int]], clusters: Sequence[str | None]) -> tuple[CurvePoint, ...]:
    points = zip(curves.curve(pairs), intervals.bootstrap_all(pairs, clusters=clusters), strict=True)
    return tuple(
        CurvePoint(point.k, point.ceiling, point.floor, ends.ceiling, ends.floor) for point, ends in points
    )


def _row(task: TaskRecord, k: int) -> TaskRow:
    n, passed = len(task.attempts), task.count("passed")
    answers = Counter(attempt.answer for attempt in task.attempts if attempt.answer is not None)
    return TaskRow(
        task_id=task.task_id,
        position=task.position,
        kind=_kind(task, answers),
        n=n,
        passed=passed,
        wrong=task.count("wrong"),
        errored=task.count("errored"),
        rate=Fraction(passed, n),
        ceiling=stats.pass_at_k(n, passed, k),
        floor=stats.pass_hat_k(n, passed, k),
        rate_interval=intervals.clopper_pearson(n, passed),
        ruled_out=stats.ruled_out(n) if passed == n else None,
        distinct_answers=len(answers) if answers else None,
        modal_share=Fraction(max(answers.values()), answers.total()) if answers else None,
        parting=task.parting,
        contrast=task.contrast,
        category=task.category,
        tags=task.tags,
        cluster=task.cluster,
        attempts=task.attempts,
    )


def _kind(task: TaskRecord, answers: Counter[str]) -> Kind:
    """The pile; one that never passed is split where two of its attempts finished and can be compared."""
    passed = task.count("passed")
    if passed:
        return "always" if passed == len(task.attempts) else "flaky"
    if answers.total() < 2:
        return "never"
    return "never_same" if len(answers) == 1 else "never_scattered"


def _count(task: TaskRecord) -> TaskCount:
    return TaskCount(len(task.attempts), task.count("passed"), task.count("errored"))


def _if_passed(tasks: Sequence[TaskRecord], figures: Numbers, k: int) -> IfPassed | None:
    if not figures.counts.errored:
        return None
    counts = [(len(task.attempts), task.count("passed"), task.count("errored")) for task in tasks]
    found = assumed.bounds(counts, k)
    best = Fraction(figures.counts.passed + figures.counts.errored, figures.counts.attempts)
    return IfPassed(best, found.ceiling[1], found.floor[1])


def _first_error(tasks: Sequence[TaskRecord]) -> str:
    return next((each.error for task in tasks for each in task.attempts if each.error), "")
