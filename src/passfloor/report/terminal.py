"""Plain text for a terminal or a log: the verdict first, the numbers second, 80 columns."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from passfloor.models.receipt import ReceiptHead
from passfloor.report.escape import show
from passfloor.report.history import challenge_lines, commitment_lines, ledger_lines
from passfloor.report.imported import imported_notes
from passfloor.report.layout import counted, portion, wrapped
from passfloor.report.recorded import (
    attested_lines,
    graders_lines,
    recorded_lines,
    redacted_lines,
    served_lines,
    vouched_lines,
)
from passfloor.report.wording import (
    CHECKS,
    COMPLETION_ONLY,
    COORDINATION,
    TEST_GRADE_MATCH,
    VERDICTS,
    not_covered,
)
from passfloor.stats import percent
from passfloor.verification.findings import Finding, Status
from passfloor.verification.result import Assurance, Verification

if TYPE_CHECKING:  # a verifier must not even load what can run an agent
    from passfloor.checking.check import AttemptCheck, Check

_MOST_FINDINGS = 20
_MADE_AGAIN = {"rerun": "re-ran", "replay": "replayed"}
_AGAIN = {"rerun": "re-run", "replay": "replayed"}


def verification_report(outcome: Verification) -> str:
    """The verdict; then what was re-derived, what the signer asserts, what is not covered."""
    lines = [*_verdict(outcome), *finding_lines(outcome.findings), "", "re-derived:", *_rederived(outcome)]
    lines += ["", "asserted by the signer:", *_asserted(outcome), "", "not covered:"]
    for sentence in not_covered(outcome.not_established, outcome.established):
        lines += wrapped(sentence, "  ", "    ")
    return "\n".join(lines)


def check_report(outcome: "Check") -> str:
    """The verdict of a determinism check and what each compared attempt gave."""
    sentence = VERDICTS[outcome.verification.status] if outcome.refused else CHECKS[outcome.status]
    lines = [f"reliability-check: {outcome.status}", *wrapped(sentence)]
    rejected = not outcome.refused and not outcome.verification.matches
    if rejected:
        lines += wrapped(
            f"the receipt itself is rejected: {outcome.verification.status}, see reliability-verify"
        )
    lines += finding_lines(outcome.verification.findings)
    if outcome.refused:
        return "\n".join([*lines, "nothing was run: the receipt is not authentic and whole"])
    if outcome.undecided:
        return "\n".join([*lines, *wrapped(show(outcome.undecided, 400))])
    identical = sum(attempt.byte_identical for attempt in outcome.attempts)
    held = sum(attempt.coordination_identical for attempt in outcome.attempts)
    ran = len(outcome.attempts)
    times = f", {outcome.repeated} times each" if outcome.repeated > 1 else ""
    lines += wrapped(
        f"{_MADE_AGAIN[outcome.mode]} {counted(ran, 'attempt')}{times}: coordination identical in {held}, "
        f"the output as well in {identical}"
    )
    for attempt in outcome.attempts:
        lines += _check_line(attempt, outcome.mode)
    return "\n".join(lines)


def _check_line(attempt: "AttemptCheck", mode: str) -> list[str]:
    if not attempt.detail:
        return []
    told = attempt.inconclusive or attempt.coordination_identical
    how = "" if told else f" (recorded != {_AGAIN[mode]})"
    text = f"task {show(attempt.task_id)}, attempt {attempt.attempt}{how}: {show(attempt.detail, 400)}"
    return wrapped(text, "  ", "    ")


def _verdict(outcome: Verification) -> list[str]:
    status = outcome.status
    if status is Status.MATCH and outcome.assurance is Assurance.TEST:
        return ["overall: MATCH (TEST-GRADE)", *wrapped(TEST_GRADE_MATCH)]
    return [f"overall: {status}", *wrapped(VERDICTS[status])]


def finding_lines(findings: Sequence[Finding]) -> list[str]:
    """What a receipt does not support, in lines of at most 80 columns; the first twenty of them."""
    lines = []
    for finding in findings[:_MOST_FINDINGS]:
        where = ", ".join(_where(finding))
        heading = f"{finding.status}/{finding.code} (step {finding.step})"
        lines += wrapped(f"{heading}: {where}" if where else heading, "  ", "    ")
        lines += wrapped(show(finding.detail, 400), "    ")
    if len(findings) > _MOST_FINDINGS:
        lines.append(f"  and {len(findings) - _MOST_FINDINGS} more findings (--json lists all)")
    return lines


def _where(finding: Finding) -> Iterator[str]:
    if finding.task_id is not None:
        yield f"task {show(finding.task_id)}"
    if finding.attempt is not None:
        yield f"attempt {finding.attempt}"
    if finding.path:
        yield show(finding.path)


def _rederived(outcome: Verification) -> list[str]:
    head, numbers = outcome.head, outcome.numbers
    if head is None:
        return ["  nothing: the receipt cannot be read"]
    lines = wrapped(f"suite {show(head.suite_version)}, {show(outcome.suite_source)}", "  ", "    ")
    lines.append(f"  suite hash {show(head.suite_hash)}")
    if head.selection is not None:
        lines += wrapped(
            f"of that suite only {counted(len(head.selection.tasks), 'selected task')}", "  ", "    "
        )
    if head.completion_only:
        lines += wrapped(COMPLETION_ONLY, "  ", "    ")
    for note in imported_notes(head):
        lines += wrapped(note, "  ", "    ")
    if numbers is None:
        return [*lines, "  no figures: not every verdict could be re-derived"]
    counts = numbers.counts
    distinct = sum(number for _, number, _ in outcome.distinct_outputs)
    return [
        *lines,
        f"  pass^{head.k} floor {percent(numbers.pass_hat_k)}%",
        f"  pass@{head.k} ceiling {percent(numbers.pass_at_k)}% (pass_at_1 in the receipt)",
        f"  success rate {percent(numbers.success_rate)}%",
        f"  {portion(counts.tasks, outcome.suite_tasks)} x {counted(head.n, 'attempt')}: "
        f"{counts.passed} passed, {counts.wrong} wrong, {counts.errored} errored",
        f"  coordination {COORDINATION[head.coordination_ok].lower()} (rule '{head.coordination_rule}')",
        *recorded_lines(outcome),
        *graders_lines(outcome),
        *wrapped(_distinct(distinct, counts.tasks, counts.attempts), "  ", "    "),
        *(wrapped(_gate(head.gate), "  ", "    ") if head.gate else ()),
        *challenge_lines(outcome),
    ]


def _gate(gate: Mapping[str, str]) -> str:
    asked = ", ".join(f"{show(name)} {text}" for name, text in list(gate.items())[:_MOST_FINDINGS])
    more = f" and {len(gate) - _MOST_FINDINGS} more" if len(gate) > _MOST_FINDINGS else ""
    return f"gate fixed before the run: {asked}{more} (decide it with bench gate --sealed-gate)"


def _distinct(distinct: int, tasks: int, attempts: int) -> str:
    text = f"{counted(distinct, 'distinct output')} among {counted(attempts, 'attempt')}"
    if distinct == tasks < attempts:
        return f"{text}: one a task, so cached, seeded or deterministic attempts cannot be told apart"
    return text


def _asserted(outcome: Verification) -> list[str]:
    head = outcome.head
    if head is None:
        return ["  nothing: the receipt cannot be read"]
    signer = show(head.signer_fingerprint) or "nobody"
    trust = f"trusted through {show(outcome.anchor)}" if outcome.anchor else "not trusted"
    return [
        f"  signer {signer}",
        *wrapped(trust, "    "),
        *wrapped(_agent(head), "  ", "    "),
        *wrapped(f"model {show(head.subject.model) if head.subject.model else 'not named'}", "  ", "    "),
        f"  run {head.session.run}",
        f"    {head.session.started_at} to {head.session.ended_at}",
        *redacted_lines(outcome),
        *attested_lines(outcome),
        *served_lines(outcome),
        *vouched_lines(outcome),
        *commitment_lines(outcome),
        *ledger_lines(outcome),
        *wrapped("; ".join(f"environment {show(e.platform)}" for e in head.environment), "  ", "    "),
        *(wrapped(f"k={head.k} because: {show(head.k_reason)}", "  ", "    ") if head.k_reason else ()),
    ]


def _agent(head: ReceiptHead) -> str:
    subject = head.subject
    name = show(subject.name) if subject.name else "unnamed"
    version = f" {show(subject.version)}" if subject.version else ""
    return f"agent {name}{version} (adapter '{show(subject.adapter)}')"
