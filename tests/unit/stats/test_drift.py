"""A trend over attempt order."""

import itertools
import random
from fractions import Fraction
from math import comb

import pytest

from passfloor.errors import UsageError
from passfloor.stats import trend
from passfloor.stats.drift import rank_sum_chances


def statistic(task):
    return sum(2 * place - (len(task) - 1) for place, passed in enumerate(task) if passed)


def by_enumeration(outcomes):
    """Every way in which each task's passes could have fallen on its attempts."""
    observed = abs(sum(map(statistic, outcomes)))
    ways = [
        [
            statistic([i in places for i in range(len(t))])
            for places in itertools.combinations(range(len(t)), sum(t))
        ]
        for t in outcomes
    ]
    totals = [abs(sum(chosen)) for chosen in itertools.product(*ways)]
    return sum(total >= observed for total in totals) / len(totals)


@pytest.mark.parametrize(
    "rows",
    ["00111", "11100", "01101 11011", "0011 01 111 10", "000111 001011 0101", "10 10 10 1110"],
)
def test_the_chance_is_the_share_of_all_orders(rows):
    outcomes = [[letter == "1" for letter in row] for row in rows.split()]
    assert trend(outcomes).p == pytest.approx(by_enumeration(outcomes), abs=1e-9)


def test_the_slope_is_that_of_least_squares():
    assert trend([[False, False, True, True]]).slope == Fraction(2, 5)
    assert trend([[True, False], [True, False], [True, True]]).slope == Fraction(-2, 3)


def test_a_suite_that_decays_is_noticed_and_one_that_does_not_is_not():
    decaying = [[True] * 5 + [False] * 5] * 20
    assert trend(decaying).p < 1e-6
    assert trend(decaying).slope < 0
    balanced = [[True, False], [False, True]] * 10
    assert (trend(balanced).p, trend(balanced).slope) == (1.0, 0)


def test_random_outcomes_of_a_large_suite_show_no_trend():
    draw = random.Random(5)
    outcomes = [[draw.random() < 0.6 for _ in range(32)] for _ in range(1000)]
    assert 0.001 < trend(outcomes).p <= 1


def test_where_order_cannot_matter_there_is_no_trend():
    assert trend([[True, True], [False], [False, False, False]]) is None


@pytest.mark.parametrize("outcomes", [[], [[True], []]])
def test_no_attempts_are_refused(outcomes):
    with pytest.raises(UsageError, match="a trend is undefined over no attempts"):
        trend(outcomes)


@pytest.mark.parametrize(("n", "c"), [(1, 1), (4, 2), (6, 1), (7, 5), (9, 4), (5, 0), (12, 6)])
def test_every_rank_sum_has_its_share_of_all_choices(n, c):
    counted = [0] * (c * (n - c) + 1)
    for places in itertools.combinations(range(n), c):
        counted[sum(places) - c * (c - 1) // 2] += 1
    assert rank_sum_chances(n, c) == pytest.approx([count / comb(n, c) for count in counted], abs=1e-14)


@pytest.mark.parametrize(("n", "c"), [(100, 50), (64, 60), (300, 7), (400, 150)])
def test_rank_sums_of_many_attempts_keep_their_moments_and_their_ends(n, c):
    found = rank_sum_chances(n, c)
    middle = c * (n - c) / 2
    assert sum(found) == pytest.approx(1, abs=1e-11)
    assert found[0] == pytest.approx(1 / comb(n, c), abs=1e-14)
    for power, moment in ((1, 0), (2, c * (n - c) * (n + 1) / 12), (3, 0)):
        central = sum(chance * (total - middle) ** power for total, chance in enumerate(found))
        assert central == pytest.approx(moment, rel=1e-9, abs=1e-9 * middle**power)
    assert min(found) >= 0


def test_one_pass_among_many_attempts_falls_on_each_alike():
    assert rank_sum_chances(1000, 1) == pytest.approx([1 / 1000] * 1000, abs=1e-14)
    assert rank_sum_chances(1000, 999) == pytest.approx([1 / 1000] * 1000, abs=1e-14)
