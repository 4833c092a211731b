"""Tasks that share a cluster are resampled together: variants of one task are not news of their own.

What is estimated is the mean over tasks, so each resample of clusters gives a ratio: the total of the values
over the number of tasks drawn. (The mean of cluster totals, scaled by the number of clusters, would be no
mean of any tasks as soon as clusters differ in size: with every task at 1 it would range beyond 1.) The
chance that a ratio is at most x is the chance that the sum of ``total - x * size`` over the drawn clusters is
at most 0, which is a sum of independent draws again, at every x.
"""

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from passfloor.stats import sums
from passfloor.stats.bootstrap import EXACT_CLUSTERS, GRID_CLUSTERS, Interval, mean_interval

FEW = 6435
"""Up to so many different resamples each is counted: those of eight clusters, or of more that are alike."""


class Cluster(NamedTuple):
    """The total of a cluster's values, and how many tasks it has."""

    total: Fraction
    size: int


def clustered(values: Sequence[Fraction], clusters: Sequence[str | None]) -> Counter[Cluster]:
    """The clusters, equal ones counted; a task whose cluster is None is one of its own."""
    totals: dict[str, Cluster] = {}
    alone: list[Cluster] = []
    for value, name in zip(values, clusters, strict=True):
        if name is None:
            alone.append(Cluster(value, 1))
        else:
            known = totals.get(name, Cluster(Fraction(0), 0))
            totals[name] = Cluster(known.total + value, known.size + 1)
    return Counter([*alone, *totals.values()])


def cluster_interval(tally: Mapping[Cluster, int], level: Fraction) -> Interval:
    """The percentile interval of the ratio of totals to sizes over as many clusters as there are."""
    sizes = {cluster.size for cluster in tally}
    if len(sizes) == 1:
        means: Counter[Fraction] = Counter()
        for cluster, times in tally.items():
            means[cluster.total / cluster.size] += times
        return mean_interval(list(means), list(means.values()), level, EXACT_CLUSTERS, GRID_CLUSTERS)
    tails = ((1 - level) / 2, (1 + level) / 2)
    draws = sum(tally.values())
    estimate = Fraction(
        sum((times * cluster.total for cluster, times in tally.items()), Fraction(0)),
        sum(times * cluster.size for cluster, times in tally.items()),
    )
    if math.comb(draws + len(tally) - 1, draws) <= FEW:
        least, most = _counted_ends(tally, draws, tails)
        return Interval(min(least, estimate), max(most, estimate), EXACT_CLUSTERS, 0.0)
    if len({cluster.total / cluster.size for cluster in tally}) == 1:
        return Interval(estimate, estimate, EXACT_CLUSTERS, 0.0)
    known = _Ratios(tally, draws)
    (low, below), (high, above) = (_solved_end(known, float(tail)) for tail in tails)
    return Interval(
        min(Fraction(low), estimate), max(Fraction(high), estimate), GRID_CLUSTERS, max(below, above)
    )


def _counted_ends(
    tally: Mapping[Cluster, int], draws: int, tails: tuple[Fraction, Fraction]
) -> list[Fraction]:
    """Every resample, each multiset once with the number of orders in which it can be drawn."""
    chances: Counter[Fraction] = Counter()
    for drawn in itertools.combinations_with_replacement(tally, draws):
        ways = math.factorial(draws)
        for cluster, times in Counter(drawn).items():
            ways = ways // math.factorial(times) * tally[cluster] ** times
        chances[sum((c.total for c in drawn), Fraction(0)) / sum(c.size for c in drawn)] += ways
    so_far = 0
    ends: list[Fraction] = []
    for ratio, ways in sorted(chances.items()):
        so_far += ways
        while len(ends) < len(tails) and so_far >= tails[len(ends)] * draws**draws:
            ends.append(ratio)
    return ends


def _solved_end(known: "_Ratios", tail: float) -> tuple[float, float]:
    """The ratio at which the cumulative chance reaches ``tail``, and what it may be off by.

    At that ratio the excess has its own ``tail`` at 0. Newton's step, with the expected number of tasks for
    the slope, is nearly exact; where clusters are very unequal it may leave the bracket, which is halved.
    """
    low, high = known.least, known.most
    ratio, moved = known.estimate, math.inf
    while abs(moved) > known.margin / 16:
        excess = known.excess(ratio, tail)
        low, high = (ratio, high) if excess > 0 else (low, ratio)
        reached = ratio + excess / known.tasks
        if excess and not low < reached < high:
            reached = (low + high) / 2
        ratio, moved = reached, reached - ratio
    margin = known.margin
    while not known.encloses(ratio, margin, tail):
        margin *= 1.5
    return ratio, margin


class _Ratios:
    """What is known of the resampled ratio by way of the excess: the sum of ``total - ratio * size``."""

    def __init__(self, tally: Mapping[Cluster, int], draws: int) -> None:
        self._clusters = [(float(cluster.total), cluster.size) for cluster in tally]
        self._weights = [times / draws for times in tally.values()]
        self._draws = draws
        ratios = [total / size for total, size in self._clusters]
        self.least, self.most = min(ratios), max(ratios)
        self.tasks = sum(cluster.size * times for cluster, times in tally.items())
        self.estimate = float(sum(cluster.total * times for cluster, times in tally.items())) / self.tasks
        _, _, cell = self._summed(self.estimate)
        self.margin = sums.displaced(draws) * cell / self.tasks

    def excess(self, ratio: float, tail: float) -> float:
        """The least excess whose cumulative chance reaches ``tail``."""
        found, least, cell = self._summed(ratio)
        return least + found.reaches(tail) * cell

    def encloses(self, ratio: float, margin: float, tail: float) -> bool:
        """Whether the true end is certain to lie within ``margin`` of ``ratio``."""
        doubt = sums.DISPLACED_MORE + 1e-9
        below, above = ratio - margin, ratio + margin
        short = below < self.least or self._at_most(below, 1) + doubt < tail
        return short and (above > self.most or self._at_most(above, -1) - doubt >= tail)

    def _at_most(self, ratio: float, side: int) -> float:
        """P(the ratio is at most ``ratio``), at most (side 1) or at least (side -1)."""
        found, least, cell = self._summed(ratio)
        return found.at_most(-least / cell + side * sums.displaced(self._draws))

    def _summed(self, ratio: float) -> tuple[sums.Sums, float, float]:
        """The excess's distribution in cells of a grid, the excess at cell 0, and the size of a cell."""
        excess = [total - ratio * size for total, size in self._clusters]
        # An end takes a score of distributions, so that each has to be cheap.
        scale = sums.scale_for(excess, self._weights, self._draws, least=0)
        found = sums.by_fourier([sums.split(excess, self._weights, self._draws, scale)])
        return found, self._draws * min(excess), (max(excess) - min(excess)) / scale
