"""Closed forms, shortcuts, noise of one estimate, and bounds under errors."""

from fractions import Fraction
from math import comb

import pytest

from passfloor.errors import UsageError
from passfloor.stats import (
    assumed_pass_at_k,
    assumed_pass_hat_k,
    batch,
    bounds,
    estimate_sd,
    pass_hat_k,
    percent,
    plug_in,
    pooled,
)

WORKED = [(10, c) for c in [10] * 10 + [7] * 4 + [5] * 3 + [2] * 2 + [0]]


def test_the_closed_forms_are_exact_powers():
    p = Fraction(7, 10)
    assert (assumed_pass_at_k(p, 5), assumed_pass_hat_k(p, 5)) == (1 - Fraction(3, 10) ** 5, p**5)
    assert percent(assumed_pass_at_k(p, 5) - assumed_pass_hat_k(p, 5), 0) == "83"


def test_a_float_is_read_as_the_decimal_it_is_written_as():
    assert assumed_pass_hat_k(0.7, 2) == Fraction(49, 100)
    assert assumed_pass_at_k(1, 3) == 1
    assert assumed_pass_hat_k(0, 3) == 0


@pytest.mark.parametrize("figure", [assumed_pass_at_k, assumed_pass_hat_k])
def test_no_fewer_than_one_attempt_is_drawn(figure):
    with pytest.raises(UsageError, match=r"^k=0 is below 1; give 1 or more$"):
        figure(0.5, 0)


def test_an_exact_rate_may_be_finer_than_any_decimal():
    tiny = Fraction(1, 10**5000)
    assert assumed_pass_hat_k(tiny, 2) == tiny**2


@pytest.mark.parametrize("p", [-0.1, 70, float("nan"), float("inf"), True, "0.7", Fraction(3, 2)])
def test_what_is_no_rate_is_refused(p):
    with pytest.raises(UsageError, match="is not a rate; give a number from 0 to 1"):
        assumed_pass_hat_k(p, 2)


def test_a_batch_of_different_jobs_is_a_third_number():
    assert batch(WORKED, 5) == Fraction(147, 200) ** 5
    assert percent(batch(WORKED, 5)) == "21.5"
    assert batch([(2, 1)], 9) == Fraction(1, 2**9)
    with pytest.raises(UsageError):
        batch(WORKED, 0)


def test_the_shortcuts_differ_from_the_figure_as_worked():
    assert percent(plug_in(WORKED, 5)[1]) == "53.8"
    assert tuple(map(percent, pooled(WORKED, 5))) == ("99.9", "21.5")
    assert percent(plug_in([(10, 7)], 5)[1]) == "16.8"


def test_the_shortcuts_go_wrong_on_one_solved_and_one_unsolved_task():
    assert pooled([(4, 4), (4, 0)], 2) == (Fraction(3, 4), Fraction(1, 4))
    assert plug_in([(4, 4), (4, 0)], 2) == (Fraction(1, 2), Fraction(1, 2))


@pytest.mark.parametrize(("n", "points"), [(5, "37"), (10, "21"), (20, "13")])
def test_the_noise_of_a_seven_in_ten_task_shrinks_with_n_as_worked(n, points):
    assert format(100 * estimate_sd(Fraction(7, 10), n, 5), ".0f") == points


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 5), (7, 3), (12, 6)])
@pytest.mark.parametrize("p", [Fraction(1, 100), Fraction(1, 2), Fraction(999, 1000)])
def test_the_noise_is_the_standard_deviation_over_the_binomial(n, k, p):
    weights = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    square = sum(w * pass_hat_k(n, c, k) ** 2 for c, w in enumerate(weights)) - p ** (2 * k)
    assert estimate_sd(p, n, k) == pytest.approx(float(square) ** 0.5, rel=1e-12)


def test_a_certain_task_has_no_noise():
    assert estimate_sd(0, 5, 3) == estimate_sd(1, 5, 3) == 0.0
    with pytest.raises(UsageError, match="not estimable: k=5 > n=2"):
        estimate_sd(0.5, 2, 5)


def test_bounds_run_from_errored_as_failed_to_errored_as_passed():
    found = bounds([(4, 1, 3), (4, 0, 4)], 4)
    assert found.ceiling == (Fraction(1, 2), Fraction(1))
    assert found.floor == (Fraction(0), Fraction(1))
    assert bounds([(4, 1, 3), (4, 0, 4)], 1).floor == (Fraction(1, 8), Fraction(1))


def test_without_errors_the_bounds_meet():
    found = bounds([(5, 3, 0), (5, 5, 0)], 2)
    assert found.ceiling[0] == found.ceiling[1]
    assert found.floor[0] == found.floor[1] == Fraction(13, 20)


@pytest.mark.parametrize("triple", [(4, 2, 3), (4, 2, -1), (4, 2, True)])
def test_impossible_errors_are_refused(triple):
    with pytest.raises(UsageError, match="errored"):
        bounds([triple], 2)
