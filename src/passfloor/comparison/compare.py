"""Two receipts over the same tasks: what changed, whether by chance, and what could have been seen at all."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from passfloor.comparison.comparable import Change, changes
from passfloor.comparison.evidence import Evidence, TaskRow
from passfloor.comparison.gate import Decision
from passfloor.errors import UsageError
from passfloor.models.receipt import ReceiptHead
from passfloor.stats import mean
from passfloor.stats.intervals import Interval, attempt_noise, bootstrap_over_tasks
from passfloor.stats.pairing import (
    Detectable,
    difference_sd,
    mcnemar_p,
    sign_flip_p,
    smallest_detectable,
)

ALPHA = Fraction(1, 20)
"""The level of the test behind a verdict."""

POWER = Fraction(4, 5)
"""The chance with which a change that counts as detectable would have been seen."""


class Verdict(StrEnum):
    """What became of the floor."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    UNCHANGED = "no detectable change"


Pair = tuple[TaskRow, TaskRow]
"""One task in both receipts, the base first."""


@dataclass(frozen=True)
class Difference:
    """One figure of both receipts over the tasks they share.

    Attributes:
        base: In the base, 0 to 1.
        new: In the new receipt, 0 to 1.
        interval: The 95% interval of the change across tasks, -1 to 1.
        p: The two-sided p-value of "nothing changed", 0 to 1, paired by task.
    """

    base: Fraction
    new: Fraction
    interval: Interval
    p: Fraction | float

    @property
    def change(self) -> Fraction:
        """The new figure less the old one, -1 to 1."""
        return self.new - self.base


@dataclass(frozen=True)
class Check:
    """One thing asked of a comparison. ``seen`` is None where no change at all could have been seen."""

    name: str
    decision: Decision
    asked: Fraction
    seen: Fraction | float | None


@dataclass(frozen=True)
class Comparison:
    """What two receipts say about each other.

    Attributes:
        verdict: What became of pass^k.
        decision: What that means under what was asked.
        checks: What was asked, and what was seen.
        k: Attempts drawn, the same in both.
        tasks: How many tasks both have, which are compared.
        left_out: How many tasks only the base, and only the new receipt, has.
        units: How many of them stand alone: tasks of one cluster count once.
        floor: pass^k.
        ceiling: pass@k.
        test: How the p-values were found.
        detectable: The smallest change of pass^k that could have been seen.
        moved: The tasks that are in another pile now, in the order of the base.
        errored: How many attempts errored, in the base and in the new receipt.
        changed: What differs besides the agent.
    """

    verdict: Verdict
    decision: Decision
    checks: tuple[Check, ...]
    k: int
    tasks: int
    left_out: tuple[int, int]
    units: int
    floor: Difference
    ceiling: Difference
    test: str
    detectable: Detectable
    moved: tuple[Pair, ...]
    errored: tuple[int, int]
    changed: tuple[Change, ...]


def compare(
    base: Evidence,
    new: Evidence,
    *,
    max_drop: Fraction | None = None,
    require_power: Fraction | None = None,
    allow_different_suite: bool = False,
) -> Comparison:
    """Compare two verified receipts, paired by task.

    Args:
        base: What was.
        new: What is.
        max_drop: The most that pass^k may have dropped, 0 to 1. Without it a regression fails.
        require_power: A drop of pass^k that must not have gone unseen, 0 to 1; else undecided.
        allow_different_suite: Compare the tasks that both suites have, by their hashes.

    Raises:
        UsageError: the two differ in k, in what counts as passed, or in their suites; or they share no task.
    """
    k = _same(_head(base), _head(new), allow_different_suite=allow_different_suite)
    found = {row.task_hash: row for row in new.rows}
    pairs = [(row, found[row.task_hash]) for row in base.rows if row.task_hash in found]
    if not pairs:
        raise UsageError("the two receipts share no task: compare receipts over the same tasks")
    floor = _difference(pairs, lambda row: row.floor(k))
    ceiling = _difference(pairs, lambda row: row.ceiling(k))
    units = len(_by_unit(pairs, [Fraction(0)] * len(pairs)))
    detectable = _detectable(pairs, k, units)
    verdict = _verdict(floor)
    checks = tuple(_checks(verdict, floor, detectable, max_drop, require_power))
    return Comparison(
        verdict=verdict,
        decision=_overall(checks),
        checks=checks,
        k=k,
        tasks=len(pairs),
        left_out=(len(base.rows) - len(pairs), len(new.rows) - len(pairs)),
        units=units,
        floor=floor,
        ceiling=ceiling,
        test=_test(pairs, k, units),
        detectable=detectable,
        moved=tuple(pair for pair in pairs if pair[0].pile != pair[1].pile),
        errored=(sum(was.errored for was, _ in pairs), sum(now.errored for _, now in pairs)),
        changed=changes(base, new),
    )


def _head(evidence: Evidence) -> ReceiptHead:
    head = evidence.verification.head
    if head is None or not evidence.verification.matches:
        raise UsageError("only receipts that were verified can be compared; see bench reliability-verify")
    return head


def _same(base: ReceiptHead, new: ReceiptHead, *, allow_different_suite: bool) -> int:
    """The k of both."""
    if base.k != new.k:
        raise UsageError(
            f"k={base.k} in the base and k={new.k} in the new receipt: the figures answer two questions; "
            "run both with the same --reliability"
        )
    if base.completion_only != new.completion_only:
        raise UsageError(
            "one of the receipts counts attempts that finished, the other those that were right "
            "(--completion-only): run both alike"
        )
    if base.suite_hash != new.suite_hash and not allow_different_suite:
        raise UsageError(
            f"the suites differ: {base.suite_hash[:12]}... in the base, {new.suite_hash[:12]}... in the new "
            "receipt; --allow-different-suite compares the tasks that both have"
        )
    return base.k


def _difference(pairs: Sequence[Pair], figure: Callable[[TaskRow], Fraction]) -> Difference:
    was, now = [figure(row) for row, _ in pairs], [figure(row) for _, row in pairs]
    by_task = [after - before for before, after in zip(was, now, strict=True)]
    return Difference(
        base=mean(was),
        new=mean(now),
        interval=bootstrap_over_tasks(by_task, [row.cluster for row, _ in pairs]),
        p=_p(_by_unit(pairs, by_task)),
    )


def _by_unit(pairs: Sequence[Pair], values: Sequence[Fraction]) -> list[Fraction]:
    """The values summed over what stands or falls together: a cluster, or a task of none."""
    sums: dict[tuple[str, str], Fraction] = {}
    for (row, _), value in zip(pairs, values, strict=True):
        unit = ("task", row.task_hash) if row.cluster is None else ("cluster", row.cluster)
        sums[unit] = sums.get(unit, Fraction(0)) + value
    return list(sums.values())


def _p(changes_by_unit: Sequence[Fraction]) -> Fraction | float:
    if all(change in (-1, 0, 1) for change in changes_by_unit):
        return mcnemar_p(changes_by_unit.count(Fraction(1)), changes_by_unit.count(Fraction(-1)))
    return sign_flip_p(changes_by_unit)


def _test(pairs: Sequence[Pair], k: int, units: int) -> str:
    if units < len(pairs):
        return "paired permutation test over clusters"
    all_turn = all(row.n == k for pair in pairs for row in pair)
    return "exact McNemar test over tasks" if all_turn else "paired permutation test over tasks"


def _detectable(pairs: Sequence[Pair], k: int, units: int) -> Detectable:
    noise = math.hypot(
        *(attempt_noise([(row.n, row.passed) for row in side], k).floor for side in zip(*pairs, strict=True))
    )
    by_task = [now.floor(k) - was.floor(k) for was, now in pairs]
    if units > 1:
        scale = Fraction(units, len(pairs))
        noise = max(noise, difference_sd([change * scale for change in _by_unit(pairs, by_task)]))
    return smallest_detectable(units, noise, ALPHA, POWER)


def _verdict(floor: Difference) -> Verdict:
    if floor.p > ALPHA or not floor.change:
        return Verdict.UNCHANGED
    return Verdict.IMPROVED if floor.change > 0 else Verdict.REGRESSED


def _checks(
    verdict: Verdict,
    floor: Difference,
    detectable: Detectable,
    max_drop: Fraction | None,
    require_power: Fraction | None,
) -> Iterator[Check]:
    drop = -floor.change
    if max_drop is None:
        failed = verdict is Verdict.REGRESSED
        yield Check("regression", Decision.FAILED if failed else Decision.PASSED, Fraction(0), drop)
    else:
        decision = Decision.FAILED if drop > max_drop else Decision.PASSED
        yield Check("max_drop", decision, max_drop, drop)
    if require_power is not None:
        seen = detectable.by_tasks is not None and detectable.by_tasks <= require_power
        seen = seen and detectable.by_noise <= require_power
        decision = Decision.PASSED if seen else Decision.UNDECIDED
        yield Check("require_power", decision, require_power, detectable.change)


def _overall(checks: Sequence[Check]) -> Decision:
    decisions = {check.decision for check in checks}
    order = (Decision.FAILED, Decision.UNDECIDED, Decision.PASSED)
    return next(each for each in order if each in decisions)
