"""Fresh attempts against a claim: exact where it can be worked out by hand, right in the long run else."""

import itertools
import math
import random

import pytest

from passfloor.errors import UsageError
from passfloor.stats.auditing import Detection, Spot, compare_spots, deal
from passfloor.stats.estimators import pass_hat_k

WORKED = [1.0] * 10 + [0.7] * 4 + [0.5] * 3 + [0.2] * 2 + [0.0]


@pytest.mark.parametrize(
    ("spot", "ways"),
    [(Spot(4, 3, 4, 1), 34), (Spot(4, 4, 4, 0), 2), (Spot(4, 2, 4, 2), 70)],
)
def test_one_task_is_judged_by_fishers_exact_test(spot, ways):
    found = compare_spots([spot], 1)
    assert found.tasks == (pytest.approx(ways / 70),)
    assert found.overall == pytest.approx(ways / 70)


def enumerated(spots, k):
    """The weighted test by listing every outcome that has the same margins."""
    weights = [1 + round(3 * ((spot.c + spot.s) / (spot.n + spot.r)) ** (k - 1)) for spot in spots]
    expected = sum(w * s.r * (s.c + s.s) / (s.n + s.r) for w, s in zip(weights, spots, strict=True))
    seen = sum(w * s.s for w, s in zip(weights, spots, strict=True))
    total = 0.0
    for outcome in itertools.product(*(range(spot.r + 1) for spot in spots)):
        chance = 1.0
        for other, (n, c, r, s) in zip(outcome, spots, strict=True):
            possible = 0 <= c + s - other <= n
            ways = math.comb(r, other) * math.comb(n, c + s - other) if possible else 0
            chance *= ways / math.comb(n + r, c + s)
        at = sum(w * other for w, other in zip(weights, outcome, strict=True))
        if abs(at - expected) >= abs(seen - expected) - 1e-7:
            total += chance
    return total


@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_sum_over_tasks_is_judged_by_its_exact_distribution(k):
    spots = [Spot(5, 5, 4, 2), Spot(4, 3, 3, 1), Spot(6, 0, 2, 1), Spot(5, 4, 5, 5)]
    assert compare_spots(spots, k).overall == pytest.approx(enumerated(spots, k), rel=1e-9)


def test_without_a_fresh_attempt_nothing_is_said_of_a_task():
    found = compare_spots([Spot(5, 5, 0, 0), Spot(5, 5, 1, 1)], 5)
    assert found.tasks == (None, pytest.approx(1.0))
    nothing = compare_spots([Spot(5, 5, 0, 0)], 5)
    assert (nothing.overall, nothing.consistent) == (None, True)


def test_one_made_up_task_among_many_true_ones_is_found_and_named():
    spots = [Spot(10, 7, 10, 7)] * 30 + [Spot(10, 10, 10, 0)]
    found = compare_spots(spots, 1)
    assert found.overall > found.overall_level
    assert found.against == (30,)
    assert not found.consistent


def test_a_claim_too_good_everywhere_is_found_by_the_sum_alone():
    found = compare_spots([Spot(10, 9, 3, 2)] * 60, 1)
    assert found.against == ()
    assert found.overall < found.overall_level
    assert not found.consistent


def test_tasks_too_small_to_speak_leave_all_of_alpha_to_the_sum():
    small = compare_spots([Spot(5, 4, 1, 1)] * 20, 5)
    assert (small.overall_level, small.task_level) == (0.05, 0.0)
    large = compare_spots([Spot(10, 5, 10, 5)] * 2, 5)
    assert (large.overall_level, large.task_level) == (pytest.approx(0.04), pytest.approx(0.005))


def test_only_tasks_that_can_speak_are_corrected_for():
    alone = compare_spots([Spot(10, 5, 10, 5)], 5)
    among_mute = compare_spots([Spot(10, 5, 10, 5)] + [Spot(10, 10, 10, 10)] * 50, 5)
    assert among_mute.task_level == alone.task_level == pytest.approx(0.01)


def test_where_the_first_smallest_p_value_misses_its_share_no_task_can_speak():
    # Two tasks could each reach 0.01, but not 0.005, which both together would need.
    least = compare_spots([Spot(5, 5, 4, 0)], 1).tasks[0]
    assert 0.005 < least < 0.01
    found = compare_spots([Spot(5, 5, 4, 0)] * 2, 1)
    assert (found.task_level, found.against) == (0.0, ())


def test_an_honest_claim_is_found_consistent_in_about_nineteen_of_twenty_audits():
    draw = random.Random(3)
    passes = lambda p, times: sum(draw.random() < p for _ in range(times))  # noqa: E731
    rates = [0.8, 0.6, 0.9, 0.5, 0.95] * 4
    held = 0
    for _ in range(400):
        spots = [Spot(8, passes(p, 8), 20, passes(p, 20)) for p in rates]
        held += compare_spots(spots, 4).consistent
    assert 0.93 < held / 400 < 0.985


def test_the_best_of_twenty_runs_is_found_as_often_as_is_printed():
    draw = random.Random(4)
    passes = lambda p, times: sum(draw.random() < p for _ in range(times))  # noqa: E731
    rates = [0.8, 0.6, 0.9, 0.5, 0.95] * 4
    found, printed = 0, []
    for number in range(300):
        runs = [[passes(p, 8) for p in rates] for _ in range(20)]
        best = max(runs, key=lambda counts: sum(pass_hat_k(8, c, 4) for c in counts))
        spots = [Spot(8, c, 20, passes(p, 20)) for c, p in zip(best, rates, strict=True)]
        found += not compare_spots(spots, 4).consistent
        if number < 5:
            printed.append(Detection(4, draws=300).of_the_best(spots, 20))
    assert found / 300 == pytest.approx(sum(printed) / 5, abs=0.09)
    assert found / 300 > 0.1


def test_the_chance_to_find_a_claim_grows_with_the_fall_and_with_the_budget():
    claims = [Spot(10, round(10 * p), 10, 0) for p in WORKED]
    rates = [spot.c / spot.n for spot in claims]
    few = [spot._replace(r=2) for spot in claims]
    test = Detection(5, draws=200)
    honest, halved, none = (test.of_rates(claims, [part * p for p in rates]) for part in (1, 0.5, 0))
    assert honest < 0.05 < halved <= none == 1.0
    assert test.of_rates(few, [0.8 * p for p in rates]) < test.of_rates(claims, [0.8 * p for p in rates])


def test_the_least_drop_is_where_the_chance_reaches_four_fifths():
    claims = [Spot(10, round(10 * p), 10, 0) for p in WORKED]
    test = Detection(5, draws=200)
    drop = test.least_drop(claims)
    rate = sum(spot.c for spot in claims) / 200
    at = [
        test.of_rates(claims, [(1 - fall / rate) * spot.c / 10 for spot in claims])
        for fall in (drop, drop - 0.01)
    ]
    assert at[0] >= 0.8 > at[1]


def test_there_is_no_least_drop_where_even_total_failure_might_be_missed():
    assert Detection(5, draws=50).least_drop([Spot(5, 5, 1, 0)]) is None
    assert Detection(5, draws=50).least_drop([Spot(5, 0, 9, 0)]) is None


def test_a_claim_of_a_tiny_rate_falls_by_no_more_than_that():
    claims = [Spot(1000, 1, 2, 0)] * 3 + [Spot(1000, 4, 4000, 0)] * 2
    drop = Detection(1, draws=50).least_drop(claims)
    assert drop is None or 0 < drop <= sum(spot.c / spot.n for spot in claims) / 5


def test_attempts_are_dealt_evenly_and_the_rest_by_the_auditors_order():
    assert deal(3, 7, [2, 0, 1]) == [2, 2, 3]
    assert deal(3, 2, [2, 0, 1]) == [1, 0, 1]
    assert deal(1, 5, [0]) == [5]


@pytest.mark.parametrize(
    ("spot", "k", "alpha"),
    [
        (Spot(0, 0, 1, 1), 1, 0.05),
        (Spot(5, 6, 1, 1), 1, 0.05),
        (Spot(5, 5, 1, 2), 1, 0.05),
        (Spot(5, 5, 1.0, 1), 1, 0.05),
        (Spot(5, 5, 1, True), 1, 0.05),
        (Spot(5, 5, 1, 1), 6, 0.05),
        (Spot(5, 5, 1, 1), 1, 0),
        (Spot(5, 5, 1, 1), 1, 1),
    ],
)
def test_impossible_counts_are_refused(spot, k, alpha):
    with pytest.raises(UsageError):
        compare_spots([spot], k, alpha)


@pytest.mark.parametrize(("tasks", "budget"), [(0, 1), (1, 0), (1, True)])
def test_nothing_to_deal_is_refused(tasks, budget):
    with pytest.raises(UsageError):
        deal(tasks, budget, [0])
