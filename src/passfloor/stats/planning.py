"""What a run will be able to say, before it is paid for.

Rates are assumed. The variance of an estimate then splits exactly into what tasks differ by and what attempts
scatter by; intervals are taken as normal, which is good enough to plan with.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from passfloor.errors import UsageError
from passfloor.stats.assumed import estimate_variance, overlaps
from passfloor.stats.checks import Rate, at_least_one, inner_rate
from passfloor.stats.distinction import Distinction, attempts_to_tell, tell_apart
from passfloor.stats.gates import GateChance, gate_pass_chance
from passfloor.stats.mixes import WORKED_MIX, Mix, mix_of, shares_of
from passfloor.stats.normal import normal_quantile

__all__ = [
    "WORKED_MIX",
    "Bill",
    "Distinction",
    "GateChance",
    "Mix",
    "Width",
    "attempts_for_width",
    "attempts_to_tell",
    "bill",
    "expected_width",
    "gate_pass_chance",
    "mix_of",
    "rule_of_thumb",
    "tasks_for_width",
    "tell_apart",
]


@dataclass(frozen=True)
class Width:
    """Expected full widths of the intervals across tasks, in units of the figure (0.4 is 40 points)."""

    ceiling: float
    floor: float


@dataclass(frozen=True)
class Bill:
    """What a run costs in attempts: ``runs = tasks * n``."""

    tasks: int
    n: int

    @property
    def runs(self) -> int:
        """Attempts in all."""
        return self.tasks * self.n


def expected_width(
    tasks: int, n: int, k: int, mix: Mix = WORKED_MIX, level: Rate = Fraction(95, 100)
) -> Width:
    """How wide the intervals across tasks will be, ``2 z sd / sqrt(T)``, for tasks drawn from ``mix``.

    Raises:
        UsageError: tasks or k below 1, k > n, or a mix or level outside its range.
    """
    at_least_one("tasks", tasks)
    z = normal_quantile((1 + float(inner_rate("level", level))) / 2)
    ceiling, floor = (_variance(kinds, n, k) for kinds in (_failing(mix), _kinds(mix)))
    return Width(ceiling=2 * z * math.sqrt(ceiling / tasks), floor=2 * z * math.sqrt(floor / tasks))


def tasks_for_width(
    width: Rate, n: int, k: int, mix: Mix = WORKED_MIX, level: Rate = Fraction(95, 100)
) -> int:
    """The fewest tasks with which the interval of pass^k is expected to be at most ``width`` wide.

    Raises:
        UsageError: as ``expected_width``; ``width`` has to lie strictly between 0 and 1.
    """
    wanted = float(inner_rate("width", width))
    z = normal_quantile((1 + float(inner_rate("level", level))) / 2)
    return max(1, math.ceil(_variance(_kinds(mix), n, k) * (2 * z / wanted) ** 2 - 1e-9))


def attempts_for_width(
    width: Rate, tasks: int, k: int, mix: Mix = WORKED_MIX, level: Rate = Fraction(95, 100)
) -> int | None:
    """The fewest attempts a task, k or more, with which the interval of pass^k is at most ``width`` wide.

    None when no number of attempts does it: what tasks differ by remains.

    Raises:
        UsageError: as ``tasks_for_width``.
    """
    at_least_one("tasks", tasks)
    at_least_one("k", k)
    wanted = float(inner_rate("width", width))
    z = normal_quantile((1 + float(inner_rate("level", level))) / 2)
    allowed = tasks * (wanted / (2 * z)) ** 2
    kinds = _kinds(mix)
    if _between(kinds, k) >= allowed:
        return None
    enough = k
    while _variance(kinds, enough, k) > allowed:
        enough *= 2
    short = max(k - 1, enough // 2)
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (middle, enough) if _variance(kinds, middle, k) > allowed else (short, middle)
    return enough


def bill(tasks: int, n: int) -> Bill:
    """What T tasks with n attempts each cost, in runs.

    Raises:
        UsageError: a number below 1.
    """
    at_least_one("tasks", tasks)
    at_least_one("n", n)
    return Bill(tasks=tasks, n=n)


def rule_of_thumb(runs: int, k: int) -> Bill:
    """How to spend ``runs`` attempts: k from the product, n = 2k, all the rest into tasks.

    Raises:
        UsageError: k below 1, or fewer runs than one task takes.
    """
    at_least_one("k", k)
    at_least_one("runs", runs)
    if runs < 2 * k:
        raise UsageError(
            f"runs={runs} are fewer than the {2 * k} attempts of one task; allow for more or a smaller k"
        )
    return Bill(tasks=runs // (2 * k), n=2 * k)


def _kinds(mix: Mix) -> list[tuple[float, float]]:
    shares = shares_of(mix)
    return [(float(share), float(p)) for share, p in shares]


def _failing(mix: Mix) -> list[tuple[float, float]]:
    """The mix of failure rates: pass@k is 1 less the pass^k of failing."""
    return [(float(share), float(1 - p)) for share, p in shares_of(mix)]


def _between(kinds: list[tuple[float, float]], k: int) -> float:
    """The variance of p**k over the mix: what tasks differ by."""
    mean = math.fsum(share * p**k for share, p in kinds)
    return math.fsum(share * (p**k - mean) ** 2 for share, p in kinds)


def _variance(kinds: list[tuple[float, float]], n: int, k: int) -> float:
    """The variance of one task's estimate: between the kinds, and within each from n attempts."""
    at_least_one("k", k)
    at_least_one("n", n)
    if k > n:
        raise UsageError(f"not estimable: k={k} > n={n}; plan at least {k} attempts or ask for a smaller k")
    shared = overlaps(n, k)
    return _between(kinds, k) + math.fsum(share * estimate_variance(p, shared, k) for share, p in kinds)
