"""The estimators reproduce exact values worked by hand and refuse what cannot be estimated."""

from fractions import Fraction
from math import comb

import pytest

from passfloor.errors import UsageError
from passfloor.stats import mean, pass_at_k, pass_hat_k, percent, ruled_out

WORKED = [10] * 10 + [7] * 4 + [5] * 3 + [2] * 2 + [0]
"""Passing attempts of 20 tasks with ten attempts each."""


def suite_figure(estimator, k, n=10, passed=WORKED):
    return mean(estimator(n, c, k) for c in passed)


@pytest.mark.parametrize(
    ("k", "ceiling", "floor"),
    [
        (1, "73.50", "73.50"),
        (2, "84.11", "62.89"),
        (3, "88.92", "57.08"),
        (5, "92.72", "51.73"),
        (8, "94.78", "50.00"),
        (10, "95.00", "50.00"),
    ],
)
def test_the_worked_suite_has_its_figures_at_every_k(k, ceiling, floor):
    assert percent(suite_figure(pass_at_k, k), 2) == ceiling
    assert percent(suite_figure(pass_hat_k, k), 2) == floor


def test_the_worked_suite_at_five_is_exact():
    ceiling, floor = suite_figure(pass_at_k, 5), suite_figure(pass_hat_k, 5)
    assert (ceiling, floor) == (Fraction(4673, 5040), Fraction(869, 1680))
    assert (percent(ceiling), percent(floor), percent(ceiling - floor)) == ("92.7", "51.7", "41.0")
    assert suite_figure(pass_hat_k, 1) == Fraction(147, 200)


def test_the_envelope_at_ten_is_45_points():
    assert percent(suite_figure(pass_at_k, 10) - suite_figure(pass_hat_k, 10)) == "45.0"


def test_the_figures_are_neither_plug_in_nor_pooled():
    plug_in = mean(Fraction(c, 10) ** 5 for c in WORKED)
    pooled = Fraction(sum(WORKED), 200)
    assert (percent(plug_in), percent(pooled**5), percent(1 - (1 - pooled) ** 5)) == ("53.8", "21.5", "99.9")
    assert percent(suite_figure(pass_hat_k, 5)) not in {"53.8", "21.5"}
    assert percent(suite_figure(pass_at_k, 5)) != "99.9"


def test_one_solved_and_one_unsolved_task_are_a_half_each_way():
    for estimator in (pass_at_k, pass_hat_k):
        assert suite_figure(estimator, 2, n=4, passed=[4, 0]) == Fraction(1, 2)


def test_errored_attempts_stay_in_the_denominator():
    assert suite_figure(pass_at_k, 1, n=4, passed=[1, 0]) == Fraction(1, 8)
    assert suite_figure(pass_at_k, 4, n=4, passed=[1, 0]) == Fraction(1, 2)
    assert suite_figure(pass_hat_k, 4, n=4, passed=[1, 0]) == 0


def test_the_seven_of_ten_task_at_five():
    ceiling, floor = pass_at_k(10, 7, 5), pass_hat_k(10, 7, 5)
    assert (percent(ceiling), percent(floor), percent(ceiling - floor, 0)) == ("100.0", "8.3", "92")
    assert percent(Fraction(7, 10) ** 5) == "16.8"


@pytest.mark.parametrize(("n", "points"), [(5, "37"), (10, "21"), (20, "13")])
def test_the_noise_of_a_seven_in_ten_task_shrinks_with_n_as_worked(n, points):
    p = Fraction(7, 10)
    weights = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    square = sum(w * pass_hat_k(n, c, 5) ** 2 for c, w in enumerate(weights))
    assert format(100 * float(square - p**10) ** 0.5, ".0f") == points


@pytest.mark.parametrize(
    ("n", "c", "k", "value"),
    [
        (5, 2, 2, Fraction(7, 10)),
        (1100, 1, 550, Fraction(1, 2)),
        (200, 1, 1, Fraction(1, 200)),
        (5, 0, 5, Fraction(0)),
        (5, 1, 5, Fraction(1)),
        (5, 3, 3, Fraction(1)),
        (1, 1, 1, Fraction(1)),
    ],
)
def test_pass_at_k_is_exact(n, c, k, value):
    assert pass_at_k(n, c, k) == value
    assert isinstance(pass_at_k(n, c, k), Fraction)


@pytest.mark.parametrize(
    ("n", "c", "k", "value"),
    [
        (5, 2, 2, Fraction(1, 10)),
        (1100, 1099, 550, Fraction(1, 2)),
        (200, 1, 1, Fraction(1, 200)),
        (5, 5, 5, Fraction(1)),
        (5, 4, 5, Fraction(0)),
        (1, 0, 1, Fraction(0)),
    ],
)
def test_pass_hat_k_is_exact(n, c, k, value):
    assert pass_hat_k(n, c, k) == value
    assert isinstance(pass_hat_k(n, c, k), Fraction)


@pytest.mark.parametrize("estimator", [pass_at_k, pass_hat_k])
@pytest.mark.parametrize(
    ("n", "c", "k", "message"),
    [
        (2, 0, 5, "not estimable: k=5 > n=2"),
        (2, 2, 5, "not estimable: k=5 > n=2"),
        (0, 0, 1, "not estimable: k=1 > n=0"),
        (5, 2, 0, "not estimable: k=0 < 1"),
        (5, 2, -1, "not estimable: k=-1 < 1"),
        (5, 6, 1, "not estimable: c=6 passing attempts of n=5"),
        (5, -1, 1, "not estimable: c=-1 passing attempts of n=5"),
        (True, 1, 1, "n=True is not a whole number"),
        (5, True, 1, "c=True is not a whole number"),
        (5, 1, True, "k=True is not a whole number"),
        (5, 1, 1.0, "k=1.0 is not a whole number"),
        ("5", 1, 1, "n='5' is not a whole number"),
    ],
)
def test_what_cannot_be_estimated_is_refused_and_never_a_number(estimator, n, c, k, message):
    with pytest.raises(UsageError, match=r"^" + message.replace("(", r"\(")) as refusal:
        estimator(n, c, k)
    assert "\n" not in str(refusal.value)


def test_the_refusal_says_what_to_do_next():
    with pytest.raises(UsageError) as refusal:
        pass_at_k(2, 0, 5)
    message = "not estimable: k=5 > n=2; record at least 5 attempts or ask for a smaller k"
    assert str(refusal.value) == message


def test_a_mean_over_nothing_is_refused():
    with pytest.raises(UsageError, match="undefined over no tasks"):
        mean([])


def test_a_mean_is_exact_and_reads_its_values_once():
    assert mean(Fraction(1, d) for d in (3, 6)) == Fraction(1, 4)


@pytest.mark.parametrize(("n", "rate"), [(1, "0.9500"), (5, "0.4507"), (10, "0.2589"), (1000, "0.0030")])
def test_a_clean_sheet_rules_out_failure_rates_above_the_bound(n, rate):
    assert format(ruled_out(n), ".4f") == rate


def test_an_agent_at_the_bound_gives_a_clean_sheet_with_probability_alpha():
    assert (1 - ruled_out(7, Fraction(1, 10))) ** 7 == pytest.approx(0.1)
    assert percent(Fraction(9, 10) ** 10) == "34.9"


@pytest.mark.parametrize("n", [0, -1, True, 2.0])
def test_a_bound_needs_at_least_one_attempt(n):
    with pytest.raises(UsageError, match=r"^n="):
        ruled_out(n)


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, float("nan"), True])
def test_a_level_lies_strictly_between_0_and_1(alpha):
    with pytest.raises(UsageError, match=r"^alpha="):
        ruled_out(5, alpha)


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (Fraction(4673, 5040), 1, "92.7"),
        (Fraction(1, 8), 0, "12"),
        (Fraction(3, 8), 0, "38"),
        (Fraction(5, 10_000), 1, "0.0"),
        (Fraction(15, 10_000), 1, "0.2"),
        (Fraction(25, 10_000), 1, "0.2"),
        (Fraction(1), 1, "100.0"),
        (Fraction(0), 2, "0.00"),
        (Fraction(1, 1000), 2, "0.10"),
        (Fraction(-1, 8), 1, "-12.5"),
        (Fraction(-1, 10_000), 1, "0.0"),
        (Fraction(999_999, 1_000_000), 1, "100.0"),
    ],
)
def test_a_percentage_is_rounded_once_half_to_even(value, places, text):
    assert percent(value, places) == text


@pytest.mark.parametrize("places", [-1, True, 1.0])
def test_a_percentage_has_a_whole_number_of_decimals(places):
    with pytest.raises(UsageError, match=r"^places="):
        percent(Fraction(1, 2), places)
