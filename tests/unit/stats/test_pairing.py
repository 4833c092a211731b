"""Paired tests over tasks, and what they could have seen."""

import itertools
import math
import random
from fractions import Fraction

import pytest

from passfloor.errors import UsageError
from passfloor.stats import (
    Detectable,
    best_attainable_p,
    difference_sd,
    mcnemar_p,
    sign_flip_p,
    smallest_detectable,
)
from passfloor.stats.normal import normal_quantile


def by_enumeration(differences):
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * d for sign, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(differences))
    ]
    return sum(total >= observed for total in sums) / len(sums)


@pytest.mark.parametrize(
    "differences",
    [
        [Fraction(1, 2)],
        [Fraction(1, 2), Fraction(0), Fraction(-1, 3), Fraction(1, 7)],
        [Fraction(c, 252) for c in (252, -231, 1, 1, 21, -20, 0, 126)],
        [Fraction(1, 10**9 + c) for c in range(1, 9)],
        [Fraction(3, 10), Fraction(1, 10**7), Fraction(-1, 10**7)],
        [Fraction(3, 10), Fraction(1, 10**7), Fraction(2, 10**7), Fraction(-1, 10**7)],
    ],
)
def test_the_sign_flip_test_is_the_share_of_all_signs(differences):
    assert sign_flip_p(differences) == by_enumeration(differences)


def by_counting(differences):
    """The same by adding up how often each sum occurs, exactly."""
    common = math.lcm(*(difference.denominator for difference in differences))
    steps = [int(difference * common) for difference in differences]
    ways = {0: 1}
    for size in steps:
        more = {}
        for total, times in ways.items():
            for moved in (total + size, total - size):
                more[moved] = more.get(moved, 0) + times
        ways = more
    return sum(times for total, times in ways.items() if abs(total) >= abs(sum(steps))) / 2 ** len(steps)


@pytest.mark.parametrize(("tasks", "steps"), [(17, 40), (17, 30_000), (24, 500), (40, 4000)])
def test_many_differences_on_one_lattice_are_the_share_of_all_signs(tasks, steps):
    draw = random.Random(tasks * steps)
    differences = [Fraction(draw.randint(-steps, 2 * steps), 10**6) for _ in range(tasks)]
    if tasks * steps < 100_000:
        assert sign_flip_p(differences) == pytest.approx(by_counting(differences), rel=1e-9)
    coarser = [difference * Fraction(99_991, 10**6) for difference in differences]
    assert sign_flip_p(coarser) == sign_flip_p(differences)


def test_what_has_to_be_rounded_is_rounded_finely():
    draw = random.Random(8)
    differences = [Fraction(draw.randint(-(10**9), 2 * 10**9), 10**10) for _ in range(17)]
    assert sign_flip_p(differences) == pytest.approx(by_counting(differences), rel=2e-3)


def test_differences_that_cancel_say_nothing():
    assert sign_flip_p([Fraction(1, 2), Fraction(-1, 2)]) == 1.0
    assert sign_flip_p([Fraction(0)] * 3) == 1.0


def test_tasks_that_did_not_move_change_nothing():
    moved = [Fraction(1, 2), Fraction(1, 3), Fraction(-1, 5)]
    assert sign_flip_p([*moved, *[Fraction(0)] * 50]) == sign_flip_p(moved)


def test_whole_moves_are_mcnemars_test():
    differences = [Fraction(1)] * 9 + [Fraction(-1)] * 2 + [Fraction(0)] * 5
    assert sign_flip_p(differences) == float(mcnemar_p(9, 2))


@pytest.mark.parametrize("tasks", [40, 300])
def test_many_fine_differences_agree_with_the_normal_law(tasks):
    draw = random.Random(tasks)
    differences = [
        Fraction(draw.randint(-900_000, 1_050_000), 10**6 + draw.randint(1, 9)) for _ in range(tasks)
    ]
    size = math.sqrt(sum(float(d) ** 2 for d in differences))
    normal = math.erfc(abs(float(sum(differences))) / size / math.sqrt(2))
    assert sign_flip_p(differences) == pytest.approx(normal, abs=0.01)


def test_one_sided_moves_of_many_tasks_keep_their_small_chance():
    differences = [Fraction(1, 2) + Fraction(i, 10**7) for i in range(60)]
    assert sign_flip_p(differences) == pytest.approx(2.0**-59, rel=1e-9)
    assert sign_flip_p([Fraction(1)] * 30) == 2.0**-29


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [
        (0, 0, Fraction(1)),
        (3, 3, Fraction(1)),
        (5, 0, Fraction(1, 16)),
        (6, 0, Fraction(1, 32)),
        (0, 6, Fraction(1, 32)),
        (1, 7, Fraction(9, 128)),
    ],
)
def test_mcnemar_is_exact(better, worse, p):
    assert mcnemar_p(better, worse) == p


def test_five_tasks_can_never_reach_five_percent():
    assert best_attainable_p(5) == Fraction(1, 16) > Fraction(1, 20) > best_attainable_p(6)
    assert best_attainable_p(1) == 1
    assert mcnemar_p(5, 0) == best_attainable_p(5)


@pytest.mark.parametrize(("tasks", "noise"), [(5, 0.0), (3, 0.2)])
def test_a_suite_too_small_to_reach_alpha_can_detect_nothing(tasks, noise):
    found = smallest_detectable(tasks, noise)
    assert (found.change, found.by_tasks) == (None, None)


def test_the_smallest_detectable_change_is_the_larger_of_two_limits():
    assert smallest_detectable(20, 0.0) == Detectable(change=0.3, by_tasks=Fraction(3, 10), by_noise=0.0)
    noisy = smallest_detectable(200, 0.05)
    assert noisy.by_tasks == Fraction(3, 100)
    assert noisy.change == noisy.by_noise == pytest.approx((1.959964 + 0.841621) * 0.05, abs=1e-6)


def test_a_looser_level_needs_fewer_tasks():
    assert smallest_detectable(20, 0.0, alpha=Fraction(1, 4)).by_tasks == Fraction(3, 20)


def test_a_change_of_the_whole_suite_can_be_detected_and_a_level_just_reached():
    assert smallest_detectable(6, 0.0).change == 1.0
    assert smallest_detectable(20, 0.0, alpha=Fraction(1, 32)).by_tasks == Fraction(6, 20)


def test_a_limit_by_noise_is_never_below_nought():
    assert smallest_detectable(20, 0.1, alpha=Fraction(1, 2), power=Fraction(1, 10)).by_noise == 0.0


def test_noise_above_every_change_detects_nothing():
    assert smallest_detectable(20, 0.9).change is None


@pytest.mark.parametrize("noise", [-0.1, float("nan"), float("inf")])
def test_noise_has_to_be_a_standard_deviation(noise):
    with pytest.raises(UsageError, match="is not a standard deviation"):
        smallest_detectable(20, noise)


def test_the_scatter_of_differences_is_that_of_their_mean():
    assert difference_sd([Fraction(0), Fraction(1)]) == 0.5
    assert difference_sd([Fraction(1, 3)] * 5) == 0.0
    with pytest.raises(UsageError, match="the scatter of 1 differences is not estimable"):
        difference_sd([Fraction(1)])


def test_nothing_to_compare_is_refused():
    with pytest.raises(UsageError, match="a comparison is undefined over no tasks"):
        sign_flip_p([])
    with pytest.raises(UsageError, match=r"^better=-1 is below 0"):
        mcnemar_p(-1, 0)
    with pytest.raises(UsageError, match=r"^worse=True is not a whole number"):
        mcnemar_p(1, True)
    with pytest.raises(UsageError, match=r"^tasks=0 is below 1"):
        best_attainable_p(0)
    with pytest.raises(UsageError, match=r"^tasks=0 is below 1"):
        smallest_detectable(0, 0.1)
    with pytest.raises(UsageError, match=r"^alpha=1 leaves nothing to chance"):
        smallest_detectable(5, 0.1, alpha=1)
    with pytest.raises(UsageError, match=r"^power=0 leaves nothing to chance"):
        smallest_detectable(5, 0.1, power=0)


@pytest.mark.parametrize(("chance", "z"), [(0.5, 0.0), (0.975, 1.959963984540054), (0.8, 0.8416212335729143)])
def test_normal_quantiles_are_those_of_the_tables(chance, z):
    assert normal_quantile(chance) == pytest.approx(z, abs=1e-12)
    assert normal_quantile(1 - chance) == pytest.approx(-z, abs=1e-12)
