"""The figures of a suite at every k, and its piles."""

from fractions import Fraction

import pytest

from passfloor.errors import UsageError
from passfloor.stats import Piles, Point, curve, mean, pass_at_k, pass_hat_k, percent, piles, success_rate

WORKED = [(10, c) for c in [10] * 10 + [7] * 4 + [5] * 3 + [2] * 2 + [0]]


def test_the_worked_suite_has_a_point_at_every_k_up_to_n():
    points = {point.k: point for point in curve(WORKED)}
    assert list(points) == list(range(1, 11))
    shown = {k: (percent(points[k].ceiling, 2), percent(points[k].floor, 2)) for k in (1, 2, 3, 5, 8, 10)}
    assert shown == {
        1: ("73.50", "73.50"),
        2: ("84.11", "62.89"),
        3: ("88.92", "57.08"),
        5: ("92.72", "51.73"),
        8: ("94.78", "50.00"),
        10: ("95.00", "50.00"),
    }
    assert all(point.tasks == 20 for point in points.values())


def test_the_worked_suite_at_five_and_ten_is_exact():
    five, ten = curve(WORKED, [5, 10])
    assert five == Point(k=5, ceiling=Fraction(4673, 5040), floor=Fraction(869, 1680), tasks=20)
    assert (percent(five.envelope), percent(ten.envelope)) == ("41.0", "45.0")


def test_points_come_in_the_order_asked_for():
    assert [point.k for point in curve(WORKED, [3, 1, 3])] == [3, 1, 3]
    assert curve(WORKED, []) == []


def test_where_n_differs_a_point_counts_the_tasks_that_have_k_attempts():
    pairs = [(2, 1), (4, 4), (4, 0)]
    points = curve(pairs)
    assert [point.tasks for point in points] == [3, 3, 2, 2]
    assert points[3] == Point(k=4, ceiling=Fraction(1, 2), floor=Fraction(1, 2), tasks=2)
    assert points[0].floor == mean([Fraction(1, 2), Fraction(1), Fraction(0)])


def test_a_point_is_the_mean_over_tasks_of_the_estimators():
    (point,) = curve(WORKED, [4])
    assert point.ceiling == mean(pass_at_k(n, c, 4) for n, c in WORKED)
    assert point.floor == mean(pass_hat_k(n, c, 4) for n, c in WORKED)


def test_the_piles_of_the_worked_suite():
    found = piles(WORKED)
    assert found == Piles(always=10, flaky=9, never=1)
    assert found.tasks == 20


def test_each_pile_counts_its_own_tasks():
    assert piles([(3, 3), (2, 2), (3, 1), (3, 2), (2, 1), (1, 0)]) == Piles(always=2, flaky=3, never=1)


def test_the_success_rate_is_the_mean_over_tasks():
    assert success_rate(WORKED) == Fraction(147, 200)
    assert success_rate([(1, 1), (4, 0)]) == Fraction(1, 2)


@pytest.mark.parametrize("figure", [curve, piles, success_rate])
@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "a mean is undefined over no tasks; name at least one task"),
        ([(3, 1), (0, 0)], "n=0 is below 1; give 1 or more"),
        ([(3, 4)], "not estimable: c=4 passing attempts of n=3; c lies between 0 and n"),
        ([(3, -1)], "not estimable: c=-1 passing attempts of n=3; c lies between 0 and n"),
        ([(3, True)], "c=True is not a whole number; give an int"),
        ([(3.0, 1)], "n=3.0 is not a whole number; give an int"),
    ],
)
def test_impossible_counts_are_refused(figure, pairs, message):
    with pytest.raises(UsageError) as refused:
        figure(pairs)
    assert str(refused.value) == message


def test_a_k_above_every_n_is_refused_and_never_a_number():
    with pytest.raises(UsageError, match="not estimable: k=5 > n=4 of every task; ask for a k of at most 4"):
        curve([(2, 2), (4, 1)], [5])
    with pytest.raises(UsageError, match=r"^k=0 is below 1"):
        curve([(2, 2)], [0])
