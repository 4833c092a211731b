"""Two receipts against each other, as people read it: comparable or not, the verdict, the figures."""

from collections.abc import Iterator
from fractions import Fraction

from passfloor.comparison.comparable import Change
from passfloor.comparison.compare import Check, Comparison, Difference, Pair, Verdict
from passfloor.comparison.evidence import Evidence
from passfloor.models.receipt import ReceiptHead
from passfloor.report.decision import asked_percent, points
from passfloor.report.escape import show
from passfloor.report.imported import importer_of
from passfloor.report.layout import counted, wrapped
from passfloor.report.wording import IMPORTED_NOTE
from passfloor.stats import percent
from passfloor.verification.result import Assurance

_MOST = 20
_INDENT = " " * 11


def compare_report(base: Evidence, new: Evidence, result: Comparison) -> str:
    """Whether the two are comparable; the verdict; both figures; which tasks moved; what was asked."""
    lines = [*_comparable(result), *_verdict(result), *_table(result), ""]
    if moved := list(_moved(result)):
        lines += [*moved, ""]
    for check in result.checks:
        lines += wrapped(f"{check.decision:<9}  {_check(check, result.verdict)}", "", _INDENT)
    lines += ["", *_side("base", base), *_side("new", new)]
    return "\n".join([*lines, *_imported(base, new), *_warnings(result)])


def _imported(base: Evidence, new: Evidence) -> list[str]:
    sides = (("base", base), ("new", new))
    found = [
        name for name, each in sides if (head := each.verification.head) and importer_of(head) is not None
    ]
    return wrapped(f"{' and '.join(found)}: {IMPORTED_NOTE}") if found else []


def smallest(result: Comparison) -> str:
    """What change of the floor this comparison could have detected, as one sentence."""
    change = result.detectable.change
    if change is None:
        return (
            f"no change whatever could have been detected over {counted(result.units, 'task')}: "
            "run more tasks, or more attempts"
        )
    return (
        f"the smallest change of pass^{result.k} that these tasks and attempts could have shown, "
        f"four times in five, is {percent(Fraction(change))} points"
    )


def p_value(p: Fraction | float) -> str:
    """A p-value in three decimals; what would look like 0 is said to be below."""
    return f"{float(p):.3f}" if p >= Fraction(1, 1000) else "<0.001"


def _comparable(result: Comparison) -> list[str]:
    if not result.changed:
        same = "same served model where named, same resources, same harness"
        return ["comparable: yes", *wrapped(same)]
    lines = ["comparable: no, more than the agent changed"]
    for change in result.changed[:_MOST]:
        lines += wrapped(_change(change), "  ", "    ")
    return lines + _more(len(result.changed), "change")


def _change(change: Change) -> str:
    what = "" if change.what == "model" else f", {show(change.what)}"
    return f"{change.kind}{what}: {show(change.base)} -> {show(change.new)}"


def _verdict(result: Comparison) -> list[str]:
    lines = [f"verdict: {result.verdict}"]
    if result.verdict is Verdict.UNCHANGED or result.detectable.change is None:
        lines += wrapped(smallest(result))
    if any(result.left_out):
        only_base, only_new = result.left_out
        lines += wrapped(
            f"the suites differ: compared over the {counted(result.tasks, 'task')} that both have; "
            f"{only_base} only in the base and {only_new} only in the new one are left out"
        )
    return lines


def _table(result: Comparison) -> list[str]:
    rows = [
        ("", "base", "new", "change", "95% interval", "p"),
        _row(f"pass^{result.k}", result.floor),
        _row(f"pass@{result.k}", result.ceiling),
    ]
    lines = ["", *("{:<9}{:>8}{:>8}{:>15}{:>19}{:>9}".format(*row).rstrip() for row in rows)]
    method = result.floor.interval.method
    return lines + wrapped(
        f"paired over {counted(result.tasks, 'task')}; interval: {method} "
        f"(other tasks like these; not the noise of their attempts); p: {result.test}"
    )


def _row(name: str, figure: Difference) -> tuple[str, ...]:
    low, high = (f"{percent(end)}" for end in (figure.interval.low, figure.interval.high))
    return (
        name,
        f"{percent(figure.base)}%",
        f"{percent(figure.new)}%",
        points(figure.change),
        f"{low} to {high}",
        p_value(figure.p),
    )


def _moved(result: Comparison) -> Iterator[str]:
    if not result.moved:
        yield "no task moved to another pile"
        return
    yield "moved to another pile:"
    for was, now in result.moved[:_MOST]:
        yield from wrapped(_move((was, now)), "  ", "    ")
    yield from _more(len(result.moved), "task")


def _move(pair: Pair) -> str:
    was, now = pair
    return (
        f"{show(was.task_id)}: {was.pile} ({was.passed} of {was.n}) -> {now.pile} ({now.passed} of {now.n})"
    )


def _more(number: int, noun: str) -> list[str]:
    return [f"  and {counted(number - _MOST, f'more {noun}')}"] if number > _MOST else []


def _check(check: Check, verdict: Verdict) -> str:
    if check.name == "regression":
        return f"regression: asked none, seen {verdict} (--max-drop allows for a drop)"
    if check.name == "max_drop":
        seen = Fraction(check.seen or 0)
        return (
            f"drop of the floor: asked at most {asked_percent(check.asked)}, seen {points(seen)}, "
            f"margin {points(check.asked - seen)}"
        )
    could = "none" if check.seen is None else points(Fraction(check.seen)).lstrip("+")
    return (
        f"detectable drop: asked {asked_percent(check.asked)}, smallest {could}; "
        "more tasks or more attempts show less"
    )


def _side(name: str, evidence: Evidence) -> Iterator[str]:
    outcome = evidence.verification
    head = outcome.head
    if head is None:
        return
    grade = " (TEST-GRADE)" if outcome.assurance is Assurance.TEST else ""
    size = f"{counted(len(evidence.rows), 'task')} x {counted(head.n, 'attempt')}"
    yield from wrapped(f"{name:<11}{show(head.suite_version)}, {size}, {_agent(head)}{grade}", "", _INDENT)
    yield f"  suite    {head.suite_hash}"
    yield f"  receipt  {outcome.receipt_hash}"


def _agent(head: ReceiptHead) -> str:
    named = " ".join(show(word) for word in (head.subject.name, head.subject.version) if word)
    return f"agent {named or 'unnamed'} ({head.subject.adapter_digest[:12]})"


def _warnings(result: Comparison) -> Iterator[str]:
    if any(result.errored):
        base, new = result.errored
        yield from wrapped(
            f"warning: {base} attempts of the base and {new} of the new receipt errored and count as not "
            "passing; read those runs before the change"
        )
