"""The distribution of a sum of independent draws: what every exact interval and test here comes down to.

Three ways, by size. Small ones in whole numbers: the distribution is a power of a polynomial, and a
polynomial is a large integer read in blocks of bits (Kronecker 1882), so that the power is one ``**``. Larger
ones on their lattice by the fast Fourier transform, in a window outside of which lies less than 1e-10
(Bernstein 1924). Where the lattice itself is too fine, each value is split between two neighbours of a grid
so that its mean is kept; what that can move is bounded by Hoeffding's inequality (1963) on the displacement.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Waves = NDArray[np.complex128]

LATTICE_CELLS = 2**18
GRID_CELLS = 2**15
SUM_CELLS = 200_000
WHOLE_BITS = 2**19

OUTSIDE = 23.1
"""Minus the logarithm of what may lie beyond one end of a window: 1e-10."""

DISPLACED_MORE = 1e-7
"""The chance, a side, that a grid displaces a sum by more than is allowed for."""


class Part(NamedTuple):
    """``times`` independent draws from ``positions`` with the chances ``weights``, which sum to 1."""

    positions: Sequence[int]
    weights: Sequence[float]
    times: int


@dataclass(frozen=True)
class Sums:
    """The distribution of a sum of whole numbers.

    Attributes:
        low: the sum that the first entry of ``cumulative`` belongs to.
        cumulative: P(sum <= low + i), rising, up to ``slack`` exact.
        slack: what a probability may be wrong by.
    """

    low: int
    cumulative: "Floats"
    slack: float

    def at_most(self, total: float) -> float:
        """P(sum <= total)."""
        index = math.floor(total) - self.low
        if index < 0:
            return 0.0
        return float(self.cumulative[min(index, len(self.cumulative) - 1)])

    def reaches(self, probability: float) -> int:
        """The smallest sum whose cumulative probability is ``probability`` or more."""
        index = int(self.cumulative.searchsorted(probability))
        return self.low + min(index, len(self.cumulative) - 1)


def window(parts: Iterable[Part]) -> tuple[int, int]:
    """The least and the largest sum worth counting: less than 1e-10 lies beyond either (Bernstein)."""
    least = most = 0
    centre = variance = below = above = 0.0
    for positions, weights, times in parts:
        mean, scatter = _moments(positions, weights)
        centre, variance = centre + times * mean, variance + times * scatter
        least, most = least + times * min(positions), most + times * max(positions)
        below, above = max(below, mean - min(positions)), max(above, max(positions) - mean)
    low = max(least, math.floor(centre - _reach(below, variance)))
    return low, min(most, math.ceil(centre + _reach(above, variance)))


def by_fourier(parts: Sequence[Part]) -> Sums:
    """The distribution of the sum of all draws of all ``parts``, as long as its window is.

    What lies outside of the window wraps round into it; that is what the window is chosen for.
    """
    import numpy as np

    low, high = window(parts)
    cells = high - low + 1
    size = _fast_size(cells)
    product = np.ones(size // 2 + 1, dtype=np.complex128)
    for positions, weights, times in parts:
        single = np.zeros(size)
        np.add.at(single, np.asarray([x % size for x in positions]), np.asarray(weights))
        product *= _power(np.fft.rfft(single), times)
    chances = np.roll(np.fft.irfft(product, size), -(low % size))[:cells]
    np.maximum(chances, 0.0, out=chances)
    draws = sum(part.times for part in parts)
    return Sums(low=low, cumulative=np.cumsum(chances), slack=3e-10 + 1e-14 * draws)


def in_whole_numbers(positions: Sequence[int], weights: Sequence[int], draws: int) -> list[int] | None:
    """In how many of ``sum(weights)**draws`` ways each sum 0, 1, ... comes about; None where too long.

    Args:
        positions: 0 or more, distinct or not.
        weights: how many draws there are of each.
        draws: 1 or more.
    """
    width = (draws * sum(weights).bit_length() + 7) // 8
    cells = draws * max(positions) + 1
    if 8 * width * cells > WHOLE_BITS:
        return None
    polynomial = 0
    for position, weight in zip(positions, weights, strict=True):
        polynomial += weight << (8 * width * position)
    blocks = (polynomial**draws).to_bytes(width * cells, "little")
    return [int.from_bytes(blocks[i : i + width], "little") for i in range(0, len(blocks), width)]


def displaced(draws: int) -> float:
    """By how many cells splitting between neighbours moves a sum at most, but for a chance of 1e-7 a side.

    Each draw is moved by less than a cell, independently and by 0 on average (Hoeffding 1963, theorem 2).
    """
    return min(math.sqrt(-draws * math.log(DISPLACED_MORE) / 2), float(draws))


def scale_for(values: Sequence[float], weights: Sequence[float], draws: int, least: int = SUM_CELLS) -> int:
    """Into how many cells to cut the range of ``values``.

    As many as let the window fit into ``GRID_CELLS`` (a twentieth is kept back, because splitting widens the
    distribution a little), or more, for the whole sum to have ``least`` cells.
    """
    bottom, top = min(values), max(values)
    mean, scatter = _moments(values, weights)
    below = min(_reach(mean - bottom, draws * scatter), draws * (mean - bottom))
    above = min(_reach(top - mean, draws * scatter), draws * (top - mean))
    fitting = math.floor(0.95 * GRID_CELLS * (top - bottom) / (below + above))
    return max(1, fitting, math.ceil(least / draws))


def split(values: Sequence[float], weights: Sequence[float], draws: int, scale: int) -> Part:
    """Each value's weight shared by the two cells around it, so that the mean stays where it was.

    Cell 0 is the least value, cell ``scale`` the largest.
    """
    least, most = min(values), max(values)
    shares: dict[int, float] = {}
    for value, weight in zip(values, weights, strict=True):
        place = (value - least) / (most - least) * scale
        cell = math.floor(place)
        for neighbour, share in ((cell, 1 - (place - cell)), (cell + 1, place - cell)):
            if share:
                shares[neighbour] = shares.get(neighbour, 0.0) + weight * share
    return Part(tuple(shares), tuple(shares.values()), draws)


def _moments(values: Sequence[float], weights: Sequence[float]) -> tuple[float, float]:
    """The mean and the variance of one draw."""
    mean = math.fsum(w * x for x, w in zip(values, weights, strict=True))
    return mean, math.fsum(w * (x - mean) ** 2 for x, w in zip(values, weights, strict=True))


def _reach(largest: float, variance: float) -> float:
    third = OUTSIDE * largest / 3
    return third + math.sqrt(third**2 + 2 * OUTSIDE * variance)


def _fast_size(cells: int) -> int:
    """The least even number from ``cells`` upwards that has no large prime factor, or nearly so."""
    odd = (1, 3, 5, 9, 15, 25, 27)
    return min(factor << max(1, (-(-cells // factor) - 1).bit_length()) for factor in odd)


def _power(base: "Waves", exponent: int) -> "Waves":
    """By squaring, and only where it does not vanish: of a smooth distribution few frequencies are left."""
    import numpy as np

    alive = np.flatnonzero(base.real**2 + base.imag**2 > math.exp(-90 / exponent))
    square, product = base[alive], np.ones(len(alive), dtype=base.dtype)
    while exponent:
        if exponent & 1:
            product *= square
        exponent >>= 1
        square *= square
    result = np.zeros_like(base)
    result[alive] = product
    return result
