"""The same attempts counted as their source counts them, beside the headline: both numbers, and why."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from passfloor.importers.collated import CODE, MISSING, Collated, TaskLog
from passfloor.importers.interface import Convention, Published
from passfloor.stats import curve, plug_in

Kind = Literal["success rate", "pass@k", "pass^k", "mean score"]

_DRAWN = re.compile(r"pass([@^])([1-9][0-9]{0,4})", re.ASCII)
_CLOSE = Fraction(1, 1000)
_PASSED = CODE["passed"]


@dataclass(frozen=True)
class Figure:
    """One figure of some tasks.

    Attributes:
        value: 0 to 1.
        tasks: Over how many tasks.
    """

    value: Fraction
    tasks: int


@dataclass(frozen=True)
class Line:
    """One figure, ours and theirs.

    Attributes:
        name: Such as ``pass@5``.
        ours: Over all planned attempts; None where no task has so many.
        theirs: Under the source's convention; None where that gives none.
        published: What the source printed, None where it did not; and where that stands.
        where: Where the source printed it.
    """

    name: str
    ours: Figure | None
    theirs: Figure | None
    published: Fraction | float | None = None
    where: str = ""

    @property
    def agrees(self) -> bool | None:
        """Whether what was printed is theirs to within a thousandth; None: nothing to compare."""
        if self.published is None or self.theirs is None:
            return None
        return abs(Fraction(self.published) - self.theirs.value) <= _CLOSE


def lines(found: Collated, k: int) -> list[Line]:
    """The success rate and the pair at k, then whatever else the source printed."""
    names = ["success rate", f"pass@{k}", f"pass^{k}"]
    printed: dict[str, Published] = {}
    for each in found.log.published:
        printed.setdefault(each.name, each)
    names += [name for name in printed if name not in names]
    return [_line(found, name, printed.get(name)) for name in names]


def differs(told: Sequence[Line]) -> bool:
    """Whether any figure is another under the source's convention."""
    return any(line.ours and line.theirs and line.ours.value != line.theirs.value for line in told)


def ours(tasks: Sequence[TaskLog], name: str) -> Figure | None:
    """A figure over all planned attempts; None where no task has so many, or it is none of verdicts."""
    return _figure([(task.n, task.count("passed")) for task in tasks], name, "unbiased")


def theirs(tasks: Sequence[TaskLog], name: str, convention: Convention) -> Figure | None:
    """The same under a convention; None where it leaves nothing to count."""
    if name == "mean score" or (name == "success rate" and convention.partial_credit):
        return _mean_score(tasks, convention)
    kept = [(n, task.count("passed")) for task in tasks if (n := _kept(task, convention))]
    if name == "success rate" and convention.estimator == "mean" and kept:
        return Figure(Fraction(sum(c for _, c in kept), sum(n for n, _ in kept)), len(kept))
    return _figure(kept, name, convention.estimator)


def reasons(convention: Convention) -> Iterator[str]:
    """Why the two may differ, in words."""
    if convention.errors == "dropped":
        yield "it leaves errored, cancelled and missing attempts out; here they stay in n and do not pass"
    elif convention.errors == "excluded":
        yield "it does not count attempts that are missing; here they stay in n and do not pass"
    if convention.estimator == "plug-in":
        yield "it puts the observed rate into 1-(1-p)^k and p^k, which is biased; here every draw of k counts"
    elif convention.estimator == "mean":
        yield "it prints the mean over all attempts and no figure of k draws"
    if convention.partial_credit:
        yield "it averages scores, partial credit included; here an attempt passes or does not"


def _line(found: Collated, name: str, printed: Published | None) -> Line:
    return Line(
        name,
        ours(found.tasks, name),
        theirs(found.tasks, name, found.log.convention),
        None if printed is None else printed.value,
        "" if printed is None else printed.where,
    )


def _kept(task: TaskLog, convention: Convention) -> int:
    if convention.errors == "counted":
        return task.n
    left_out = (MISSING,) if convention.errors == "excluded" else ("errored", "cancelled", MISSING)
    return task.n - task.count(*left_out)


def _figure(pairs: Sequence[tuple[int, int]], name: str, estimator: str) -> Figure | None:
    drawn = _DRAWN.fullmatch(name)
    k = int(drawn[2]) if drawn else 1
    enough = sum(n >= k for n, _ in pairs)
    if not enough or (drawn is None and name != "success rate"):
        return None
    if drawn is not None and estimator == "mean":
        return None
    if drawn is not None and estimator == "plug-in":
        ceiling, floor = plug_in(pairs, k)
    else:
        (point,) = curve(pairs, [k])
        ceiling, floor = point.ceiling, point.floor
    return Figure(ceiling if drawn and drawn[1] == "@" else floor, enough)


def _mean_score(tasks: Sequence[TaskLog], convention: Convention) -> Figure | None:
    """The mean of the attempts' scores; a verdict without one counts as 1 or 0."""
    sums: list[tuple[Fraction, int]] = []
    for task in tasks:
        kept = _kept(task, convention)
        if not kept:
            continue
        scored = sum(task.scores.values(), Fraction(0))
        bare = sum(code == _PASSED and at not in task.scores for at, code in enumerate(task.codes))
        sums.append((scored + bare, kept))
    if not sums:
        return None
    if convention.estimator != "mean":
        # A tool with estimators reduces each task first, then takes the mean of the tasks.
        return Figure(Fraction(sum(total / kept for total, kept in sums)) / len(sums), len(sums))
    return Figure(sum((total for total, _ in sums), Fraction(0)) / sum(kept for _, kept in sums), len(sums))
