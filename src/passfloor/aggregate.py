"""Attempts to numbers: the one derivation that both sealing and verifying call."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from passfloor.errors import UsageError
from passfloor.models.receipt import Counts
from passfloor.stats import pass_at_k, pass_hat_k

Pile = Literal["always", "flaky", "never"]
"""What tasks are sorted into: those of which every attempt passed, some did, or none."""


def pile_of(n: int, passed: int) -> Pile:
    """The pile of a task of whose n attempts, 1 or more, so many passed."""
    if passed == n:
        return "always"
    return "flaky" if passed else "never"


@dataclass(frozen=True)
class TaskCount:
    """What became of one task's attempts; those neither passed nor errored are wrong.

    Attributes:
        n: attempts recorded, errored ones included.
        passed: how many passed, 0 to n.
        errored: how many did not finish or could not be judged, 0 to n - passed.

    Raises:
        UsageError: a number is not an int of 0 or more, or passed + errored > n.
    """

    n: int
    passed: int
    errored: int

    def __post_init__(self) -> None:
        for name in ("n", "passed", "errored"):
            value = getattr(self, name)
            if type(value) is not int or value < 0:
                raise UsageError(f"{name}={value!r} is not a count; give an int of 0 or more")
        if self.passed + self.errored > self.n:
            raise UsageError(
                f"{self.passed} passed and {self.errored} errored are more than the n={self.n} attempts; "
                "count each attempt once"
            )

    @classmethod
    def of(cls, outcomes: Iterable[str]) -> "TaskCount":
        """Count the outcomes of one task's attempts: ``passed``, ``wrong`` or ``errored``."""
        tally = Counter(outcomes)
        return cls(n=tally.total(), passed=tally["passed"], errored=tally["errored"])

    def exchanged(self, outcomes: Iterable[tuple[str, str]]) -> "TaskCount":
        """The count after some attempts' outcomes, as counted, were exchanged for others: (before, after)."""
        change: Counter[str] = Counter()
        for before, after in outcomes:
            change[before] -= 1
            change[after] += 1
        return TaskCount(self.n, self.passed + change["passed"], self.errored + change["errored"])


@dataclass(frozen=True)
class Numbers:
    """What a set of attempts supports. Every figure is per task, then the mean over tasks; never pooled.

    Attributes:
        counts: whole numbers over all tasks.
        pass_at_k: the any-of-k ceiling, 0 to 1.
        pass_hat_k: the all-of-k floor, 0 to 1.
        success_rate: passing attempts among all attempts, errored ones in the denominator, 0 to 1.
    """

    counts: Counts
    pass_at_k: Fraction
    pass_hat_k: Fraction
    success_rate: Fraction


def numbers(tasks: Iterable[TaskCount], k: int) -> Numbers:
    """Derive every sealed number from the tasks' counts, reading ``tasks`` once.

    An errored attempt stays in n and is not passing: a task whose attempts all errored counts as zero.

    Args:
        tasks: one entry a task; what is held grows with the distinct (n, passed) pairs, not with the tasks.
        k: attempts drawn, 1 to the smallest n.

    Raises:
        UsageError: there are no tasks, or a task has fewer than k attempts.
    """
    alike: Counter[tuple[int, int]] = Counter()
    errored = 0
    for task in tasks:
        alike[task.n, task.passed] += 1
        errored += task.errored
    count = alike.total()
    if not count:
        raise UsageError("pass@k and pass^k are undefined over no tasks; name at least one task")
    ceiling = floor = rate = Fraction(0)
    for (n, passed), times in alike.items():
        ceiling += times * pass_at_k(n, passed, k)
        floor += times * pass_hat_k(n, passed, k)
        rate += times * Fraction(passed, n)
    return Numbers(_counts(alike, errored), ceiling / count, floor / count, rate / count)


def nearest(value: Fraction) -> float:
    """The double nearest to ``value`` (half to even): how an exact figure is sealed."""
    # int / int is correctly rounded; dividing two floats would round three times, and overflow on the way.
    return value.numerator / value.denominator


def _counts(alike: Counter[tuple[int, int]], errored: int) -> Counts:
    attempts = sum(n * times for (n, _), times in alike.items())
    passed = sum(c * times for (_, c), times in alike.items())
    return Counts(
        tasks=alike.total(),
        attempts=attempts,
        passed=passed,
        wrong=attempts - passed - errored,
        errored=errored,
        tasks_any=sum(times for (_, c), times in alike.items() if c),
        tasks_all=sum(times for (n, c), times in alike.items() if c == n),
    )
