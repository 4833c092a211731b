"""What a run will be able to say, before it is paid for."""

import math
from fractions import Fraction

import numpy as np
import pytest

from passfloor.errors import UsageError
from passfloor.stats import (
    WORKED_MIX,
    attempts_for_width,
    attempts_to_tell,
    bill,
    bootstrap_all,
    estimate_sd,
    expected_width,
    gate_pass_chance,
    mix_of,
    pass_at_k,
    pass_hat_k,
    rule_of_thumb,
    tasks_for_width,
    tell_apart,
)
from passfloor.stats.mixes import shares_of

WORKED = [(10, c) for c in [10] * 10 + [7] * 4 + [5] * 3 + [2] * 2 + [0]]
ONE_RATE = [(1, Fraction(9, 10))]


def binomial_tail(n, c, p):
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(c, n + 1))


def test_the_worked_suite_shows_the_worked_mix():
    assert list(mix_of(WORKED)) == list(WORKED_MIX)


def test_the_expected_width_is_near_that_of_the_worked_interval():
    width = expected_width(20, 10, 5)
    (found,) = bootstrap_all(WORKED, [5])
    assert width.floor == pytest.approx(float(found.floor.high - found.floor.low), abs=0.02)
    assert width.ceiling == pytest.approx(float(found.ceiling.high - found.ceiling.low), abs=0.05)


def test_of_one_rate_the_width_is_all_noise():
    width = expected_width(25, 8, 3, ONE_RATE)
    assert width.floor == pytest.approx(2 * 1.959964 * estimate_sd(0.9, 8, 3) / 5, abs=1e-6)
    assert width.ceiling == pytest.approx(2 * 1.959964 * estimate_sd(Fraction(1, 10), 8, 3) / 5, abs=1e-6)


def test_weights_may_be_numbers_of_tasks():
    assert expected_width(20, 10, 5, [(10, 1), (4, 0.7), (3, 0.5), (2, 0.2), (1, 0)]) == expected_width(
        20, 10, 5
    )
    assert expected_width(20, 10, 5, [(0.5, 1), (0.5, 0.0)]) == expected_width(20, 10, 5, [(1, 1), (1, 0)])


@pytest.mark.parametrize("width", [Fraction(1, 10), Fraction(1, 4), 0.5])
def test_the_tasks_for_a_width_are_the_fewest(width):
    tasks = tasks_for_width(width, 10, 5)
    assert expected_width(tasks, 10, 5).floor <= float(width) + 1e-9
    assert expected_width(tasks - 1, 10, 5).floor > float(width)


def test_a_mix_without_variance_needs_one_task():
    assert tasks_for_width(0.1, 10, 5, [(1, 1)]) == 1


@pytest.mark.parametrize(("width", "tasks", "k"), [(0.40, 22, 5), (0.5, 20, 5), (0.41, 20, 2)])
def test_the_attempts_for_a_width_are_the_fewest(width, tasks, k):
    attempts = attempts_for_width(width, tasks, k)
    assert expected_width(tasks, attempts, k).floor <= width
    assert attempts == k or expected_width(tasks, attempts - 1, k).floor > width


def test_no_number_of_attempts_replaces_tasks():
    assert attempts_for_width(0.2, 20, 5) is None
    assert attempts_for_width(0.2, 20, 5, [(1, 1)]) == 5


def test_a_gate_at_what_an_agent_does_stops_it_about_every_other_time():
    found = gate_pass_chance(20, 10, 5)
    assert (
        found.bar
        == Fraction(10 + 4 * Fraction(7, 10) ** 5 + 3 * Fraction(1, 2) ** 5 + 2 * Fraction(1, 5) ** 5) / 20
    )
    assert found.floor == float(found.bar)
    assert 0.4 < found.chance < 0.6
    assert found.every_task == 0.0


def test_a_gate_at_k_equal_n_is_a_binomial_tail():
    p = Fraction(9, 10) ** 5
    found = gate_pass_chance(12, 5, 5, ONE_RATE, bar=Fraction(1, 2))
    assert found.chance == pytest.approx(float(binomial_tail(12, 6, p)), abs=1e-9)


def test_a_gate_on_every_task_asks_each_of_them():
    found = gate_pass_chance(3, 10, 2, [(1, Fraction(7, 10))], bar=Fraction(9, 10))
    enough = min(c for c in range(11) if pass_at_k(10, c, 2) >= Fraction(9, 10))
    assert found.every_task == pytest.approx(
        float(binomial_tail(10, enough, Fraction(7, 10)) ** 3), rel=1e-12
    )


def test_a_gate_below_everything_passes_and_one_above_stops():
    assert gate_pass_chance(5, 4, 2, ONE_RATE, bar=0).chance == 1.0
    assert gate_pass_chance(5, 4, 2, ONE_RATE, bar=0).every_task == 1.0
    assert gate_pass_chance(5, 4, 2, [(1, 0)], bar=1).chance == pytest.approx(0.0, abs=1e-9)


def test_a_gate_over_a_fine_lattice_is_computed_on_a_grid():
    found = gate_pass_chance(400, 30, 11, bar=Fraction(1, 2))
    assert found.floor < 0.52
    assert 0.5 < found.chance < 1
    assert gate_pass_chance(400, 30, 11, bar=Fraction(55, 100)).chance < 0.01


@pytest.mark.parametrize("n", [300, 600, 1100, 1500])
def test_a_gate_over_estimates_with_more_digits_than_a_double_has(n):
    found = gate_pass_chance(10, n, n // 2, [(1, Fraction(9999, 10000))], bar=Fraction(9, 10))
    assert found.floor == pytest.approx(0.9999 ** (n // 2))
    assert 0.1 < found.chance <= 1
    assert gate_pass_chance(10, n, n // 2, [(1, 0), (1, 1)], bar=Fraction(1, 2)).chance == pytest.approx(1)


@pytest.mark.parametrize(
    ("tasks", "n", "k", "bar"), [(400, 30, 11, 0.5), (30, 40, 17, 0.52), (50, 200, 100, 0.5)]
)
def test_a_gate_on_a_grid_does_what_runs_drawn_do(tasks, n, k, bar):
    draw = np.random.Generator(np.random.PCG64(1))
    worth = np.array([float(pass_hat_k(n, c, k)) for c in range(n + 1)])
    shares = [(tasks // 2, 1.0), (tasks // 2, 0.95)]
    figures = sum(worth[draw.binomial(n, p, (20_000, times))].sum(axis=1) for times, p in shares) / tasks
    bar = float(np.quantile(figures, bar)) + 1e-7
    found = gate_pass_chance(tasks, n, k, [(1, 1), (1, 0.95)], bar=bar)
    assert found.chance == pytest.approx((figures >= bar).mean(), abs=0.015)


def test_a_gate_at_k_of_one_counts_attempts():
    steady = [(1, 0), (1, 1)]
    assert gate_pass_chance(2, 3, 1, steady, bar=Fraction(1, 2)).chance == pytest.approx(1)
    assert gate_pass_chance(2, 3, 1, steady, bar=Fraction(2, 3)).chance == pytest.approx(0, abs=1e-9)
    coin = gate_pass_chance(2, 3, 1, [(1, Fraction(1, 2))], bar=Fraction(1, 2))
    assert coin.chance == pytest.approx(float(binomial_tail(6, 3, Fraction(1, 2))))
    assert coin.every_task == pytest.approx(float(binomial_tail(3, 2, Fraction(1, 2)) ** 2))


def test_the_largest_remainders_get_the_tasks_that_are_left():
    mix = [(Fraction(52, 100), 1), (Fraction(29, 100), Fraction(1, 2)), (Fraction(19, 100), 0)]
    assert gate_pass_chance(10, 1, 1, mix).bar == Fraction(65, 100)


def test_of_equal_remainders_the_first_kind_gets_the_task():
    mix = [(Fraction(55, 100), 1), (Fraction(30, 100), Fraction(1, 2)), (Fraction(15, 100), 0)]
    assert gate_pass_chance(10, 1, 1, mix).bar == Fraction(75, 100)


def test_weights_are_read_as_they_are_written():
    assert shares_of([(0.1, 1), (0.3, 0)]) == [(Fraction(1, 4), 1), (Fraction(3, 4), 0)]
    tiny = Fraction(1, 10**5000)
    assert shares_of([(tiny, 1), (tiny, 0)]) == [(Fraction(1, 2), 1), (Fraction(1, 2), 0)]


def test_tasks_are_shared_out_by_largest_remainders():
    assert gate_pass_chance(3, 1, 1, [(1, 1), (1, 0)]).floor == pytest.approx(2 / 3)


def test_five_attempts_tell_usually_from_rarely_but_not_often_from_a_little_more_often():
    clear = tell_apart(5, Fraction(9, 10), Fraction(1, 10))
    assert clear.threshold == 3
    assert clear.missed == clear.mistaken == pytest.approx(0.00856, abs=1e-12)
    blurred = tell_apart(5, 0.95, 0.9)
    assert (blurred.threshold, blurred.mistaken) == (5, pytest.approx(0.59049, abs=1e-12))
    assert blurred.missed == pytest.approx(1 - 0.95**5, abs=1e-12)
    assert blurred.error == blurred.mistaken


@pytest.mark.parametrize(
    ("n", "high", "low"),
    [(1, 0.6, 0.5), (7, 0.8, 0.5), (12, 0.3, 0.1), (4, 1, 0), (9, 0.2, 0.01), (9, 0.99, 0.8), (30, 0.5, 0.4)],
)
def test_the_threshold_is_the_best_of_all(n, high, low):
    errors = [
        max(
            1 - float(binomial_tail(n, t, Fraction(str(high)))),
            float(binomial_tail(n, t, Fraction(str(low)))),
        )
        for t in range(1, n + 1)
    ]
    found = tell_apart(n, high, low)
    assert found.error == pytest.approx(min(errors), abs=1e-12)
    assert errors[found.threshold - 1] == pytest.approx(min(errors), abs=1e-12)
    assert min(errors[: found.threshold - 1], default=1) > found.error


def test_the_attempts_to_tell_two_rates_are_the_fewest():
    found = attempts_to_tell(0.95, 0.9)
    assert found.n == 298
    assert found.error <= 0.05 < tell_apart(297, 0.95, 0.9).error
    assert attempts_to_tell(0.9, 0.1).n == 3
    assert attempts_to_tell(0.95, 0.9, most=100) is None
    assert attempts_to_tell(0.9, 0.1, most=3).n == 3
    assert attempts_to_tell(0.9, 0.1, most=2) is None
    assert attempts_to_tell(0.9, 0.1, error=0.2, most=1).n == 1
    assert attempts_to_tell(1, 0.5, error=0.25).n == 2


def test_the_bill_is_tasks_times_attempts():
    assert bill(20, 10).runs == 200
    spent = rule_of_thumb(200, 5)
    assert (spent.tasks, spent.n, spent.runs) == (20, 10, 200)
    assert rule_of_thumb(205, 5) == spent


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expected_width(0, 10, 5), "tasks=0 is below 1"),
        (lambda: expected_width(20, 4, 5), "not estimable: k=5 > n=4; plan at least 5 attempts"),
        (lambda: expected_width(20, 10, 5, []), "a mix needs a kind of task with a weight above 0"),
        (lambda: expected_width(20, 10, 5, [(0, 1)]), "a mix needs a kind of task with a weight above 0"),
        (lambda: expected_width(20, 10, 5, [(-1, 1)]), "weight=-1 is not a share of tasks"),
        (lambda: expected_width(20, 10, 5, [(True, 1)]), "weight=True is not a share of tasks"),
        (lambda: expected_width(20, 10, 5, [(float("nan"), 1)]), "weight=nan is not a share of tasks"),
        (lambda: expected_width(20, 10, 5, [(1, 70)]), "rate=70 is not a rate"),
        (lambda: expected_width(20, 10, 0), "k=0 is below 1"),
        (lambda: expected_width(20, True, 1), "n=True is not a whole number"),
        (lambda: expected_width(20, 10, 5, level=1), "level=1 leaves nothing to chance"),
        (lambda: expected_width(20, 10, 5, [(float("inf"), 1)]), "weight=inf is not a share of tasks"),
        (lambda: tasks_for_width(0, 10, 5), "width=0 leaves nothing to chance"),
        (lambda: tasks_for_width(0.1, 10, 5, level=0), "level=0 leaves nothing to chance"),
        (lambda: attempts_for_width(0.2, 20, -1, [(1, 0)]), "k=-1 is below 1"),
        (lambda: attempts_for_width(0.2, 0, 5), "tasks=0 is below 1"),
        (lambda: attempts_for_width(1, 20, 5), "width=1 leaves nothing to chance"),
        (lambda: attempts_for_width(0.2, 20, 5, level=0), "level=0 leaves nothing to chance"),
        (lambda: gate_pass_chance(0, 10, 5), "tasks=0 is below 1"),
        (lambda: gate_pass_chance(20, 10, 5, bar=70), "bar=70 is not a rate"),
        (lambda: gate_pass_chance(20, 4, 5), "not estimable: k=5 > n=4"),
        (lambda: tell_apart(5, 0.5, 0.5), "high=0.5 is not above low=0.5"),
        (lambda: tell_apart(0, 0.5, 0.4), "n=0 is below 1"),
        (lambda: tell_apart(5, 70, 0.4), "high=70 is not a rate"),
        (lambda: tell_apart(5, 0.7, -1), "low=-1 is not a rate"),
        (lambda: attempts_to_tell(0.5, 0.4, error=0), "error=0 leaves nothing to chance"),
        (lambda: attempts_to_tell(0.5, 0.4, most=0), "most=0 is below 1"),
        (lambda: bill(3, 0), "n=0 is below 1"),
        (lambda: bill(0, 3), "tasks=0 is below 1"),
        (lambda: rule_of_thumb(9, 0), "k=0 is below 1"),
        (lambda: rule_of_thumb(20.0, 5), "runs=20.0 is not a whole number"),
        (lambda: rule_of_thumb(9, 5), "runs=9 are fewer than the 10 attempts of one task"),
    ],
)
def test_an_impossible_plan_is_refused(call, message):
    with pytest.raises(UsageError) as refused:
        call()
    assert str(refused.value).startswith(message)
