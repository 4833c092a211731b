"""The kernel of every distribution: sums of independent draws, three ways."""

import itertools
import math
from fractions import Fraction

import pytest

from passfloor.stats import sums


def by_listing(parts):
    """The chance of each sum, over every way to draw."""
    draws = [(part.positions, part.weights) for part in parts for _ in range(part.times)]
    found = {}
    for chosen in itertools.product(*(zip(*draw, strict=True) for draw in draws)):
        total = sum(position for position, _ in chosen)
        found[total] = found.get(total, 0.0) + math.prod(weight for _, weight in chosen)
    return found


MIXED = [
    sums.Part([0, 3, 4], [0.2, 0.5, 0.3], 3),
    sums.Part([2, 7], [0.9, 0.1], 2),
    sums.Part([-5, 1], [0.25, 0.75], 1),
]


@pytest.mark.parametrize("parts", [MIXED, MIXED[:1], MIXED[1:], [sums.Part([6], [1.0], 4)]])
def test_the_transform_gives_the_chance_of_every_sum(parts):
    found, exact = sums.by_fourier(parts), by_listing(parts)
    least, most = min(exact), max(exact)
    assert sums.window(parts) == (least, most)
    assert found.low == least
    for total in range(least - 2, most + 3):
        below = sum(chance for value, chance in exact.items() if value <= total)
        assert found.at_most(total) == pytest.approx(below, abs=1e-12)
        assert found.at_most(total + 0.9) == found.at_most(total)


def test_a_probability_is_reached_at_the_smallest_sum():
    found = sums.by_fourier([sums.Part([0, 1], [0.5, 0.5], 2)])
    assert [found.reaches(p) for p in (-1.0, 0.2, 0.3, 0.7, 0.8, 0.999, 2.0)] == [0, 0, 1, 1, 2, 2, 2]


def test_many_draws_of_which_few_frequencies_are_left_are_the_binomial():
    draws = 3000
    found = sums.by_fourier([sums.Part([0, 1], [0.7, 0.3], draws)])
    below = 0.0
    for total in range(1000):
        below += math.exp(
            math.lgamma(draws + 1) - math.lgamma(total + 1) - math.lgamma(draws - total + 1)
            + total * math.log(0.3) + (draws - total) * math.log(0.7)
        )  # fmt: skip
        assert found.at_most(total) == pytest.approx(below, abs=found.slack)
    assert 3e-10 < found.slack < 1e-9


def test_a_window_leaves_out_what_is_too_rare_and_little_else():
    draws = 10**6
    low, high = sums.window([sums.Part([0, 1], [0.5, 0.5], draws)])
    deviation = math.sqrt(draws) / 2
    # Beyond 6.36 standard deviations of a normal variable lies 1e-10.
    for reach in (draws / 2 - low, high - draws / 2):
        assert 6.36 * deviation < reach < 7 * deviation


@pytest.mark.parametrize("rare", [(0.9999, 0.0001), (0.0001, 0.9999)])
def test_a_window_is_wider_where_the_tail_is_longer(rare):
    draws = 20_000
    low, high = sums.window([sums.Part([0, 50], rare, draws)])
    mean = draws * 50 * rare[1]
    steps = ((mean - low) / 50, (high - mean) / 50)
    if rare[1] < 0.5:
        # Of a Poisson variable with mean 2 a chance of 1e-10 lies beyond 16; it cannot be below 0.
        assert low == 0
        assert 14 < steps[1] < 30
    else:
        assert high == draws * 50
        assert 14 < steps[0] < 30


def test_a_window_of_several_parts_adds_up_their_means_and_variances():
    many = sums.window([sums.Part([0, 1], [0.5, 0.5], 10_000), sums.Part([10, 12], [0.5, 0.5], 10_000)])
    deviation = math.sqrt(10_000 * (0.25 + 1))
    assert all(6.36 * deviation < abs(end - 115_000) < 7.2 * deviation for end in many)


@pytest.mark.parametrize(
    ("positions", "weights", "draws"), [([0, 2, 5], [1, 2, 1], 3), ([0, 0, 1], [1, 1, 3], 4)]
)
def test_in_whole_numbers_every_way_is_counted(positions, weights, draws):
    repeated = [p for p, times in zip(positions, weights, strict=True) for _ in range(times)]
    counted = [0] * (draws * max(positions) + 1)
    for drawn in itertools.product(repeated, repeat=draws):
        counted[sum(drawn)] += 1
    assert sums.in_whole_numbers(positions, weights, draws) == counted


def test_whole_numbers_are_for_small_sums_alone():
    assert sums.in_whole_numbers([0, 1], [10, 10], 20) is not None
    assert sums.in_whole_numbers([0, 10**5], [10, 10], 20) is None
    assert sums.in_whole_numbers([0, 1], [1000, 1000], 2000) is None


@pytest.mark.parametrize("draws", [3, 12, 60, 1000])
def test_splitting_keeps_the_mean_and_the_weights(draws):
    values, weights = [0.1, 0.35, 0.8, 0.93], [0.4, 0.3, 0.2, 0.1]
    part = sums.split(values, weights, draws, 977)
    assert part.times == draws
    assert math.fsum(part.weights) == pytest.approx(1)
    back = [0.1 + position / 977 * (0.93 - 0.1) for position in part.positions]
    mean = math.fsum(v * w for v, w in zip(values, weights, strict=True))
    assert math.fsum(v * w for v, w in zip(back, part.weights, strict=True)) == pytest.approx(mean, rel=1e-12)
    assert (min(part.positions), max(part.positions)) == (0, 977)
    assert all(min(abs(value - place) for place in back) < 0.83 / 977 for value in values)
    assert len(part.positions) <= 8


@pytest.mark.parametrize("draws", [30, 200, 5000])
@pytest.mark.parametrize("values", [[0.0, 0.4, 1.0], [0.2, 0.21, 0.9, 0.95]])
def test_a_grid_is_as_fine_as_its_window_allows(draws, values):
    weights = [1 / len(values)] * len(values)
    scale = sums.scale_for(values, weights, draws, least=0)
    low, high = sums.window([sums.split(values, weights, draws, scale)])
    assert 0.9 * sums.GRID_CELLS < high - low <= sums.GRID_CELLS
    assert sums.scale_for(values, weights, draws, least=10**7) == math.ceil(10**7 / draws)
    assert sums.scale_for(values, weights, draws) == max(scale, math.ceil(200_000 / draws))


def test_every_position_needs_a_weight():
    for short in (
        lambda: sums.window([sums.Part([0, 1], [1.0], 2)]),
        lambda: sums.in_whole_numbers([0, 1], [1], 2),
        lambda: sums.scale_for([0.0, 1.0], [1.0], 2),
        lambda: sums.split([0.0, 1.0], [1.0], 2, 10),
    ):
        with pytest.raises(ValueError, match="shorter than"):
            short()


def test_a_grid_has_a_cell_at_least():
    assert sums.scale_for([0.0, 1.0], [0.5, 0.5], 10**9, least=0) == 1


@pytest.mark.parametrize("draws", [1, 2, 16, 400])
def test_splitting_moves_a_sum_by_less_than_it_says(draws):
    """Hoeffding's bound is above the chance itself: half the draws moved up by half a cell, half down."""
    reach = sums.displaced(draws)
    assert reach <= draws
    beyond = sum(math.comb(draws, up) for up in range(draws + 1) if up - draws / 2 > reach)
    assert Fraction(beyond, 2**draws) < Fraction(1, 10**7)
    assert draws < 100 or reach < 3.2 * math.sqrt(draws)


def test_transforms_have_sizes_that_are_quick_and_little_larger():
    for cells in (*range(1, 3000), 10**5 + 1, 2**18 + 1):
        size = sums._fast_size(cells)
        assert size % 2 == 0
        assert cells <= size <= max(2, 1.2 * cells + 1)
        for factor in (2, 3, 5):
            while size % factor == 0:
                size //= factor
        assert size == 1
