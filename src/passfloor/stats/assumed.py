"""Figures that follow from an assumed rate, the two shortcuts to be wary of, and what errors could hide."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from passfloor.errors import UsageError
from passfloor.stats.checks import Pairs, Rate, at_least_one, counted, drawable, rate, whole
from passfloor.stats.curves import curve, success_rate
from passfloor.stats.estimators import mean


@dataclass(frozen=True)
class Bounds:
    """What a pair could be, were its errored attempts judged: ``(low, high)``, each 0 to 1.

    Attributes:
        ceiling: pass@k with every errored attempt failed (the headline), and with every one passed.
        floor: pass^k likewise.
    """

    ceiling: tuple[Fraction, Fraction]
    floor: tuple[Fraction, Fraction]


def assumed_pass_at_k(p: Rate, k: int) -> Fraction:
    """``1 - (1-p)**k``: at least one of k independent attempts passes, if each does with chance p.

    The closed form for a rate one assumes. It is the only way past the attempts recorded (k > n), and a
    figure made with it is an extrapolation and has to be called one.

    Raises:
        UsageError: p is outside 0 to 1, or k below 1.
    """
    at_least_one("k", k)
    return 1 - (1 - rate("p", p)) ** k


def assumed_pass_hat_k(p: Rate, k: int) -> Fraction:
    """``p**k``: all of k independent attempts pass, if each does with chance p. As ``assumed_pass_at_k``."""
    at_least_one("k", k)
    return rate("p", p) ** k


def batch(pairs: Pairs, k: int) -> Fraction:
    """The chance that k *different* jobs, drawn from the mix the suite stands for, are all right.

    The mean success rate to the power k. It answers another question than pass^k (the same job k times over)
    and is not bounded by n.

    Raises:
        UsageError: no tasks, impossible counts, or k below 1.
    """
    at_least_one("k", k)
    return success_rate(pairs) ** k


def plug_in(pairs: Pairs, k: int) -> tuple[Fraction, Fraction]:
    """For contrast only: ``(ceiling, floor)`` with each task's observed rate put into the closed forms.

    Biased: it understates pass@k and overstates pass^k (Chen et al. 2021, arXiv:2107.03374, appendix A).
    Quote ``curve`` instead.

    Raises:
        UsageError: no tasks with k attempts, or impossible counts.
    """
    rates = [Fraction(c, n) for n, c in drawable(pairs, k)]
    return mean(assumed_pass_at_k(p, k) for p in rates), mean(assumed_pass_hat_k(p, k) for p in rates)


def pooled(pairs: Pairs, k: int) -> tuple[Fraction, Fraction]:
    """For contrast only: ``(ceiling, floor)`` as if all attempts were of one task.

    The picture of a suite in which every task is equally flaky, the widest envelope its mean rate allows;
    both figures err outward as soon as tasks differ. Quote ``curve`` instead.

    Raises:
        UsageError: no tasks, impossible counts, or k below 1.
    """
    tasks = counted(pairs)
    p = Fraction(sum(c for _, c in tasks), sum(n for n, _ in tasks))
    return assumed_pass_at_k(p, k), assumed_pass_hat_k(p, k)


def estimate_sd(p: Rate, n: int, k: int) -> float:
    """The standard deviation of a task's pass^k estimate from n attempts, if its true rate is p.

    Exact up to double precision. That of pass@k is ``estimate_sd(1 - p, n, k)``, by symmetry.

    Returns:
        0 to 0.5, in units of the figure (0.21 is 21 points).

    Raises:
        UsageError: p is outside 0 to 1, or k outside 1 to n.
    """
    at_least_one("k", k)
    whole("n", n)
    if k > n:
        raise UsageError(f"not estimable: k={k} > n={n}; record at least {k} attempts or ask for a smaller k")
    return math.sqrt(estimate_variance(float(rate("p", p)), overlaps(n, k), k))


def overlaps(n: int, k: int) -> list[float]:
    """The chance that two k-subsets of n attempts share i of them, for i from 0 to k (hypergeometric)."""
    ways = math.comb(n, k)
    return [math.comb(k, i) * math.comb(n - k, k - i) / ways for i in range(k + 1)]


def estimate_variance(p: float, shared: list[float], k: int) -> float:
    """The variance of a pass^k estimate, a U-statistic (Hoeffding 1948): by the overlap of two draws.

    ``sum of P(i shared) * (p**(2k-i) - p**2k)``, whose terms are all positive: nothing cancels.
    """
    if not 0 < p < 1:
        return 0.0
    log = math.log(p)
    return math.fsum(
        chance * math.exp((2 * k - i) * log) * -math.expm1(i * log) for i, chance in enumerate(shared)
    )


def bounds(triples: Sequence[tuple[int, int, int]], k: int) -> Bounds:
    """The pair with all errored attempts as failed, and with all of them as passed.

    Args:
        triples: one ``(n, passed, errored)`` a task; errored attempts are among the n.
        k: attempts drawn; tasks with fewer than k attempts are left out, as in ``curve``.

    Raises:
        UsageError: no tasks with k attempts, or passed + errored outside 0 to n.
    """
    for n, passed, errored in triples:
        whole("errored", errored)
        if errored < 0 or passed + errored > n:
            raise UsageError(
                f"{passed} passed and errored={errored} of n={n} attempts; errored is at most n - passed"
            )
    (low,) = curve([(n, passed) for n, passed, _ in triples], [k])
    (high,) = curve([(n, passed + errored) for n, passed, errored in triples], [k])
    return Bounds(ceiling=(low.ceiling, high.ceiling), floor=(low.floor, high.floor))
