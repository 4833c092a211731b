"""Plain text for a terminal or a log: the verdict first, the numbers second, 80 columns."""

from collections.abc import Iterable, Sequence

from passfloor.aggregate import Numbers
from passfloor.checking.check import Check
from passfloor.models.plan import SYNTHETIC
from passfloor.models.receipt import ReceiptHead
from passfloor.report.escape import show
from passfloor.stats import percent, ruled_out
from passfloor.verification.findings import Finding, Status
from passfloor.verification.result import Assurance, Verification

__all__ = ["check_report", "run_summary", "show", "verification_report"]

_MOST_FINDINGS = 20
_LABEL = 13
_NOT_COVERED = {
    "events_happened": "that the recorded events really took place",
    "only_run": "that this was the only run",
    "subject_code": "code that the agent imports (the digest covers the command and the files it names)",
    "timing": "times: numbers in ts and elapsed_s may hold anything",
}


def run_summary(head: ReceiptHead, numbers: Numbers, receipt_path: str, divergence: str = "") -> str:
    """The block that ends a run: floor, ceiling, success rate, coordination, receipt."""
    k, n, counts = head.k, head.n, numbers.counts
    lines = [
        _line(f"pass^{k} floor", f"{percent(numbers.pass_hat_k) + '%':<8}all {k} attempts must pass", k),
        _line(
            f"pass@{k}",
            f"{percent(numbers.pass_at_k) + '%':<8}any attempt passed: the ceiling (pass_at_1 in the receipt)",
            k,
        ),
        _line(
            "success rate",
            f"{percent(numbers.success_rate) + '%':<8}{counts.passed} of {counts.attempts} attempts; "
            f"{counts.wrong} wrong, {counts.errored} errored",
            k,
        ),
    ]
    indent = " " * (_width(k) + 2)
    if counts.tasks_all:
        attempts = "attempt" if n == 1 else "attempts"
        lines.append(
            f"{indent}a point estimate, not a bound: {n} clean {attempts} of a task rule out only\n"
            f"{indent}failure rates above {100 * ruled_out(n):.1f}%"
        )
    if counts.errored:
        lines.append(f"{indent}errored attempts count as not passing; they partly measure the platform")
    held = {True: "held fixed", False: "DIVERGED", None: "not recorded"}[head.coordination_ok]
    lines.append(_line("coordination", f"{held}{': ' + divergence if divergence else ''}", k))
    if head.subject.adapter in SYNTHETIC:
        lines.append(_line("subject", f"synthetic ({head.subject.adapter}): no agent was run", k))
    lines.append(_line("receipt", show(receipt_path, 400), k))
    return "\n".join(lines)


def verification_report(outcome: Verification) -> str:
    """The verdict, what was re-derived, who asserts the rest, what is not covered."""
    status = outcome.status
    grade = " (TEST-GRADE)" if outcome.assurance is Assurance.TEST else ""
    lines = [f"overall: {status}{grade}", *_findings(outcome.findings)]
    if status is Status.MATCH:
        lines.append("every claim follows from the embedded attempts")
    if outcome.head is not None:
        lines += ["", *_rederived(outcome), "", *_asserted(outcome.head, outcome)]
    lines += ["", "not covered:", *(f"  {_NOT_COVERED[name]}" for name in outcome.not_established)]
    return "\n".join(lines)


def check_report(outcome: Check) -> str:
    """The verdict of a determinism check and what each compared attempt gave."""
    lines = [f"reliability-check: {outcome.status}", *_findings(outcome.verification.findings)]
    if outcome.refused:
        lines.append("nothing was run: the receipt is not authentic and whole")
        return "\n".join(lines)
    if outcome.undecided:
        lines.append(show(outcome.undecided, 400))
        return "\n".join(lines)
    total = len(outcome.attempts)
    same = sum(attempt.byte_identical for attempt in outcome.attempts)
    held = sum(attempt.coordination_identical for attempt in outcome.attempts)
    lines.append(
        f"re-ran {total} attempt{'' if total == 1 else 's'}: coordination identical in {held}, "
        f"the whole record in {same}"
    )
    for attempt in outcome.attempts:
        if not attempt.coordination_identical:
            lines.append(
                f"  task {show(attempt.task_id)}, attempt {attempt.attempt} (recorded != re-run): "
                f"{show(attempt.detail, 300)}"
            )
    return "\n".join(lines)


def _findings(findings: Sequence[Finding]) -> list[str]:
    lines = []
    for finding in findings[:_MOST_FINDINGS]:
        where = ", ".join(
            part
            for part in (
                f"task {show(finding.task_id)}" if finding.task_id is not None else "",
                f"attempt {finding.attempt}" if finding.attempt is not None else "",
                show(finding.path) if finding.path else "",
            )
            if part
        )
        lines.append(f"  {finding.status}/{finding.code} (step {finding.step}): {where}")
        lines.append(f"    {show(finding.detail, 400)}")
    if len(findings) > _MOST_FINDINGS:
        lines.append(f"  and {len(findings) - _MOST_FINDINGS} more findings (--json lists all)")
    return lines


def _rederived(outcome: Verification) -> list[str]:
    head, numbers = outcome.head, outcome.numbers
    assert head is not None  # noqa: S101
    lines = ["re-derived:", f"  suite {show(head.suite_version)}, {outcome.suite_source}"]
    lines.append(f"  suite hash {show(head.suite_hash)}")
    if numbers is None:
        return [*lines, "  no figures: the attempts do not allow them"]
    counts = numbers.counts
    distinct = sum(m for _, m, _ in outcome.distinct_outputs)
    return [
        *lines,
        f"  pass^{head.k} floor {percent(numbers.pass_hat_k)}%, pass@{head.k} ceiling "
        f"{percent(numbers.pass_at_k)}% (pass_at_1 in the receipt)",
        f"  {counts.tasks} tasks x {head.n} attempts: {counts.passed} passed, {counts.wrong} wrong, "
        f"{counts.errored} errored",
        f"  coordination rule '{head.coordination_rule}', "
        + {True: "held fixed", False: "diverged", None: "not recorded"}[head.coordination_ok],
        f"  distinct outputs: {distinct} among {counts.attempts} attempts",
    ]


def _asserted(head: ReceiptHead, outcome: Verification) -> list[str]:
    signer = show(head.signer_fingerprint) or "nobody"
    trust = f"trusted through {show(outcome.anchor)}" if outcome.anchor else "not trusted"
    subject = head.subject
    name = show(subject.name) if subject.name else "unnamed"
    version = f" {show(subject.version)}" if subject.version else ""
    model = f", model {show(subject.model)}" if subject.model else ""
    return [
        "asserted by the signer:",
        f"  signer {signer}",
        f"    {trust}",
        f"  agent {name}{version} (adapter '{show(subject.adapter)}'){model}",
        f"  run {head.session.run}, {head.session.started_at} to {head.session.ended_at}",
        f"  environment {_listed(entry.platform for entry in head.environment)}",
    ]


def _listed(values: Iterable[str]) -> str:
    return "; ".join(show(value) for value in values)


def _width(k: int) -> int:
    return max(_LABEL, len(f"pass^{k} floor"))


def _line(label: str, text: str, k: int) -> str:
    return f"{label:<{_width(k)}}: {text}"
