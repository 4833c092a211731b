"""Mixes of tasks: what rates an agent is assumed to have, and on what share of the tasks."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from passfloor.errors import UsageError
from passfloor.stats.checks import Pairs, Rate, at_least_one, counted, rate

Mix = Sequence[tuple[Rate, Rate]]
"""``(weight, rate)`` a kind of task; weights are 0 or more and need not sum to 1."""

WORKED_MIX: Mix = (
    (Fraction(1, 2), Fraction(1)),
    (Fraction(1, 5), Fraction(7, 10)),
    (Fraction(3, 20), Fraction(1, 2)),
    (Fraction(1, 10), Fraction(1, 5)),
    (Fraction(1, 20), Fraction(0)),
)
"""Half the tasks always pass; a fifth at 0.7, 15% at 0.5, a tenth at 0.2; one in twenty never passes."""


def mix_of(pairs: Pairs) -> Mix:
    """The mix that a run has shown: each observed rate with its share of the tasks, the highest rate first.

    Raises:
        UsageError: no tasks, or impossible counts.
    """
    tasks = counted(pairs)
    tally = Counter(Fraction(c, n) for n, c in tasks)
    return [(Fraction(times, len(tasks)), p) for p, times in sorted(tally.items(), reverse=True)]


def shares_of(mix: Mix) -> list[tuple[Fraction, Fraction]]:
    """``(share, rate)`` a kind; the shares sum to 1."""
    weights = []
    for weight, _ in mix:
        if isinstance(weight, bool) or not 0 <= weight < math.inf:
            raise UsageError(f"weight={weight!r} is not a share of tasks; give a number of 0 or more")
        weights.append(Fraction(str(weight)) if isinstance(weight, float) else Fraction(weight))
    total = sum(weights, Fraction(0))
    if not total:
        raise UsageError("a mix needs a kind of task with a weight above 0; give 'weight, rate' pairs")
    return [(weight / total, rate("rate", p)) for weight, (_, p) in zip(weights, mix, strict=True)]


def shared_out(tasks: int, mix: Mix) -> list[tuple[Fraction, int]]:
    """``(rate, tasks)`` a kind, by largest remainders; kinds without a task are left out."""
    at_least_one("tasks", tasks)
    shares = shares_of(mix)
    counts = [int(share * tasks) for share, _ in shares]
    remainders = sorted(
        range(len(shares)), key=lambda i: (shares[i][0] * tasks - counts[i], -i), reverse=True
    )
    for i in remainders[: tasks - sum(counts)]:
        counts[i] += 1
    return [(p, times) for (_, p), times in zip(shares, counts, strict=True) if times]
