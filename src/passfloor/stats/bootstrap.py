"""The bootstrap distribution of a mean itself, and the interval that it gives."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from passfloor.stats import sums

EXACT = "exact bootstrap over tasks"
GRID = "bootstrap over tasks, by a grid"
EXACT_CLUSTERS = "exact bootstrap over clusters of tasks"
GRID_CLUSTERS = "bootstrap over clusters of tasks, by a grid"


@dataclass(frozen=True)
class Interval:
    """Where a suite's figure would lie with other tasks of the same kind.

    Attributes:
        low: the lower end, at most the estimate.
        high: the upper end, at least the estimate.
        method: how it was found, in words fit for a report.
        error: by how much either end may differ from the exact bootstrap's; 0.0 where it is exact.
    """

    low: Fraction
    high: Fraction
    method: str
    error: float


def mean_interval(
    values: Sequence[Fraction], times: Sequence[int], level: Fraction, exact: str = EXACT, grid: str = GRID
) -> Interval:
    """The percentile interval of the mean of as many draws, with replacement, as there are tasks.

    Args:
        values: the tasks' figures; one may stand here more than once.
        times: how many tasks have each, 1 or more.
        level: strictly between 0 and 1.
        exact: what to call the method where the distribution is exact.
        grid: what to call it where it is not.
    """
    draws = sum(times)
    tails = ((1 - level) / 2, (1 + level) / 2)
    least = min(values)
    positions, unit = on_lattice(values)
    if not unit:
        return Interval(least, least, exact, 0.0)
    found = _whole_ends(positions, times, draws, tails) or _lattice_ends(positions, times, draws, tails)
    cell, exactly = unit, found is not None
    if found is None:
        scale, found = _grid_ends(positions, times, draws, tails)
        cell = unit * max(positions) / scale
    total = sum(count * position for count, position in zip(times, positions, strict=True))
    low, high, error = found
    return Interval(
        low=least + min(cell * low, unit * total) / draws,
        high=least + max(cell * high, unit * total) / draws,
        method=exact if exactly else grid,
        error=float(cell * error / draws),
    )


def on_lattice(values: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    """``values`` as multiples of the largest unit above the least of them, and that unit; 0 if alike."""
    common = math.lcm(*(value.denominator for value in values))
    scaled = [value.numerator * (common // value.denominator) for value in values]
    least = min(scaled)
    shared = math.gcd(*(place - least for place in scaled))
    return [(place - least) // (shared or 1) for place in scaled], Fraction(shared, common)


def _whole_ends(
    positions: Sequence[int], times: Sequence[int], draws: int, tails: tuple[Fraction, Fraction]
) -> tuple[int, int, int] | None:
    """Both ends and their error, nought, in whole numbers alone; None where those would be too long."""
    ways = sums.in_whole_numbers(positions, times, draws)
    if ways is None:
        return None
    every, so_far = draws**draws, 0
    ends: list[int] = []
    for total, count in enumerate(ways):
        so_far += count
        while len(ends) < len(tails) and so_far >= tails[len(ends)] * every:
            ends.append(total)
    return ends[0], ends[1], 0


def _lattice_ends(
    positions: Sequence[int], times: Sequence[int], draws: int, tails: tuple[Fraction, Fraction]
) -> tuple[int, int, int] | None:
    """The same by Fourier transform: an error arises only where a cumulative probability is a tail itself."""
    part = sums.Part(positions, [count / draws for count in times], draws)
    low, high = sums.window([part])
    if high - low >= sums.LATTICE_CELLS:
        return None
    return ends_of(sums.by_fourier([part]), tails, 0, 0.0)


def _grid_ends(
    positions: Sequence[int], times: Sequence[int], draws: int, tails: tuple[Fraction, Fraction]
) -> tuple[int, tuple[int, int, int]]:
    """The same on a grid that keeps the mean, after the number of cells the values' range was cut into."""
    weights = [count / draws for count in times]
    scale = sums.scale_for(positions, weights, draws)
    found = sums.by_fourier([sums.split(positions, weights, draws, scale)])
    return scale, ends_of(found, tails, math.ceil(sums.displaced(draws)), sums.DISPLACED_MORE)


def ends_of(
    found: sums.Sums, tails: tuple[Fraction, Fraction], moved: int, chance: float
) -> tuple[int, int, int]:
    """Both ends, and the most that either may lie from the true one, in cells.

    Args:
        found: a distribution near the true one.
        tails: the cumulative probabilities of the ends.
        moved: by how many cells a true sum may lie from what stands for it in ``found``...
        chance: ...but for this chance a side.
    """
    ends, error = [], 0
    for tail in map(float, tails):
        end = found.reaches(tail - found.slack)
        below = found.reaches(tail - found.slack - chance) - moved
        above = found.reaches(tail + found.slack + chance) + moved
        ends.append(end)
        error = max(error, end - below, above - end)
    return ends[0], ends[1], error
