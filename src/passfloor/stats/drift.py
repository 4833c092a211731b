"""Do later attempts pass more often, or less, than earlier ones?

Attempts of a task are to be independent; a trend over their order says that something carried over (a warm
cache, a full disk, a rate limit). The test is exact and asks about order alone: within each task, the
observed number of passes could have fallen on any attempts. It is the linear-by-linear test stratified by
task (Mantel 1963), which for one task is Wilcoxon's rank sum test (1945).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from passfloor.errors import UsageError
from passfloor.stats import sums

# A frequency as faint as this adds nothing, and all that follows only makes it fainter.
_VANISHED = 1e-40


@dataclass(frozen=True)
class Trend:
    """How passing changes with the order of attempts.

    Attributes:
        slope: change of the pass rate an attempt, -1 to 1: the least-squares slope within tasks.
        p: the two-sided p-value of "the order makes no difference", 0 to 1.
    """

    slope: Fraction
    p: float


def trend(outcomes: Sequence[Sequence[bool]]) -> Trend | None:
    """Test for a trend over attempt order.

    Args:
        outcomes: one sequence a task: whether each attempt passed, in the order the attempts were made.

    Returns:
        None where order cannot matter: no task has both a pass and a failure.

    Raises:
        UsageError: no tasks, or a task without attempts.
    """
    if not outcomes or not all(outcomes):
        raise UsageError("a trend is undefined over no attempts; give every task at least one outcome")
    tally = Counter((len(task), sum(map(bool, task))) for task in outcomes)
    mixed = {counts: times for counts, times in tally.items() if 0 < counts[1] < counts[0]}
    if not mixed:
        return None
    # Twice the sum over passing attempts of place less middle place, so that it is a whole number.
    observed = sum(
        2 * place - (len(task) - 1) for task in outcomes for place, passed in enumerate(task) if passed
    )
    spread = sum(times * Fraction(n * (n * n - 1), 12) for (n, _), times in tally.items())
    return Trend(slope=Fraction(observed, 2) / spread, p=_two_sided(mixed, abs(observed)))


def _two_sided(mixed: dict[tuple[int, int], int], observed: int) -> float:
    """P(|sum| >= observed): each task's rank sum is symmetric about its middle, so the total is too."""
    parts = []
    # A rank sum counted from its least value lies between 0 and c (n - c), whose middle is 0 of ``observed``.
    middle = sum(times * c * (n - c) for (n, c), times in mixed.items())
    for (n, c), times in mixed.items():
        found = rank_sum_chances(n, c)
        parts.append(sums.Part(range(len(found)), found, times))
    short = sums.by_fourier(parts).at_most((middle + observed) // 2 - 1)
    return min(1.0, max(0.0, 2 * (1 - short)))


def rank_sum_chances(n: int, c: int) -> list[float]:
    """The chance of each rank sum of c places among n, from the least to c (n-c) more, within 1e-12.

    They are counted by the Gaussian binomial, the product over i of ``(1 - q**(n-c+i)) / (1 - q**i)``. At a
    root of unity that is a product of ratios of sines, and so the Fourier transform is known: it takes c
    steps, where multiplying the polynomials out takes c more for each of the chances.
    """
    import numpy as np

    fewer, width = min(c, n - c), c * (n - c)
    half = 1 << max(n, width).bit_length()
    size = 2 * half
    around = 2 * size - 1
    turns = np.arange(2 * size)
    sines = np.sin(np.pi * np.minimum(turns % size, -turns % size) / size) * np.where(turns < size, 1, -1)
    # At an odd frequency no sine is 0, since i is below ``half``, a power of two. Odd frequencies alone give
    # the chances in the first half, and the same less than nothing in the second.
    odd = np.arange(1, half, 2)
    wave = np.ones(len(odd))
    for i in range(1, fewer + 1):
        more = n - fewer + i
        wave *= i * sines[more * odd & around] / (more * sines[i * odd & around])
        alive = np.abs(wave) > _VANISHED
        odd, wave = odd[alive], wave[alive]
    spectrum = np.zeros(half + 1, dtype=np.complex128)
    spectrum[odd] = 2 * wave * np.exp(-1j * np.pi * (width * odd & around) / size)
    chances: list[float] = np.maximum(np.fft.irfft(spectrum, size)[: width + 1], 0.0).tolist()
    return chances
