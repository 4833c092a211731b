"""Could the attempts that a receipt counts and a few fresh ones come from one agent?

Given how many of a task's attempts passed in all, claimed and fresh together, the number of fresh ones among
them is hypergeometric, whatever the agent's rate is (Fisher 1934). So every test here is exact, and none
assumes a rate. The weighted sum over tasks is the test of Cochran (1954) and of Mantel and Haenszel (1959),
with its exact distribution in place of the normal one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from passfloor.errors import UsageError
from passfloor.stats.checks import Rate, at_least_one, estimable, inner_rate, possible, rate, whole
from passfloor.stats.estimators import mean, pass_hat_k

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]

ALPHA = Fraction(1, 20)
"""The chance with which an honest claim is found inconsistent, at most."""

_OVERALL = Fraction(4, 5)
# Two sums that lie equally far from what is expected may differ by rounding.
_ALIKE = 1e-7


class Spot(NamedTuple):
    """One task: ``c`` of ``n`` attempts are claimed to have passed, ``s`` of ``r`` fresh ones did.

    Attributes:
        n: Attempts claimed, 1 or more.
        c: How many of them are claimed to have passed, 0 to n.
        r: Fresh attempts, 0 or more.
        s: How many of them passed, 0 to r.
    """

    n: int
    c: int
    r: int
    s: int


@dataclass(frozen=True)
class Comparison:
    """What fresh attempts say of a claim.

    Attributes:
        overall: The two-sided exact p-value of the weighted sum of passes; None without fresh attempts.
        overall_level: At or below which it speaks against the claim.
        tasks: The two-sided exact p-value of each task, in order; None where it has no fresh attempt.
        task_level: At or below which one of them does, corrected for how many tasks there are.
        against: The positions of the tasks that do.
    """

    overall: float | None
    overall_level: float
    tasks: tuple[float | None, ...]
    task_level: float
    against: tuple[int, ...]

    @property
    def consistent(self) -> bool:
        """Whether nothing speaks against the claim."""
        return not self.against and (self.overall is None or self.overall > self.overall_level)


def compare_spots(spots: Sequence[Spot], k: int, alpha: Rate = ALPHA) -> Comparison:
    """Test a claim by fresh attempts; an honest one is found inconsistent with a chance of ``alpha`` at most.

    ``alpha`` is shared: four fifths go to the sum of fresh passes over all tasks, which shows a claim that is
    too good (or too bad) everywhere, a pass of a task counting for more, up to four times, the more the
    suite's pass^k hangs on it; one fifth to the single tasks, which show a claim that is made up in places,
    by the procedure of Tarone (1990): it corrects only for tasks that have attempts enough to speak at all.
    Where none has, all of it goes to the sum.

    Args:
        spots: One a task.
        k: 1 to the least n.
        alpha: Strictly between 0 and 1.

    Raises:
        UsageError: No tasks, counts that cannot be, or a number outside its range.
    """
    level = inner_rate("alpha", alpha)
    if not spots:
        raise UsageError("an audit is undefined over no tasks; name at least one task")
    for spot in spots:
        estimable(spot.n, spot.c, k)
        whole("r", spot.r)
        whole("s", spot.s)
        possible(spot.r, spot.s)
    tasks = tuple(_two_sided(*spot) if spot.r else None for spot in spots)
    bound = _task_level(spots, float(level * (1 - _OVERALL)))
    overall_level = float(level * _OVERALL) if bound else float(level)
    against = tuple(at for at, p in enumerate(tasks) if p is not None and p <= bound)
    fresh = [spot for spot in spots if spot.r]
    return Comparison(_overall(fresh, k) if fresh else None, overall_level, tasks, bound, against)


def deal(tasks: int, budget: int, order: Sequence[int]) -> list[int]:
    """How many of ``budget`` attempts each task gets: as even as can be, the rest to the first in ``order``.

    Args:
        tasks: 1 or more.
        budget: 1 or more.
        order: The positions of the tasks, from 0, shuffled by whoever pays.

    Raises:
        UsageError: One of the numbers is below 1, or ``order`` does not name every position once.
    """
    at_least_one("tasks", tasks)
    at_least_one("budget", budget)
    if sorted(order) != list(range(tasks)):
        raise UsageError(f"the order is not one of {tasks} tasks; name each position from 0 once")
    each, rest = divmod(budget, tasks)
    shares = [each] * tasks
    for position in order[:rest]:
        shares[position] += 1
    return shares


class Detection:
    """The chance that an audit finds a claim inconsistent, by drawing audits with a fixed seed.

    A claim is one ``Spot`` a task, whose ``r`` is the number of fresh attempts to be made; ``s`` is not
    looked at.
    """

    def __init__(self, k: int, alpha: Rate = ALPHA, draws: int = 1000) -> None:
        """Choose the test, and how finely the chance is drawn.

        Args:
            k: As for ``compare_spots``.
            alpha: Likewise.
            draws: How many audits are drawn, 1 or more; the standard error is at most ``0.5 / sqrt(draws)``.

        Raises:
            UsageError: ``draws`` is below 1. What ``compare_spots`` refuses, each method does.
        """
        at_least_one("draws", draws)
        self._k = k
        self._alpha = alpha
        self._draws = draws

    def of_rates(self, claims: Sequence[Spot], rates: Sequence[Rate]) -> float:
        """The chance where the agent's true rates are ``rates``, one a task, 0 to 1."""
        import numpy as np

        if len(rates) != len(claims):
            raise UsageError(f"{len(rates)} rates for {len(claims)} tasks; give one a task")
        true = np.array([float(rate("rate", each)) for each in rates])
        claimed = np.array([[spot.c for spot in claims]] * self._draws)
        return self._found(claims, claimed, true, _drawing())

    def of_the_best(self, claims: Sequence[Spot], runs: int) -> float:
        """The chance where the claim is the best by pass^k of ``runs`` runs of an agent like the one claimed.

        Its rates are taken to be the claimed ones, drawn in by half an attempt at either end (Jeffreys). How
        high the claim is bears little on the answer, since what picking gains is measured in standard
        deviations. ``runs`` is 1 or more.
        """
        import numpy as np

        at_least_one("runs", runs)
        drawing = _drawing()
        rates = np.array([(spot.c + 0.5) / (spot.n + 1) for spot in claims])
        attempts = np.array([spot.n for spot in claims], dtype=np.int64)
        worth = [[float(pass_hat_k(spot.n, c, self._k)) for c in range(spot.n + 1)] for spot in claims]
        best = np.zeros((self._draws, len(claims)), dtype=np.int64)
        for draw in range(self._draws):
            found = drawing.binomial(attempts, rates, (runs, len(claims)))
            floors = [sum(map(list.__getitem__, worth, counts)) for counts in found.tolist()]
            best[draw] = found[floors.index(max(floors))]
        return self._found(claims, best, rates, drawing)

    def least_drop(self, claims: Sequence[Spot]) -> float | None:
        """The smallest fall of the success rate, to a point, that is found with a chance of 80% or more.

        Every task's rate is taken to be the claimed one times the same factor.

        Returns:
            A number above 0, at most the claimed rate itself; None where even an agent that never passes
            would not be found.
        """
        if not self.of_rates(claims, [0] * len(claims)):
            return None
        claimed = [Fraction(spot.c, spot.n) for spot in claims]
        most = mean(claimed)
        low, high = 0, math.ceil(100 * most)
        while high - low > 1:
            middle = (low + high) // 2
            kept = 1 - Fraction(middle, 100) / most
            found = self.of_rates(claims, [kept * each for each in claimed])
            low, high = (low, middle) if found >= ENOUGH else (middle, high)
        return float(min(Fraction(high, 100), most))

    def _found(
        self, claims: Sequence[Spot], claimed: "Counts", rates: "Floats", drawing: "np.random.Generator"
    ) -> float:
        budgets = [spot.r for spot in claims]
        fresh = drawing.binomial(budgets, rates, claimed.shape)
        found = 0
        for counts, passes in zip(claimed.tolist(), fresh.tolist(), strict=True):
            drawn = zip(claims, counts, passes, strict=True)
            spots = [Spot(claim.n, c, claim.r, s) for claim, c, s in drawn]
            found += not compare_spots(spots, self._k, self._alpha).consistent
        return found / self._draws


ENOUGH = 0.8
"""The power that is called enough."""


def _drawing() -> "np.random.Generator":
    import numpy as np

    return np.random.Generator(np.random.PCG64(20))


def _overall(spots: Sequence[Spot], k: int) -> float:
    """Of the weighted sum of fresh passes: how likely is one as far from what is expected?"""
    import numpy as np

    margins = sorted((spot.n, spot.r, spot.c + spot.s) for spot in spots)
    chances = _sum_chances(tuple(margins), k)
    expected = math.fsum(_weight(n, r, passed, k) * r * passed / (n + r) for n, r, passed in margins)
    seen = sum(_weight(spot.n, spot.r, spot.c + spot.s, k) * spot.s for spot in spots)
    distances = np.abs(np.arange(len(chances)) - expected)
    return min(1.0, float(np.sum(chances[distances >= abs(seen - expected) - _ALIKE])))


def _weight(n: int, r: int, passed: int, k: int) -> int:
    """1 to 4: what a further pass is worth to pass^k, from the task's passes in all."""
    return 1 + round(3 * (passed / (n + r)) ** (k - 1))


@lru_cache(maxsize=64)
def _sum_chances(margins: tuple[tuple[int, int, int], ...], k: int) -> "Floats":
    """The chance of each weighted sum from 0: independent hypergeometric numbers, stretched and added."""
    import numpy as np

    chances = np.ones(1)
    for n, r, passed in margins:
        weight = _weight(n, r, passed, k)
        stretched = np.zeros(weight * r + 1)
        stretched[::weight] = _fresh_chances(n, r, passed)
        chances = np.convolve(chances, stretched)
    return chances


@lru_cache(maxsize=65536)
def _fresh_chances(n: int, r: int, passed: int) -> tuple[float, ...]:
    """P(s of r fresh attempts are among the passed) for s from 0 to r."""
    every = math.comb(n + r, passed)
    return tuple(ways / every for ways in _ways(n, r, passed))


@lru_cache(maxsize=64)
def _ways(n: int, r: int, passed: int) -> tuple[int, ...]:
    """Of the choices of ``passed`` among all attempts, how many hold s of r fresh ones, for s from 0 to r."""
    least = max(0, passed - n)
    ways = [0] * (r + 1)
    ways[least] = math.comb(r, least) * math.comb(n, passed - least)
    for s in range(least, min(r, passed)):
        ways[s + 1] = ways[s] * (r - s) * (passed - s) // ((s + 1) * (n - passed + s + 1))
    return tuple(ways)


@lru_cache(maxsize=65536)
def _two_sided(n: int, c: int, r: int, s: int) -> float:
    """Fisher's exact test: the chance of all that is no more likely than what was seen."""
    ways = _ways(n, r, c + s)
    return sum(each for each in ways if each <= ways[s]) / math.comb(n + r, c + s)


@lru_cache(maxsize=65536)
def _least(n: int, r: int, passed: int) -> float:
    """The smallest p-value that a task with these margins can have: that of its least likely outcome."""
    ways = _ways(n, r, passed)
    rarest = ways.index(min(each for each in ways if each))
    return _two_sided(n, passed - rarest, r, rarest)


def _task_level(spots: Sequence[Spot], level: float) -> float:
    """What a task's p-value is held against (Tarone 1990); 0 where none could ever be so small."""
    least = sorted(_least(spot.n, spot.r, spot.c + spot.s) for spot in spots if spot.r)
    for share in range(1, len(least) + 1):
        if sum(each <= level / share for each in least) <= share:
            return level / share if least[0] <= level / share else 0.0
    return 0.0
