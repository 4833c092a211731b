"""What an import says: the pair, the piles, the same figures as their source counts them, and every loss."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from passfloor.aggregate import nearest
from passfloor.importers.collated import MISSING, Collated
from passfloor.importers.conventions import Figure, Line, differs, lines, reasons
from passfloor.models.receipt import ReceiptHead
from passfloor.report.block import interval
from passfloor.report.escape import show
from passfloor.report.layout import columns, counted, padded, portion, wrapped
from passfloor.report.rates import rate
from passfloor.report.wording import IMPORTED_NOTE
from passfloor.stats import bootstrap_all, curve, percent, piles, success_rate
from passfloor.stats.intervals import IntervalPair

_LABEL = 13
_MOST_NOTES = 30


@dataclass(frozen=True)
class Told:
    """An import and how to read it.

    Attributes:
        found: What was read.
        k: Draw size.
        source: The log, as given.
        why: Why it was taken for this format; empty where the user named it.
        receipt: Where the receipt stands; None where none was made.
        head: Its head, likewise.
    """

    found: Collated
    k: int
    source: str
    why: str = ""
    receipt: str | None = None
    head: ReceiptHead | None = None

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Attempts and passes of each task."""
        return [(task.n, task.count("passed")) for task in self.found.tasks]

    @property
    def enough(self) -> int:
        """How many tasks have k attempts."""
        return sum(task.n >= self.k for task in self.found.tasks)

    @property
    def intervals(self) -> IntervalPair:
        """Of the pair across tasks."""
        return bootstrap_all(self.pairs, [self.k])[0]

    @cached_property
    def lines(self) -> list[Line]:
        """Every figure, ours and theirs."""
        return lines(self.found, self.k)


def text(told: Told) -> str:
    """The report for people."""
    found, k = told.found, told.k
    width = max(_LABEL, len(f"pass^{k} floor"))
    heading = f"{found.log.importer}: {show(told.source, 300)}"
    out = wrapped(heading, hanging="  ")
    if told.why:
        out += wrapped(f"taken for that because {show(told.why, 300)}", "  ", "  ")
    out += [*wrapped(IMPORTED_NOTE), ""]
    for label, words in _block(told):
        out += wrapped(f"{label:<{width}}: {words}", hanging=" " * (width + 2))
    out += ["", *_table(told.lines)]
    if differs(told.lines):
        for reason in _why(found):
            out += wrapped(reason, "  ", "    ")
    notes = [f"{note.text}" for note in found.notes]
    if notes:
        out += ["", "what to know of this log:"]
        for note in notes[:_MOST_NOTES]:
            out += wrapped(show(note, 600), "  ", "    ")
        if len(notes) > _MOST_NOTES:
            out.append(f"  and {len(notes) - _MOST_NOTES} more (--json lists all)")
    return "\n".join(out)


def document(told: Told) -> dict[str, Any]:
    """The same for machines; exact figures as fractions in lowest terms, beside floats."""
    found, head = told.found, told.head
    (point,) = curve(told.pairs, [told.k])
    sorted_out = piles(told.pairs)
    sizes = found.sizes
    return {
        "importer": found.log.importer,
        "source": told.source,
        "why": told.why or None,
        "receipt": told.receipt,
        "receipt_hash": head.receipt_hash if head else None,
        "suite_version": head.suite_version if head else None,
        "suite_hash": head.suite_hash if head else None,
        "coordination_rule": "unrecorded",
        "subject": {
            "name": found.log.subject.name,
            "version": found.log.subject.version,
            "model": found.log.subject.model,
        },
        "k": told.k,
        "n": next(iter(sizes)) if len(sizes) == 1 else None,
        "planned": {str(n): sizes[n] for n in sorted(sizes)},
        "tasks_at_k": point.tasks,
        "pass_caret_k": nearest(point.floor),
        "pass_at_1": nearest(point.ceiling),
        "success_rate": nearest(success_rate(told.pairs)),
        "counts": _counts(found),
        "piles": {"always": sorted_out.always, "flaky": sorted_out.flaky, "never": sorted_out.never},
        "figures": [_line(line) for line in told.lines],
        "convention": {
            "errors": found.log.convention.errors,
            "estimator": found.log.convention.estimator,
            "partial_credit": found.log.convention.partial_credit,
            "why": list(_why(found)),
        },
        "notes": [{"code": note.code, "text": note.text} for note in found.notes],
    }


def _block(told: Told) -> Iterator[tuple[str, str]]:
    found, k, pairs = told.found, told.k, told.pairs
    (point,) = curve(pairs, [k])
    ends = told.intervals
    total, short = len(found.tasks), told.enough
    over = "" if short == total else f", over the {short} of {total} tasks with n >= {k}"
    yield f"pass^{k} floor", f"{percent(point.floor)}%{over}  {interval(ends.floor)}"
    yield f"pass@{k}", f"{percent(point.ceiling)}%{over}  {interval(ends.ceiling)}"
    attempts = sum(n for n, _ in pairs)
    yield (
        "success rate",
        f"{percent(success_rate(pairs))}%   {found.count('passed')} of {counted(attempts, 'attempt')}; "
        f"{found.count('wrong')} wrong, {found.count('errored')} errored, "
        f"{found.count('cancelled')} cancelled, {found.count(MISSING)} missing",
    )
    sorted_out = piles(pairs)
    at = _sizes(found)
    yield (
        "piles",
        f"always pass {sorted_out.always}/{total} | flaky {sorted_out.flaky}/{total} | never pass "
        f"{sorted_out.never}/{total}  ({at})",
    )
    yield "coordination", "not recorded"
    yield "receipt", show(told.receipt, 1000) if told.receipt else "none was made"


def _sizes(found: Collated) -> str:
    sizes = found.sizes
    if len(sizes) == 1:
        return f"n = {next(iter(sizes))}"
    return "; ".join(f"n = {n} for {portion(sizes[n], len(found.tasks))}" for n in sorted(sizes)[:6])


def _table(told: Sequence[Line]) -> list[str]:
    """Ours, theirs and what they printed; one row a figure."""
    printed = any(line.published is not None for line in told)
    width = max(columns(name) for name in ("figure", *(show(line.name, 30) for line in told)))
    head = f"{'figure':<{width}}  {'here':>8}  {'as they count':>13}{'  printed' if printed else ''}"
    rows = [head]
    for line in told:
        shown = f"{padded(show(line.name, 30), width)}  {_cell(line.ours):>8}  {_cell(line.theirs):>13}"
        if printed:
            shown += f"  {'-' if line.published is None else _percent(line.published):>7}"
            if line.agrees is False:
                shown += "  (not what their convention gives here)"
        rows.append(shown.rstrip())
    return rows


def _cell(figure: Figure | None) -> str:
    return "-" if figure is None else f"{percent(figure.value)}%"


def _percent(value: Fraction | float) -> str:
    return f"{percent(Fraction(value))}%"


def _why(found: Collated) -> Iterator[str]:
    if found.log.convention.why:
        yield show(found.log.convention.why, 600)
    yield from reasons(found.log.convention)


def _counts(found: Collated) -> dict[str, int]:
    attempts = sum(task.n for task in found.tasks)
    passed, wrong = found.count("passed"), found.count("wrong")
    return {
        "tasks": len(found.tasks),
        "attempts": attempts,
        "passed": passed,
        "wrong": wrong,
        "errored": attempts - passed - wrong,
        "cancelled": found.count("cancelled"),
        "missing": found.count(MISSING),
        "tasks_any": sum(task.count("passed") > 0 for task in found.tasks),
        "tasks_all": sum(task.count("passed") == task.n for task in found.tasks),
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "ours": _exact(line.ours),
        "theirs": _exact(line.theirs),
        "published": None if line.published is None else float(line.published),
        "where": line.where or None,
        "agrees": line.agrees,
    }


def _exact(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    value = rate(figure.value)
    return {**value, "exact": value["fraction"], "value": value["float"], "tasks": figure.tasks}
