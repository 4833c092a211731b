"""What a gate will do with an agent whose rates are known."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from passfloor.stats import sums
from passfloor.stats.binomial import chances, upper_tail
from passfloor.stats.bootstrap import on_lattice
from passfloor.stats.checks import Rate, rate
from passfloor.stats.estimators import pass_hat_k
from passfloor.stats.mixes import WORKED_MIX, Mix, shared_out

_FINEST = Fraction(1, 2**48)


@dataclass(frozen=True)
class GateChance:
    """What a gate on a suite's pass^k does with an agent of known rates.

    Attributes:
        bar: the gate.
        floor: the agent's true pass^k on this suite.
        chance: that the run's estimate is at least ``bar``, from the attempts' noise alone.
        every_task: that each single task's pass@k estimate is at least ``bar``.
    """

    bar: Fraction
    floor: float
    chance: float
    every_task: float


def gate_pass_chance(
    tasks: int, n: int, k: int, mix: Mix = WORKED_MIX, bar: Rate | None = None
) -> GateChance:
    """The chance that a gate at ``bar`` passes an agent with the rates of ``mix`` on ``tasks`` tasks.

    The tasks are shared out among the mix's kinds as evenly as whole tasks allow, and stay the same from run
    to run; only the attempts vary. A gate set at what an agent truly does stops it about every other time.

    Args:
        tasks: 1 or more.
        n: attempts a task.
        k: 1 to n.
        mix: the agent's rates.
        bar: what is asked of the suite's pass^k; by default the agent's own true pass^k on these tasks.

    Raises:
        UsageError: tasks or k below 1, k > n, or a mix or bar outside its range.
    """
    counts = shared_out(tasks, mix)
    true = sum((times * p**k for p, times in counts), Fraction(0)) / tasks
    asked = true if bar is None else rate("bar", bar)
    values = [pass_hat_k(n, c, k) for c in range(n + 1)]
    found, unit = _estimates(values, counts, n)
    short = found.at_most(math.ceil(asked * tasks / unit) - 1)
    # Its pass@k is 1 less the pass^k of failing.
    enough = n + 1 - bisect_right(values, 1 - asked)
    every = math.prod(upper_tail(n, enough, float(p)) ** times for p, times in counts)
    return GateChance(bar=asked, floor=float(true), chance=min(1.0, max(0.0, 1 - short)), every_task=every)


def _estimates(
    values: Sequence[Fraction], counts: list[tuple[Fraction, int]], n: int
) -> tuple[sums.Sums, Fraction]:
    """The distribution of the sum of all tasks' estimates, and the unit it is counted in."""
    positions, unit = on_lattice(values)
    if unit < _FINEST:
        # A place on so fine a lattice is no double any more.
        positions, unit = [round(value / _FINEST) for value in values], _FINEST
    parts = [sums.Part(positions, chances(n, float(p)), times) for p, times in counts]
    low, high = sums.window(parts)
    if high - low >= sums.LATTICE_CELLS:
        coarse = max(1, round(sums.LATTICE_CELLS / (unit * (high - low))))
        parts = [part._replace(positions=[round(value * coarse) for value in values]) for part in parts]
        unit = Fraction(1, coarse)
    return sums.by_fourier(parts), unit
