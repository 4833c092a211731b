"""The two figures of one task, their mean over tasks, and what a clean sheet can and cannot say.

Everything is an exact fraction until it is printed: binomials overflow a double long before they stop being
useful, and differences of doubles leave dust.
"""

import math
from collections.abc import Iterable
from fractions import Fraction

from passfloor.errors import UsageError
from passfloor.stats.checks import Rate, at_least_one, estimable, inner_rate, whole


def pass_at_k(n: int, c: int, k: int) -> Fraction:
    """The chance that at least one of k attempts, drawn from the n recorded ones, passes (the ceiling).

    The unbiased estimator ``1 - C(n-c,k)/C(n,k)`` of Chen et al. 2021 (arXiv:2107.03374), exact.

    Args:
        n: attempts recorded of one task, errored ones included.
        c: how many of them passed, 0 to n.
        k: attempts drawn, 1 to n.

    Raises:
        UsageError: k > n, k < 1, c outside 0 to n, or an argument that is not an int (a bool is not one).
    """
    estimable(n, c, k)
    return 1 - Fraction(math.comb(n - c, k), math.comb(n, k))


def pass_hat_k(n: int, c: int, k: int) -> Fraction:
    """The chance that all of k attempts, drawn from the n recorded ones, pass (the floor).

    The unbiased estimator ``C(c,k)/C(n,k)`` of Yao et al. 2024 (arXiv:2406.12045), exact. Arguments and
    errors are those of ``pass_at_k``.
    """
    estimable(n, c, k)
    return Fraction(math.comb(c, k), math.comb(n, k))


def at_least(n: int, c: int, k: int, j: int) -> Fraction:
    """The chance that at least j of k attempts, drawn from the n recorded ones, pass: a service level.

    The tail of the hypergeometric distribution. j = 1 is ``pass_at_k``, j = k is ``pass_hat_k``, and for
    every j it is unbiased for the binomial tail that an agent of one rate would have, by the argument of
    both.

    Args:
        n: attempts recorded of one task, errored ones included.
        c: how many of them passed, 0 to n.
        k: attempts drawn, 1 to n.
        j: how many of the drawn ones have to pass, 0 to k.

    Raises:
        UsageError: j outside 0 to k, or what ``pass_at_k`` refuses.
    """
    estimable(n, c, k)
    whole("j", j)
    if not 0 <= j <= k:
        raise UsageError(f"j={j} of k={k} attempts cannot be asked for; j lies between 0 and k")
    ways = sum(math.comb(c, i) * math.comb(n - c, k - i) for i in range(j, min(c, k) + 1))
    return Fraction(ways, math.comb(n, k))


def mean(values: Iterable[Fraction]) -> Fraction:
    """The exact mean of ``values``, read once.

    Raises:
        UsageError: there are no values.
    """
    total, count = Fraction(0), 0
    for value in values:
        total += value
        count += 1
    if not count:
        raise UsageError("a mean is undefined over no tasks; name at least one task")
    return total / count


def ruled_out(n: int, alpha: Rate = Fraction(1, 20)) -> float:
    """The smallest failure rate that n passing attempts out of n rule out, one-sided at level ``alpha``.

    An agent that fails with rate r gives a clean sheet with probability ``(1-r)**n``; below ``alpha`` that is
    taken as ruled out: ``r = 1 - alpha**(1/n)`` (the Clopper-Pearson bound of 1934 at c = n).

    Args:
        n: attempts, 1 or more, all of them passing.
        alpha: strictly between 0 and 1; 0.05 is 95% confidence.

    Returns:
        A rate between 0 and 1.

    Raises:
        UsageError: n or alpha is outside its range.
    """
    at_least_one("n", n)
    return -math.expm1(math.log(inner_rate("alpha", alpha)) / n)


def percent(value: Fraction, places: int = 1) -> str:
    """``value`` times 100 with ``places`` decimals and no sign of percent, such as ``92.7``.

    Rounded once, half to even on the exact value. What rounds to zero has no minus sign.

    Raises:
        UsageError: ``places`` is not an int of 0 or more.
    """
    whole("places", places)
    if places < 0:
        raise UsageError(f"places={places} is below 0; a figure is shown with 0 or more decimals")
    units = round(value * 100 * 10**places)
    digits = str(abs(units)).zfill(places + 1)
    sign = "-" if units < 0 else ""
    before = digits[: len(digits) - places]
    return f"{sign}{before}.{digits[-places:]}" if places else f"{sign}{before}"
