"""How far the figures of a suite could be off: across tasks, from the attempts alone, and for one task.

The interval across tasks is the percentile bootstrap over tasks (Efron 1979) without the sampling: every
value is one of few, so the distribution of the resampled mean is computed itself.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from passfloor.errors import UsageError
from passfloor.stats.assumed import estimate_variance, overlaps
from passfloor.stats.binomial import clopper_pearson
from passfloor.stats.bootstrap import Interval, mean_interval
from passfloor.stats.checks import Pairs, Rate, counted, drawable, inner_rate
from passfloor.stats.clusters import cluster_interval, clustered
from passfloor.stats.estimators import pass_at_k, pass_hat_k

__all__ = [
    "Interval",
    "IntervalPair",
    "Noise",
    "attempt_noise",
    "bootstrap_all",
    "bootstrap_over_tasks",
    "clopper_pearson",
]

LEVEL = Fraction(95, 100)


@dataclass(frozen=True)
class IntervalPair:
    """The intervals across tasks of the pair at one k.

    Attributes:
        k: attempts drawn.
        ceiling: of pass@k.
        floor: of pass^k.
    """

    k: int
    ceiling: Interval
    floor: Interval


@dataclass(frozen=True)
class Noise:
    """Standard deviations of a suite's pair from its attempts alone, 0 to 0.5.

    A lower bound of what another run of the same tasks would show: observed rates lie further apart than true
    ones, and a task seen always or never to pass contributes nothing.

    Attributes:
        ceiling: of pass@k.
        floor: of pass^k.
    """

    ceiling: float
    floor: float


def bootstrap_over_tasks(
    values: Sequence[Fraction], clusters: Sequence[str | None] | None = None, level: Rate = LEVEL
) -> Interval:
    """The percentile interval of the mean of ``values`` under resampling of tasks.

    Covers which tasks happen to be in the suite; it does not cover the noise of their attempts
    (``attempt_noise``) as such. An end is the smallest value whose cumulative probability reaches
    ``(1 - level)/2`` or ``(1 + level)/2``, moved to the mean itself where that lay outside.

    Args:
        values: a figure a task, in any order.
        clusters: a name a task, or None for a task that stands alone; tasks of one name are resampled
            together, and the figure of a resample is the mean over the tasks drawn, however many they are.
        level: strictly between 0 and 1.

    Raises:
        UsageError: no values, a level outside its range, or not one cluster a task.
    """
    exact = inner_rate("level", level)
    if not values:
        raise UsageError("an interval is undefined over no tasks; name at least one task")
    if clusters is not None and _named(clusters, len(values)):
        return cluster_interval(clustered(values, clusters), exact)
    tally = Counter(values)
    return mean_interval(list(tally), list(tally.values()), exact)


def bootstrap_all(
    pairs: Pairs,
    ks: Iterable[int] | None = None,
    clusters: Sequence[str | None] | None = None,
    level: Rate = LEVEL,
) -> list[IntervalPair]:
    """The intervals of the pair at every k of ``ks``, in their order, over the tasks that ``curve`` counts.

    Equal to ``bootstrap_over_tasks`` of each figure, only faster: equal tasks are computed once.

    Args:
        pairs: one ``(n, c)`` a task.
        ks: 1 to the largest n each; by default all of them.
        clusters: as in ``bootstrap_over_tasks``.
        level: strictly between 0 and 1.

    Raises:
        UsageError: what ``curve`` and ``bootstrap_over_tasks`` refuse.
    """
    exact = inner_rate("level", level)
    tasks = counted(pairs)
    wanted = range(1, max(n for n, _ in tasks) + 1) if ks is None else ks
    if clusters is not None and _named(clusters, len(tasks)):
        return [_clustered_pair(tasks, k, clusters, exact) for k in wanted]
    tally = Counter(tasks)
    return [_interval_pair(tally, k, exact) for k in wanted]


def attempt_noise(pairs: Pairs, k: int) -> Noise:
    """How much the pair would vary between runs of the same tasks, were their observed rates the true ones.

    The exact standard deviation of the mean over tasks of U-statistics (Hoeffding 1948), in double precision.

    Args:
        pairs: one ``(n, c)`` a task.
        k: attempts drawn; tasks with fewer attempts are left out, as in ``curve``.

    Raises:
        UsageError: no tasks with k attempts, or impossible counts.
    """
    tasks = drawable(pairs, k)
    shared = {n: overlaps(n, k) for n in {n for n, _ in tasks}}
    ceiling, floor = [], []
    for (n, c), times in Counter(tasks).items():
        ceiling.append(times * estimate_variance((n - c) / n, shared[n], k))
        floor.append(times * estimate_variance(c / n, shared[n], k))
    return Noise(
        ceiling=math.sqrt(math.fsum(ceiling)) / len(tasks), floor=math.sqrt(math.fsum(floor)) / len(tasks)
    )


def _named(clusters: Sequence[str | None], tasks: int) -> bool:
    """Whether any task has a cluster to share."""
    if len(clusters) != tasks:
        raise UsageError(f"{len(clusters)} clusters for {tasks} tasks; give one a task, or None")
    return any(name is not None for name in clusters)


def _interval_pair(tally: Mapping[tuple[int, int], int], k: int, level: Fraction) -> IntervalPair:
    kept = {counts: tally[counts] for counts in drawable(tally, k)}
    times = list(kept.values())
    floor = mean_interval([pass_hat_k(n, c, k) for n, c in kept], times, level)
    ceiling = floor if k == 1 else mean_interval([pass_at_k(n, c, k) for n, c in kept], times, level)
    return IntervalPair(k=k, ceiling=ceiling, floor=floor)


def _clustered_pair(
    tasks: list[tuple[int, int]], k: int, clusters: Sequence[str | None], level: Fraction
) -> IntervalPair:
    drawable(tasks, k)
    kept = [(n, c, name) for (n, c), name in zip(tasks, clusters, strict=True) if n >= k]
    names = [name for _, _, name in kept]
    return IntervalPair(
        k=k,
        ceiling=bootstrap_over_tasks([pass_at_k(n, c, k) for n, c, _ in kept], names, level),
        floor=bootstrap_over_tasks([pass_hat_k(n, c, k) for n, c, _ in kept], names, level),
    )
