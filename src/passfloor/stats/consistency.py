"""Does the agent do the same thing every time, right or wrong?

Outcomes first: how far attempts of one task agree, and how much of all variance lies between tasks. Then
labels, which stand for what was answered (a digest of it, a decision, a tool path): two attempts agree when
their labels are equal.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from passfloor.errors import UsageError
from passfloor.stats.checks import Pairs, counted, drawable
from passfloor.stats.curves import curve
from passfloor.stats.drift import Trend, trend

__all__ = [
    "NeverSplit",
    "Trend",
    "agreement",
    "distinct",
    "icc",
    "modal_share",
    "never_split",
    "outcome_consistency",
    "trend",
    "variance_shares",
]


@dataclass(frozen=True)
class NeverSplit:
    """The pile of tasks that never passed, by what they answered.

    Attributes:
        same: the same wrong answer every time: read the task and its grader.
        scattered: different wrong answers: a missing capability.
        unknown: fewer than two answers to compare.
    """

    same: int
    scattered: int
    unknown: int


def outcome_consistency(pairs: Pairs) -> Fraction:
    """``1 - 4 (pass^1 - pass^2)``, unbiased for the mean over tasks of ``1 - 4 p (1 - p)``.

    1 where every task always passes or never does, 0 where every task is a fair coin. Over tasks with two
    attempts or more; an estimate can be below 0 (one pass of two attempts gives -1).

    Returns:
        At most 1.

    Raises:
        UsageError: no tasks with two attempts, or impossible counts.
    """
    once, twice = curve(drawable(pairs, 2), [1, 2])
    return 1 - 4 * (once.floor - twice.floor)


def icc(pairs: Pairs) -> Fraction | None:
    """ICC(1,1) of Shrout and Fleiss (1979): the correlation of two attempts of one task, over tasks.

    ``(MSB - MSW) / (MSB + (n0 - 1) MSW)`` of the one-way analysis of variance of passing (1) and not (0),
    with ``n0 = (N - sum of n**2 / N) / (T - 1)``, which is n where all tasks have n attempts.

    Returns:
        At most 1; it can be negative. None where it is undefined: all attempts alike, one task, or no task
        with a second attempt.

    Raises:
        UsageError: no tasks, or impossible counts.
    """
    tasks = counted(pairs)
    attempts = sum(n for n, _ in tasks)
    if len(tasks) < 2 or attempts == len(tasks):
        return None
    between, within = _squares(tasks)
    if not between + within:
        return None
    between /= len(tasks) - 1
    within /= attempts - len(tasks)
    size = (attempts - Fraction(sum(n * n for n, _ in tasks), attempts)) / (len(tasks) - 1)
    return (between - within) / (between + (size - 1) * within)


def variance_shares(pairs: Pairs) -> tuple[Fraction, Fraction] | None:
    """``(between, within)``: the shares of the variance of outcomes between tasks and within them.

    Sums of squares, so that the two sum to 1 exactly. Chance alone puts some variance between tasks; ``icc``
    is the share corrected for that.

    Returns:
        None where all attempts are alike: there is no variance to share out.

    Raises:
        UsageError: no tasks, or impossible counts.
    """
    between, within = _squares(counted(pairs))
    total = between + within
    return (between / total, within / total) if total else None


def modal_share(labels: Sequence[Hashable]) -> Fraction:
    """The share of the most frequent label, above 0 and up to 1.

    Raises:
        UsageError: there are no labels.
    """
    if not labels:
        raise UsageError("agreement is undefined over no answers; give at least one label")
    return Fraction(max(Counter(labels).values()), len(labels))


def distinct(labels: Iterable[Hashable]) -> int:
    """How many different labels there are."""
    return len(set(labels))


def agreement(groups: Iterable[Sequence[Hashable]]) -> Fraction:
    """The mean over groups (a task's attempts each) of ``modal_share``.

    Raises:
        UsageError: no groups, or an empty one.
    """
    shares = [modal_share(labels) for labels in groups]
    if not shares:
        raise UsageError("agreement is undefined over no tasks; give at least one group of labels")
    return sum(shares, Fraction(0)) / len(shares)


def never_split(groups: Iterable[Sequence[Hashable]]) -> NeverSplit:
    """Split the tasks that never passed by the labels of their answers.

    Args:
        groups: one a task of the never pile: a label an attempt that gave an answer. Attempts without one
            (errored ones) are left out by the caller.
    """
    kinds = Counter(_kind(labels) for labels in groups)
    return NeverSplit(same=kinds["same"], scattered=kinds["scattered"], unknown=kinds["unknown"])


def _kind(labels: Sequence[Hashable]) -> str:
    if len(labels) < 2:
        return "unknown"
    return "same" if distinct(labels) == 1 else "scattered"


def _squares(tasks: list[tuple[int, int]]) -> tuple[Fraction, Fraction]:
    """Sums of squares between tasks and within them."""
    attempts, passed = sum(n for n, _ in tasks), sum(c for _, c in tasks)
    within = sum((times * Fraction(c * (n - c), n) for (n, c), times in Counter(tasks).items()), Fraction(0))
    return Fraction(passed * (attempts - passed), attempts) - within, within
