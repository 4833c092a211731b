"""Plain text of what was seen when an agent was looked over: the verdict, then a line for each thing."""

from typing import TYPE_CHECKING

from passfloor.report.escape import show
from passfloor.report.layout import counted, wrapped

if TYPE_CHECKING:
    from passfloor.checking.doctor import Diagnosis

_SENTENCES = {
    "PASS": "nothing that was looked at stands in the way of a run",
    "FAIL": "something would make a run worthless, or its figures mean less; see below",
    "UNDECIDED": "nothing could be told",
}
_RESULTS = {"pass": "pass", "fail": "FAIL", "unobserved": "could not be observed"}
_NAME = 13


def doctor_report(outcome: "Diagnosis") -> str:
    """The verdict, how much was seen, and everything that was looked at with what was seen of it."""
    results = [str(check.seen) for check in outcome.checks]
    lines = [f"doctor: {outcome.status}", *wrapped(_SENTENCES[str(outcome.status)])]
    lines += wrapped(
        f"{counted(len(outcome.pair), 'attempt')} of task {show(outcome.task.id)}: "
        f"{results.count('pass')} pass, {results.count('fail')} fail, "
        f"{results.count('unobserved')} could not be observed"
    )
    for check in outcome.checks:
        text = f"{_RESULTS[str(check.seen)]}: {show(check.detail, 600)}"
        lines += wrapped(text, f"  {check.name:<{_NAME}}", " " * (_NAME + 2))
    return "\n".join(lines)
