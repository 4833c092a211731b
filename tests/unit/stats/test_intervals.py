"""Intervals across tasks, noise from attempts, and the interval of one task's rate."""

import bisect
import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from passfloor.errors import UsageError
from passfloor.stats import (
    attempt_noise,
    bootstrap_all,
    bootstrap_over_tasks,
    clopper_pearson,
    estimate_sd,
    pass_at_k,
    pass_hat_k,
    percent,
    ruled_out,
)
from passfloor.stats.bootstrap import ends_of
from passfloor.stats.sums import Sums

WORKED = [(10, c) for c in [10] * 10 + [7] * 4 + [5] * 3 + [2] * 2 + [0]]
FLOORS = [pass_hat_k(n, c, 5) for n, c in WORKED]
CEILINGS = [pass_at_k(n, c, 5) for n, c in WORKED]


def sampled(values, clusters=None, resamples=20_000, seed=1):
    """Both ends as everybody else computes them."""
    draw = random.Random(seed)
    groups = {}
    for i, value in enumerate(values):
        groups.setdefault(i if clusters is None or clusters[i] is None else clusters[i], []).append(value)
    totals = [(float(sum(group)), len(group)) for group in groups.values()]
    means = []
    for _ in range(resamples):
        drawn = draw.choices(totals, k=len(totals))
        means.append(sum(total for total, _ in drawn) / sum(size for _, size in drawn))
    means.sort()
    return means[math.ceil(0.025 * resamples) - 1], means[math.ceil(0.975 * resamples) - 1]


def flaky(tasks, n, seed=7):
    draw = random.Random(seed)
    return [(n, min(n, max(0, round(draw.gauss(0.6 * n, 0.35 * n))))) for _ in range(tasks)]


@pytest.mark.parametrize(
    ("values", "low", "high", "shown"),
    [
        (FLOORS, ".31409", ".71687", ("31.4", "71.7")),
        (CEILINGS, ".81607", ".99921", ("81.6", "99.9")),
    ],
)
def test_the_worked_suite_has_its_exact_ends(values, low, high, shown):
    found = bootstrap_over_tasks(values)
    assert (format(float(found.low), ".5f")[1:], format(float(found.high), ".5f")[1:]) == (low, high)
    assert (percent(found.low), percent(found.high)) == shown
    assert (found.method, found.error) == ("exact bootstrap over tasks", 0.0)


@pytest.mark.parametrize("values", [FLOORS, CEILINGS])
def test_a_sampled_bootstrap_agrees(values):
    found = bootstrap_over_tasks(values)
    low, high = sampled(values)
    assert abs(float(found.low) - low) < 0.003
    assert abs(float(found.high) - high) < 0.003


@pytest.mark.parametrize(("tasks", "n", "k"), [(150, 8, 3), (60, 30, 11), (400, 12, 12), (300, 24, 9)])
def test_a_sampled_bootstrap_agrees_with_lattice_and_grid(tasks, n, k):
    values = [pass_hat_k(n, c, k) for n, c in flaky(tasks, n)]
    found = bootstrap_over_tasks(values)
    low, high = sampled(values, resamples=4000)
    assert abs(float(found.low) - low) < 0.01
    assert abs(float(found.high) - high) < 0.01


def test_on_a_fine_grid_the_interval_says_how_far_it_may_be_off():
    values = [pass_hat_k(30, c, 11) for _, c in flaky(60, 30)]
    found = bootstrap_over_tasks(values)
    assert found.method == "bootstrap over tasks, by a grid"
    assert 0 < found.error < 0.001


def binomial(n, p):
    """The cumulative chances of 0 to n, exactly."""
    chances = (math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1))
    return list(itertools.accumulate(chances))


@pytest.mark.parametrize(("tasks", "always"), [(400, 100), (700, 690), (500, 3)])
def test_whole_tasks_have_the_ends_of_the_binomial_distribution(tasks, always):
    reached = binomial(tasks, Fraction(always, tasks))
    low, high = (bisect.bisect_left(reached, tail) for tail in (Fraction(1, 40), Fraction(39, 40)))
    found = bootstrap_over_tasks([Fraction(1)] * always + [Fraction(0)] * (tasks - always))
    assert (found.low, found.high) == (Fraction(low, tasks), Fraction(high, tasks))
    assert (found.method, found.error) == ("exact bootstrap over tasks", 0.0)


def test_a_wide_lattice_is_exact_where_the_window_on_it_is_not_wide():
    found = bootstrap_over_tasks([Fraction(places, 1000) for places in (101, 700, 901, 1000)] * 80)
    assert (found.method, found.error) == ("exact bootstrap over tasks", 0.0)


@pytest.mark.parametrize(("clusters", "exact"), [(8, True), (9, False)])
def test_up_to_eight_clusters_of_any_sizes_are_counted(clusters, exact):
    values = [Fraction(int(i % 3 == 0)) for size in range(1, clusters + 1) for i in range(size)]
    names = [f"c{size}" for size in range(1, clusters + 1) for _ in range(size)]
    found = bootstrap_over_tasks(values, names)
    assert (found.error == 0.0) is exact
    assert found.method.startswith("exact") is exact


def test_an_end_that_a_tail_falls_upon_is_off_by_no_more_than_the_next_value():
    tasks, values = 400, [Fraction(1), Fraction(0)] * 200
    reached = binomial(tasks, Fraction(1, 2))[180]
    on, above, below = (
        bootstrap_over_tasks(values, level=1 - 2 * (reached + moved))
        for moved in (Fraction(0), Fraction(1, 10**9), Fraction(-1, 10**9))
    )
    assert (on.low, on.error) == (Fraction(180, 400), 1 / 400)
    assert (above.low, above.error) == (Fraction(181, 400), 0.0)
    assert (below.low, below.error) == (Fraction(180, 400), 0.0)


def test_few_tasks_have_exact_ends_even_where_a_tail_falls_upon_them():
    found = bootstrap_over_tasks([Fraction(0), Fraction(1)], level=Fraction(1, 2))
    assert (found.low, found.high, found.error) == (Fraction(0), Fraction(1, 2), 0.0)


@pytest.mark.parametrize(
    ("tail", "moved", "chance", "end", "error"),
    [
        (0.4, 0, 0.0, 11, 0),
        (0.305, 0, 0.0, 10, 1),
        (0.285, 0, 0.0, 10, 0),
        (0.33, 0, 0.1, 11, 1),
        (0.25, 0, 0.1, 10, 1),
        (0.85, 0, 0.1, 12, 1),
        (0.4, 3, 0.0, 11, 3),
        (0.25, 3, 0.1, 10, 4),
        (0.85, 3, 0.1, 12, 4),
    ],
)
def test_an_end_may_be_off_by_what_a_sum_and_a_chance_may_be_off_by(tail, moved, chance, end, error):
    found = Sums(low=10, cumulative=np.array([0.3, 0.8, 0.9, 1.0]), slack=0.01)
    for tails in ((tail, 0.6), (0.6, tail)):
        ends = dict(zip(tails, ends_of(found, tails, moved, chance), strict=False))
        assert ends == {tail: end, 0.6: 11}
        assert ends_of(found, tails, moved, chance)[2] == error


def test_a_suite_of_equal_tasks_has_an_interval_without_width():
    found = bootstrap_over_tasks([Fraction(1, 3)] * 4)
    assert (found.low, found.high, found.error) == (Fraction(1, 3), Fraction(1, 3), 0.0)


def test_an_interval_always_contains_its_estimate():
    lonely = [Fraction(1)] + [Fraction(0)] * 99
    found = bootstrap_over_tasks(lonely, level=Fraction(1, 100))
    assert found.low <= Fraction(1, 100) <= found.high


@pytest.mark.parametrize("level", [0, 1, 1.5, float("nan"), True])
def test_a_level_has_to_leave_something_to_chance(level):
    with pytest.raises(UsageError, match=r"^level="):
        bootstrap_over_tasks(FLOORS, level=level)


def test_an_interval_over_no_tasks_is_refused():
    with pytest.raises(UsageError, match="an interval is undefined over no tasks"):
        bootstrap_over_tasks([])


def test_tasks_of_one_cluster_are_resampled_together():
    values = [Fraction(i % 2) for i in range(40) for _ in range(3)]
    names = [f"c{i}" for i in range(40) for _ in range(3)]
    together, apart = bootstrap_over_tasks(values, names), bootstrap_over_tasks(values)
    assert (together.low, together.high) == (Fraction(14, 40), Fraction(26, 40))
    assert together.method == "exact bootstrap over clusters of tasks"
    assert together.high - together.low > apart.high - apart.low


def test_clusters_of_one_task_each_change_nothing():
    found = bootstrap_over_tasks(FLOORS, [f"c{i}" for i in range(20)])
    plain = bootstrap_over_tasks(FLOORS)
    assert (found.low, found.high, found.error) == (plain.low, plain.high, plain.error)
    assert bootstrap_over_tasks(FLOORS, [None] * 20) == plain


def test_few_clusters_of_different_sizes_are_counted_exactly():
    values = [Fraction(1), Fraction(1), Fraction(1), Fraction(0)]
    found = bootstrap_over_tasks(values, ["a", "a", "a", None], level=Fraction(1, 2))
    # Of four ordered draws one is all b (0), two are both (3/4), one is all a (1).
    assert (found.low, found.high) == (Fraction(0), Fraction(3, 4))
    assert (found.method, found.error) == ("exact bootstrap over clusters of tasks", 0.0)


def test_clusters_never_take_the_figure_out_of_its_range():
    found = bootstrap_over_tasks([Fraction(1)] * 30, [f"c{int(i**0.5)}" for i in range(30)])
    assert (found.low, found.high, found.error) == (1, 1, 0.0)
    names = [f"size {size}" for size in range(1, 10) for _ in range(size)]
    many = bootstrap_over_tasks([Fraction(1, 3)] * len(names), names)
    assert (many.low, many.high, many.error) == (Fraction(1, 3), Fraction(1, 3), 0.0)


@pytest.mark.parametrize(
    ("tasks", "every", "off"), [(40, 3, 0.000875), (120, 5, 0.000559), (50, None, 0.0038)]
)
def test_a_sampled_bootstrap_of_unequal_clusters_agrees(tasks, every, off):
    draw = random.Random(tasks)
    values = [Fraction(draw.randint(0, 5), 5) for _ in range(tasks)]
    if every is None:
        names = ["large" if i < 30 else None for i in range(tasks)]
    else:
        names = [None if i % every == 0 else f"c{draw.randint(0, tasks // 3)}" for i in range(tasks)]
    found = bootstrap_over_tasks(values, names)
    low, high = sampled(values, names)
    assert found.method == "bootstrap over clusters of tasks, by a grid"
    assert found.error == pytest.approx(off, rel=0.05)
    assert abs(float(found.low) - low) < found.error + 0.006
    assert abs(float(found.high) - high) < found.error + 0.006


def test_clusters_of_which_none_is_bad_have_their_ends_among_their_means():
    draw = random.Random(2)
    sizes = [2 + i % 4 for i in range(30)]
    values = [Fraction(draw.randint(5, 10), 10) for size in sizes for _ in range(size)]
    names = [f"c{i}" for i, size in enumerate(sizes) for _ in range(size)]
    found = bootstrap_over_tasks(values, names)
    low, high = sampled(values, names, resamples=5000)
    assert abs(float(found.low) - low) < 0.005
    assert abs(float(found.high) - high) < 0.005


def test_few_clusters_that_are_alike_are_counted_exactly_too():
    values = [Fraction(1)] * 60 + [Fraction(0)] * 10
    found = bootstrap_over_tasks(values, ["large"] * 60 + [None] * 10)
    low, high = sampled(values, ["large"] * 60 + [None] * 10)
    assert found.error == 0.0
    assert (float(found.low), float(found.high)) == pytest.approx((low, high))


def test_very_unequal_clusters_agree_within_what_the_interval_says_of_itself():
    sizes = [(1, 1)] * 7 + [(0, 2)] * 2 + [(1, 2)] * 2 + [(0, 60), (0, 1), (26, 60)]
    values = [Fraction(int(i < passed)) for passed, size in sizes for i in range(size)]
    names = [f"c{i}" for i, (_, size) in enumerate(sizes) for _ in range(size)]
    found = bootstrap_over_tasks(values, names)
    low, high = sampled(values, names)
    assert found.method == "bootstrap over clusters of tasks, by a grid"
    assert found.error < 0.02
    assert abs(float(found.low) - low) < found.error + 0.003
    assert abs(float(found.high) - high) < found.error + 0.003


def test_a_cluster_is_named_for_every_value():
    with pytest.raises(UsageError, match="1 clusters for 20 tasks; give one a task, or None"):
        bootstrap_over_tasks(FLOORS, ["a"])


def test_all_ks_at_once_give_what_each_gives_alone():
    pairs = [*flaky(30, 7), (4, 4), (4, 1)]
    found = bootstrap_all(pairs)
    assert [pair.k for pair in found] == list(range(1, 8))
    for pair in found:
        kept = [(n, c) for n, c in pairs if n >= pair.k]
        assert pair.floor == bootstrap_over_tasks([pass_hat_k(n, c, pair.k) for n, c in kept])
        assert pair.ceiling == bootstrap_over_tasks([pass_at_k(n, c, pair.k) for n, c in kept])


def test_all_ks_at_once_keep_clusters_together():
    pairs, names = [(4, 4), (4, 1), (2, 1), (4, 0)], ["a", "a", "b", None]
    (pair,) = bootstrap_all(pairs, [3], names)
    assert pair.floor == bootstrap_over_tasks([Fraction(1), Fraction(0), Fraction(0)], ["a", "a", None])
    assert pair.ceiling == bootstrap_over_tasks([Fraction(1), Fraction(3, 4), Fraction(0)], ["a", "a", None])
    assert bootstrap_all(pairs, [3], [None] * 4) == bootstrap_all(pairs, [3])


def test_all_ks_at_once_refuse_what_one_refuses():
    with pytest.raises(UsageError, match="k=5 > n=4"):
        bootstrap_all([(4, 4), (4, 1)], [5])
    with pytest.raises(UsageError, match="k=5 > n=4 of every task"):
        bootstrap_all([(4, 4), (4, 1)], [5], ["a", None])
    with pytest.raises(UsageError, match="1 clusters for 2 tasks"):
        bootstrap_all([(4, 4), (4, 1)], [2], ["a"])


def test_the_noise_from_the_attempts_alone_is_as_worked():
    noise = attempt_noise(WORKED, 5)
    assert (format(100 * noise.floor, ".2f"), format(100 * noise.ceiling, ".2f")) == ("2.19", "2.15")


def test_the_noise_of_a_suite_is_that_of_its_tasks_combined():
    noise = attempt_noise([(10, 7), (5, 2), (2, 1)], 3)
    floor = math.hypot(estimate_sd(Fraction(7, 10), 10, 3), estimate_sd(Fraction(2, 5), 5, 3)) / 2
    ceiling = math.hypot(estimate_sd(Fraction(3, 10), 10, 3), estimate_sd(Fraction(3, 5), 5, 3)) / 2
    assert noise.floor == pytest.approx(floor, rel=1e-12)
    assert noise.ceiling == pytest.approx(ceiling, rel=1e-12)
    assert attempt_noise([(10, 10), (10, 0)], 5).floor == 0.0


def tail(n, c, p):
    p = Fraction(p)
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(c, n + 1))


@pytest.mark.parametrize(("n", "c"), [(1, 0), (1, 1), (10, 7), (10, 10), (10, 0), (50, 1), (120, 60)])
@pytest.mark.parametrize("level", [Fraction(1, 2), Fraction(95, 100), Fraction(999, 1000)])
def test_clopper_pearson_is_within_a_million_millionth_of_the_exact_bound(n, c, level):
    low, high = clopper_pearson(n, c, level)
    side, step = (1 - level) / 2, Fraction(1, 10**12)
    assert 0 <= low <= c / n <= high <= 1
    if c:
        assert tail(n, c, Fraction(low) - step) < side < tail(n, c, Fraction(low) + step)
    else:
        assert low == 0.0
    if c < n:
        fewer = 1 - tail(n, c + 1, Fraction(high) - step), 1 - tail(n, c + 1, Fraction(high) + step)
        assert fewer[0] > side > fewer[1]
    else:
        assert high == 1.0


def test_clopper_pearson_of_a_clean_sheet_agrees_with_what_it_rules_out():
    low, high = clopper_pearson(10, 10, Fraction(9, 10))
    assert high == 1.0
    assert 1 - low == pytest.approx(ruled_out(10), abs=1e-12)
    assert format(100 * (1 - low), ".1f") == "25.9"
    assert format(100 * 0.9**10, ".1f") == "34.9"


def test_clopper_pearson_copes_with_many_attempts():
    low, high = clopper_pearson(20_000, 15_000)
    assert 0.74 < low < 0.75 < high < 0.76


@pytest.mark.parametrize(
    ("n", "c", "message"),
    [
        (0, 0, "n=0 is below 1"),
        (3, 4, "not estimable: c=4 passing attempts of n=3"),
        (3, -1, "not estimable: c=-1 passing attempts of n=3"),
        (3, True, "c=True is not a whole number"),
        (2.0, 1, "n=2.0 is not a whole number"),
    ],
)
def test_clopper_pearson_refuses_impossible_counts(n, c, message):
    with pytest.raises(UsageError, match=f"^{message}; "):
        clopper_pearson(n, c)
