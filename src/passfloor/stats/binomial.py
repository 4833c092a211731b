"""The binomial distribution's tails, and the interval for a rate that follows from them."""

import functools
import math
from fractions import Fraction

from passfloor.stats.checks import Rate, at_least_one, inner_rate, possible, whole


@functools.lru_cache(maxsize=4096, typed=True)
def clopper_pearson(n: int, c: int, level: Rate = Fraction(95, 100)) -> tuple[float, float]:
    """The two-sided interval of Clopper and Pearson (1934) for the success rate of one task.

    The rates that c or more, and c or fewer, passes of n do not contradict at ``(1 - level)/2`` a side. It
    covers the true rate with a chance of ``level`` or more whatever that rate is.

    Args:
        n: attempts, 1 or more.
        c: how many of them passed, 0 to n.
        level: strictly between 0 and 1.

    Returns:
        ``(low, high)``, 0 to 1, each within 1e-12 of the exact bound.

    Raises:
        UsageError: an argument is outside its range.
    """
    at_least_one("n", n)
    whole("c", c)
    possible(n, c)
    tail = float((1 - inner_rate("level", level)) / 2)
    low = 0.0 if c == 0 else _rate_of_tail(n, c, tail)
    high = 1.0 if c == n else 1 - _rate_of_tail(n, n - c, tail)
    return low, high


def upper_tail(n: int, c: int, p: float) -> float:
    """P(at least c of n pass), c at most n, each with chance p.

    Every term is positive, so that nothing cancels.
    """
    if c <= 0:
        return 1.0
    if c <= n * p:
        return 1 - _sum_from(n, n - c + 1, 1 - p)
    return _sum_from(n, c, p)


def chances(n: int, p: float) -> list[float]:
    """P(c of n pass) for c from 0 to n."""
    return [_term(n, c, p) for c in range(n + 1)]


def _sum_from(n: int, c: int, p: float) -> float:
    """The terms from c upwards, which fall: c lies beyond the mean."""
    term = total = _term(n, c, p)
    for passed in range(c, n):
        term *= (n - passed) / (passed + 1) * p / (1 - p)
        total += term
        if term < total * 1e-18:
            break
    return total


def _term(n: int, c: int, p: float) -> float:
    if not 0 < p < 1:
        return float(c == (n if p >= 1 else 0))
    return math.exp(_log_ways(n, c) + c * math.log(p) + (n - c) * math.log1p(-p))


@functools.lru_cache(maxsize=4096)
def _log_ways(n: int, c: int) -> float:
    return math.log(math.comb(n, c))


def _rate_of_tail(n: int, c: int, tail: float) -> float:
    """The rate at which c or more passes have the chance ``tail``: the chance rises with the rate."""
    low, high = 0.0, 1.0
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if upper_tail(n, c, middle) < tail else (low, middle)
    return middle
