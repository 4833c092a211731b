"""Two runs of the same tasks: is the change more than chance, and what change could have been seen?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from passfloor.errors import UsageError
from passfloor.stats.checks import Rate, at_least_one, inner_rate, whole
from passfloor.stats.normal import normal_quantile

WHOLE_BITS = 2**22
FEW = 16
MOST_STEPS, FEWEST_CELLS, MOST_CELLS = 10**8, 2**16, 2**20


@dataclass(frozen=True)
class Detectable:
    """The smallest change of a suite's figure that a comparison of two runs could have called one.

    Attributes:
        change: the larger of the two below, 0 to 1; None when no change whatever could have been called one.
        by_tasks: m/T for the fewest tasks m that have to turn all the way, and all one way, for the paired
            permutation test to reach alpha (``2**(1-m) <= alpha``); None when the suite has fewer than m.
        by_noise: ``(z(1 - alpha/2) + z(power)) * noise``: a change seen with chance ``power`` above
            the noise.
    """

    change: float | None
    by_tasks: Fraction | None
    by_noise: float


def sign_flip_p(differences: Sequence[Fraction]) -> float:
    """The two-sided p-value of the paired permutation test: could the runs be swapped task by task?

    Under "nothing changed" each task's difference could as well have had the other sign (Fisher 1935). The
    value is the share of all ``2**T`` choices of signs whose sum lies as far from 0 as the observed one, or
    farther. It is computed, not sampled: in whole numbers where that fits, else by convolution in double
    precision. Many differences without a coarse common unit are first rounded, to less than 1/10,000 of the
    sum of their sizes; of what was rounded the test is exact still.

    Args:
        differences: new figure less old one, a task each; 0 is allowed and changes nothing.

    Returns:
        0 to 1; 1.0 when the differences sum to 0.

    Raises:
        UsageError: there are no differences.
    """
    if not differences:
        raise UsageError("a comparison is undefined over no tasks; name at least one task")
    steps = _in_steps(differences)
    observed = abs(sum(steps))
    if not observed:
        return 1.0
    sizes = [abs(step) for step in steps if step]
    # A choice of signs sums to 2U - A for the chosen ones' sum U among all, A.
    least = (sum(sizes) + observed) // 2
    if sum(sizes) * (len(sizes) + 1) <= WHOLE_BITS:
        tail = _tail_in_whole_numbers(sizes, least)
    elif len(sizes) <= FEW:
        tail = _tail_by_listing(sizes, least)
    else:
        tail = _tail_in_doubles(sizes, least)
    return min(1.0, 2 * tail)


def mcnemar_p(better: int, worse: int) -> Fraction:
    """The exact two-sided p-value of McNemar's test (1947): tasks that turned, against a fair coin.

    The same as ``sign_flip_p`` where every difference is -1, 0 or 1, as at k = n.

    Args:
        better: tasks that turned from not passing to passing, 0 or more.
        worse: tasks that turned the other way, 0 or more.

    Raises:
        UsageError: a number is no int of 0 or more.
    """
    for name, value in (("better", better), ("worse", worse)):
        whole(name, value)
        if value < 0:
            raise UsageError(f"{name}={value} is below 0; give a number of tasks")
    turned = better + worse
    ways = sum(math.comb(turned, i) for i in range(max(better, worse), turned + 1))
    return min(Fraction(1), Fraction(2 * ways, 2**turned))


def best_attainable_p(tasks: int) -> Fraction:
    """``2**(1-T)``: the smallest two-sided p-value that T paired tasks can give, all of them turned one way.

    Five tasks can never reach 0.05.

    Raises:
        UsageError: ``tasks`` is not an int of 1 or more.
    """
    at_least_one("tasks", tasks)
    return Fraction(1, 2 ** (tasks - 1))


def smallest_detectable(
    tasks: int, noise: float, alpha: Rate = Fraction(1, 20), power: Rate = Fraction(4, 5)
) -> Detectable:
    """The smallest change of the suite's figure that a comparison of two runs could have called a change.

    Two limits, and the larger counts. Regressions mostly break tasks outright, and the test needs a number of
    those before it can speak at all; and what runs of the same agent show by chance hides anything smaller. A
    change spread evenly over many tasks may be seen below the first limit. Approximate: the second limit
    takes the noise as normal.

    Args:
        tasks: tasks compared, 1 or more.
        noise: the standard deviation of the difference of the two suite figures when nothing changed, 0 or
            more: ``math.hypot`` of both runs' ``attempt_noise``, or what the differences themselves show
            (``difference_sd``); the larger of the two is the careful choice.
        alpha: the level of the two-sided test, strictly between 0 and 1.
        power: the chance with which the change is to be seen, strictly between 0 and 1.

    Raises:
        UsageError: an argument is outside its range.
    """
    at_least_one("tasks", tasks)
    level, wanted = inner_rate("alpha", alpha), inner_rate("power", power)
    if not 0 <= noise < math.inf:
        raise UsageError(f"noise={noise} is not a standard deviation; give a number of 0 or more")
    needed = 1
    while best_attainable_p(needed) > level:
        needed += 1
    by_tasks = Fraction(needed, tasks) if needed <= tasks else None
    by_noise = max(0.0, normal_quantile(1 - float(level) / 2) + normal_quantile(float(wanted))) * noise
    change = None if by_tasks is None else max(float(by_tasks), by_noise)
    return Detectable(
        change=change if change is not None and change <= 1 else None, by_tasks=by_tasks, by_noise=by_noise
    )


def difference_sd(differences: Sequence[Fraction]) -> float:
    """The standard deviation of the mean difference, as the differences' own scatter over tasks shows it.

    ``sqrt(sum of (d - mean)**2 / (T (T-1)))``.

    Raises:
        UsageError: fewer than two differences.
    """
    tasks = len(differences)
    if tasks < 2:
        raise UsageError(f"the scatter of {tasks} differences is not estimable; compare at least 2 tasks")
    centre = sum(differences, Fraction(0)) / tasks
    squares = sum(((difference - centre) ** 2 for difference in differences), Fraction(0))
    return math.sqrt(squares / (tasks * (tasks - 1)))


def _in_steps(differences: Sequence[Fraction]) -> list[int]:
    """The differences in whole steps of their common unit, or of a coarser one where that leads too far."""
    common = math.lcm(*(difference.denominator for difference in differences))
    steps = [int(difference * common) for difference in differences]
    shared = math.gcd(*steps) or 1
    steps = [step // shared for step in steps]
    total = sum(abs(step) for step in steps)
    cells = min(max(MOST_STEPS // len(steps), FEWEST_CELLS), MOST_CELLS)
    if len(steps) <= FEW or total <= cells:
        return steps
    return [round(Fraction(step * cells, total)) for step in steps]


def _tail_in_whole_numbers(sizes: list[int], least: int) -> float:
    """A polynomial's coefficients count the subsets of each sum, in one integer, block by block."""
    block = len(sizes) + 1
    polynomial = 1
    for size in sizes:
        polynomial += polynomial << (block * size)
    # The sum of all blocks is what remains modulo 2**block - 1, as the digit sum is modulo 9.
    count = (polynomial >> (block * least)) % (2**block - 1)
    return float(Fraction(count, 2 ** len(sizes)))


def _tail_by_listing(sizes: list[int], least: int) -> float:
    totals = [0]
    for size in sizes:
        totals += [total + size for total in totals]
    return float(Fraction(sum(total >= least for total in totals), 2 ** len(sizes)))


def _tail_in_doubles(sizes: list[int], least: int) -> float:
    """Every term is positive, so that small chances are as exact as large ones."""
    import numpy as np

    chances = np.zeros(sum(sizes) + 1)
    chances[0], reached = 1.0, 0
    for size in sizes:
        chances[: reached + 1] /= 2
        moved = chances[: reached + 1].copy()
        chances[size : reached + size + 1] += moved
        reached += size
    return float(chances[least:].sum())
