"""Gates as people read them: the decision, one line a clause, and what keeps it from holding."""

from collections.abc import Iterator
from fractions import Fraction

from passfloor.comparison.evidence import Evidence
from passfloor.comparison.gate import Clause, Decision, GateResult
from passfloor.report.escape import show
from passfloor.report.imported import imported_notes
from passfloor.report.layout import counted, portion, wrapped
from passfloor.report.terminal import finding_lines
from passfloor.report.wording import COMPLETION_ONLY, COORDINATION, GATES
from passfloor.stats import percent
from passfloor.verification.result import Assurance, Verification

_MOST_SHORT = 20
_MOST_PLACES = 18
_INDENT = " " * 11
_COUNTS = frozenset({"max_errored", "whole_suite"})


def gate_lines(result: GateResult, k: int, *, test_grade: bool = False) -> list[str]:
    """The decision and its clauses.

    Args:
        result: What was decided.
        k: Attempts drawn.
        test_grade: Whether anybody could have made the signature.
    """
    grade = " (TEST-GRADE)" if test_grade else ""
    lines = [f"gate: {result.decision}{grade}", *wrapped(GATES[result.decision])]
    if result.completion_only:
        lines += wrapped(COMPLETION_ONLY)
    for clause in result.clauses:
        lines += wrapped(f"{clause.decision:<9}  {_asked_and_seen(clause, k)}", "", _INDENT)
        for note in _notes(clause, k):
            lines += wrapped(note, _INDENT)
    return lines


def gate_report(evidence: Evidence, result: GateResult) -> str:
    """A gate over a receipt: the decision, and what it was made from."""
    outcome = evidence.verification
    head, numbers = outcome.head, outcome.numbers
    assert head is not None and numbers is not None, "a receipt that matches has both"  # noqa: S101, PT018
    size = f"{portion(numbers.counts.tasks, outcome.suite_tasks)} x {counted(head.n, 'attempt')}"
    size += f", k = {head.k}, n = {head.n}"
    lines = gate_lines(result, head.k, test_grade=outcome.assurance is Assurance.TEST)
    for note in imported_notes(head):
        lines += wrapped(note)
    lines += wrapped(f"suite      {show(head.suite_version)}, {size}", "", _INDENT)
    lines += [f"{_INDENT}{head.suite_hash}", f"receipt    {outcome.receipt_hash}"]
    return "\n".join(lines)


def refusal(verb: str, outcome: Verification, what: str = "the receipt") -> str:
    """Why nothing is decided from a receipt that was rejected, and how to see more of it."""
    lines = [f"{verb}: refused"]
    lines += wrapped(f"{what} is rejected: {outcome.status}; look with bench reliability-verify")
    return "\n".join([*lines, *finding_lines(outcome.findings)])


def apart(value: Fraction, other: Fraction) -> str:
    """``value`` as a percentage with as many decimals, 1 or more, as it needs to look unlike ``other``."""
    places = range(1, _MOST_PLACES)
    return percent(
        value,
        next((p for p in places if value == other or percent(value, p) != percent(other, p)), _MOST_PLACES),
    )


def points(value: Fraction) -> str:
    """A difference of two shares in points, with its sign, such as ``+1.7 points``."""
    sign = "-" if value < 0 else "+" if value > 0 else ""
    return f"{sign}{apart(abs(value), Fraction(0))} points"


def asked_percent(value: Fraction) -> str:
    """A share that was asked for as a percentage, with all its decimals and no more."""
    places = next((p for p in range(_MOST_PLACES) if (value * 100 * 10**p).denominator == 1), _MOST_PLACES)
    return f"{percent(value, places)}%"


def _asked_and_seen(clause: Clause, k: int) -> str:
    if clause.name == "coordination":
        return f"coordination: asked {COORDINATION[True]}, seen {COORDINATION[False]}"
    if clause.name == "assertions":
        return "assertions: asked consulted, seen none (--completion-only)"
    if clause.name in _COUNTS:
        most = "at most " if clause.name == "max_errored" else ""
        margin = f"{int(clause.margin):+}"
        return f"{_about(clause, k)}: asked {most}{clause.asked}, seen {clause.seen}, margin {margin}"
    return (
        f"{_about(clause, k)}: asked {asked_percent(clause.asked)}, "
        f"seen {apart(clause.seen, clause.asked)}%, margin {points(clause.margin)}"
    )


def _about(clause: Clause, k: int) -> str:
    return {
        "require": f"pass@{k} of every task",
        "require_floor": f"pass^{k} of the suite",
        "require_task_floor": f"pass^{k} of every task",
        "must_pass": f"every attempt of {show(clause.task_id)}",
        "max_errored": "errored attempts",
        "whole_suite": "tasks of the suite run",
    }[clause.name]


def _notes(clause: Clause, k: int) -> Iterator[str]:
    if clause.name == "require":
        yield (
            f"the ceiling, not the floor: any of {k} drawn passed" if k > 1 else "at k = 1: the success rate"
        )
    if clause.short and clause.task_id is None:
        named = ", ".join(
            f"{show(each.task_id)} {apart(each.seen, clause.asked)}%" for each in clause.short[:_MOST_SHORT]
        )
        more = len(clause.short) - _MOST_SHORT
        yield f"short: {named} and {counted(more, 'more task')}" if more > 0 else f"short: {named}"
    if clause.decision is Decision.UNDECIDED:
        yield _undecided(clause)


def _undecided(clause: Clause) -> str:
    if clause.name == "whole_suite":
        return "the others were not run: run them, or say --allow-selection"
    if clause.name == "assertions":
        return "no answer was judged: run without it, or say --allow-completion-only"
    if clause.name == "max_errored":
        return "too many errored to tell: read those runs first, then run again"
    at_best = f"{apart(clause.at_best, clause.asked)}%"
    return f"at best {at_best}, were the errored attempts passes: read those runs first, then run again"
