"""What holds for every count, not only for the worked ones."""

from fractions import Fraction
from math import comb

from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.aggregate import TaskCount, nearest, numbers
from passfloor.stats import mean, pass_at_k, pass_hat_k, percent

MODERATE = settings(max_examples=100, deadline=None)


@st.composite
def suites(draw):
    n = draw(st.integers(1, 30))
    passed = draw(st.lists(st.integers(0, n), min_size=1, max_size=12))
    return n, passed


@MODERATE
@given(suites(), st.data())
def test_floor_success_rate_and_ceiling_are_in_this_order(suite, data):
    n, passed = suite
    k = data.draw(st.integers(1, n))
    derived = numbers((TaskCount(n, c, 0) for c in passed), k)
    assert 0 <= derived.pass_hat_k <= derived.success_rate <= derived.pass_at_k <= 1


@MODERATE
@given(suites())
def test_the_floor_never_rises_and_the_ceiling_never_falls_with_k(suite):
    n, passed = suite
    tasks = [TaskCount(n, c, 0) for c in passed]
    figures = [numbers(tasks, k) for k in range(1, n + 1)]
    floors = [f.pass_hat_k for f in figures]
    ceilings = [f.pass_at_k for f in figures]
    assert floors == sorted(floors, reverse=True)
    assert ceilings == sorted(ceilings)
    assert floors[0] == ceilings[0] == Fraction(sum(passed), n * len(passed))


@MODERATE
@given(st.integers(1, 12), st.data())
def test_the_estimators_are_unbiased_under_the_binomial(n, data):
    k = data.draw(st.integers(1, n))
    p = data.draw(st.fractions(0, 1, max_denominator=50))
    weights = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    assert sum(w * pass_hat_k(n, c, k) for c, w in enumerate(weights)) == p**k
    assert sum(w * pass_at_k(n, c, k) for c, w in enumerate(weights)) == 1 - (1 - p) ** k


@MODERATE
@given(suites(), st.data())
def test_figures_are_per_task_and_then_the_mean(suite, data):
    n, passed = suite
    k = data.draw(st.integers(1, n))
    derived = numbers((TaskCount(n, c, 0) for c in passed), k)
    assert derived.pass_at_k == mean(pass_at_k(n, c, k) for c in passed)
    assert derived.pass_hat_k == mean(pass_hat_k(n, c, k) for c in passed)


@MODERATE
@given(st.integers(1, 40), st.data())
def test_the_plug_in_rate_understates_the_ceiling_and_overstates_the_floor(n, data):
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    assert pass_hat_k(n, c, k) <= Fraction(c, n) ** k
    assert pass_at_k(n, c, k) >= 1 - Fraction(n - c, n) ** k


@MODERATE
@given(st.integers(1, 40), st.data())
def test_the_two_figures_mirror_each_other(n, data):
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    assert pass_at_k(n, c, k) == 1 - pass_hat_k(n, n - c, k)


@MODERATE
@given(st.fractions(0, 1), st.integers(0, 4))
def test_a_printed_percentage_is_within_half_a_unit(value, places):
    assert abs(Fraction(percent(value, places)) - value * 100) <= Fraction(1, 2 * 10**places)


@MODERATE
@given(st.fractions(0, 1))
def test_no_neighbouring_double_is_nearer(value):
    import math

    chosen = nearest(value)
    error = abs(Fraction(chosen) - value)
    for other in (math.nextafter(chosen, 2), math.nextafter(chosen, -1)):
        assert error <= abs(Fraction(other) - value)
