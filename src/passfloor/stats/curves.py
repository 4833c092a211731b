"""The figures of a suite at every k, and the three piles its tasks fall into."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from passfloor.stats.checks import Pairs, counted, drawable
from passfloor.stats.estimators import pass_at_k, pass_hat_k


@dataclass(frozen=True)
class Point:
    """The pair at one k.

    Attributes:
        k: attempts drawn.
        ceiling: pass@k, the mean over ``tasks`` tasks, 0 to 1.
        floor: pass^k, likewise.
        tasks: how many tasks have at least k attempts, and so stand behind the pair.
    """

    k: int
    ceiling: Fraction
    floor: Fraction
    tasks: int

    @property
    def envelope(self) -> Fraction:
        """Ceiling less floor, 0 to 1."""
        return self.ceiling - self.floor


@dataclass(frozen=True)
class Piles:
    """How many tasks passed every attempt, some of them, or none; the three sum to the number of tasks."""

    always: int
    flaky: int
    never: int

    @property
    def tasks(self) -> int:
        """All tasks."""
        return self.always + self.flaky + self.never


def curve(pairs: Pairs, ks: Iterable[int] | None = None) -> list[Point]:
    """The pair at every k of ``ks``, in their order; by default at every k from 1 to the largest n.

    A task counts at k when it has k attempts or more. Over tasks of one n the floor never rises and the
    ceiling never falls along the curve; where n differs, points may stand for different tasks, and ``tasks``
    says for how many.

    Args:
        pairs: one ``(n, c)`` a task.
        ks: 1 to the largest n each.

    Raises:
        UsageError: no tasks, impossible counts, or a k above every n.
    """
    tally = Counter(counted(pairs))
    wanted = range(1, max(n for n, _ in tally) + 1) if ks is None else ks
    return [_point(tally, k) for k in wanted]


def piles(pairs: Pairs) -> Piles:
    """Sort tasks by what became of all their attempts, whatever k is.

    Raises:
        UsageError: no tasks, a task without attempts, or impossible counts.
    """
    tasks = counted(pairs)
    always = sum(c == n for n, c in tasks)
    never = sum(c == 0 for _, c in tasks)
    return Piles(always=always, flaky=len(tasks) - always - never, never=never)


def success_rate(pairs: Pairs) -> Fraction:
    """The mean over tasks of c/n: both figures at k = 1. With one n for all it is also passes per attempt.

    Raises:
        UsageError: no tasks, a task without attempts, or impossible counts.
    """
    return _point(Counter(counted(pairs)), 1).floor


def _point(tally: Counter[tuple[int, int]], k: int) -> Point:
    """Equal tasks are computed once: a suite has few different counts."""
    kept = {counts: tally[counts] for counts in drawable(tally, k)}
    tasks = sum(kept.values())
    ceiling = sum((times * pass_at_k(n, c, k) for (n, c), times in kept.items()), Fraction(0))
    floor = sum((times * pass_hat_k(n, c, k) for (n, c), times in kept.items()), Fraction(0))
    return Point(k=k, ceiling=ceiling / tasks, floor=floor / tasks, tasks=tasks)
