"""Fresh attempts against a claim: exact where it can be worked out by hand, right in the long run else."""

import itertools
import math
import random
from fractions import Fraction

import pytest

from passfloor.errors import UsageError
from passfloor.stats import Detection, Spot, compare_spots, deal, pass_hat_k
from passfloor.stats.auditing import ALPHA

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
    assert (nothing.overall, nothing.consistent, nothing.task_level) == (None, True, 0.0)


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


def test_a_task_that_just_reaches_its_level_speaks():
    spot = Spot(4, 4, 4, 0)
    (least,) = compare_spots([spot], 1).tasks
    found = compare_spots([spot], 1, Fraction(1, 7))
    assert (found.task_level, found.against) == (least, (0,))
    assert compare_spots([spot], 1, Fraction(10, 71)).task_level == 0.0
    assert compare_spots([spot] * 2, 1, Fraction(1, 7)).task_level == 0.0


def test_no_share_is_above_one_by_rounding():
    assert compare_spots([Spot(7, 2, 6, 1), Spot(1, 0, 4, 1)], 1).overall == 1.0


def chances(n, p):
    return [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]


def outcomes(sizes, rates):
    """Every outcome of the tasks, with its chance."""
    for counts in itertools.product(*(range(size + 1) for size in sizes)):
        every = zip(sizes, rates, counts, strict=True)
        yield counts, math.prod(chances(size, p)[c] for size, p, c in every)


def found_by_listing(claims, claimed, rates, k, alpha=ALPHA):
    """The chance that a claim is found inconsistent: over every claim in ``claimed``, and every audit."""
    audits, total = list(outcomes([spot.r for spot in claims], rates)), 0.0
    for counts, chance in claimed:
        for passes, weight in audits:
            drawn = zip(claims, counts, passes, strict=True)
            spots = [Spot(spot.n, c, spot.r, s) for spot, c, s in drawn]
            total += chance * weight * (not compare_spots(spots, k, alpha).consistent)
    return total


def best_of(claims, rates, k, runs):
    """Every outcome of the run that is best of some by pass^k, with its chance."""
    worth = lambda counts: sum(  # noqa: E731
        pass_hat_k(spot.n, c, k) for spot, c in zip(claims, counts, strict=True)
    )
    each = sorted(
        (worth(counts), counts, chance) for counts, chance in outcomes([s.n for s in claims], rates)
    )
    below = 0.0
    for _, alike in itertools.groupby(each, lambda outcome: outcome[0]):
        level = list(alike)
        share = sum(chance for _, _, chance in level)
        first = (below + share) ** runs - below**runs
        yield from ((counts, first * chance / share) for _, counts, chance in level)
        below += share


@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.8, 0.3), (0.95, 0.9), (0.1, 1.0)])
@pytest.mark.parametrize("k", [1, 4])
def test_an_honest_claim_is_found_inconsistent_with_a_chance_of_alpha_at_most(rates, k):
    claims, alpha = [Spot(4, 0, 7, 0), Spot(5, 0, 4, 0)], Fraction(1, 5)
    honest = outcomes([spot.n for spot in claims], rates)
    assert found_by_listing(claims, honest, rates, k, alpha) <= alpha


def test_an_honest_claim_is_found_consistent_in_about_nineteen_of_twenty_audits():
    draw = random.Random(3)
    passes = lambda p, times: sum(draw.random() < p for _ in range(times))  # noqa: E731
    rates = [0.8, 0.6, 0.9, 0.5, 0.95] * 2
    held = 0
    for _ in range(400):
        spots = [Spot(8, passes(p, 8), 20, passes(p, 20)) for p in rates]
        held += compare_spots(spots, 4).consistent
    assert 0.93 < held / 400 < 0.985


@pytest.mark.parametrize("rates", [(0.3, 0.8), (0.1, 0.5), (0.4, 1)])
def test_the_chance_under_given_rates_is_that_of_every_audit(rates):
    claims = [Spot(9, 8, 8, 3), Spot(4, 3, 5, 0)]
    exact = found_by_listing(claims, [((8, 3), 1.0)], rates, 2)
    assert 0.1 < exact < 1
    assert Detection(2, draws=600).of_rates(claims, rates) == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize(
    ("claims", "k", "runs"),
    [
        ([Spot(5, 1, 40, 0)], 1, 30),
        ([Spot(3, 1, 7, 0), Spot(4, 3, 6, 0)], 3, 8),
        ([Spot(9, 1, 40, 0)], 4, 60),
    ],
)
def test_the_chance_under_the_best_of_some_runs_is_that_of_every_outcome(claims, k, runs):
    rates = [(spot.c + 0.5) / (spot.n + 1) for spot in claims]
    exact = found_by_listing(claims, best_of(claims, rates, k, runs), rates, k)
    assert Detection(k, draws=500).of_the_best(claims, runs) == pytest.approx(exact, abs=0.07)


def test_the_best_of_many_runs_is_found_where_one_run_is_not():
    claims = [Spot(8, c, 20, 0) for c in (6, 5, 7, 4, 8)]
    test = Detection(4, draws=200)
    assert test.of_the_best(claims, 1) < 0.05 < 0.1 < test.of_the_best(claims, 50)


def test_a_looser_level_finds_more_and_a_chance_is_a_share_of_the_draws():
    claims, rates = [Spot(5, 5, 5, 0)], [0.5]
    strict, loose = (Detection(1, alpha, draws=50).of_rates(claims, rates) for alpha in (0.01, 0.4))
    assert strict < loose
    assert loose * 50 == pytest.approx(round(loose * 50))


def test_the_chance_to_find_a_claim_grows_with_the_fall_and_with_the_budget():
    claims = [Spot(10, round(10 * p), 10, 0) for p in WORKED]
    rates = [spot.c / spot.n for spot in claims]
    few = [spot._replace(r=2) for spot in claims]
    test = Detection(5, draws=100)
    honest, halved, none = (test.of_rates(claims, [part * p for p in rates]) for part in (1, 0.5, 0))
    assert honest < 0.05 < halved <= none == 1.0
    assert test.of_rates(few, [0.8 * p for p in rates]) < test.of_rates(claims, [0.8 * p for p in rates])


@pytest.mark.parametrize(
    ("claims", "k"),
    [
        ([Spot(10, round(10 * p), 10, 0) for p in WORKED[5:]], 5),
        ([Spot(20, 19, 30, 0), Spot(10, 3, 20, 0)], 2),
        ([Spot(4, 4, 6, 0)], 1),
    ],
)
def test_the_least_drop_is_where_the_chance_reaches_four_fifths(claims, k):
    test = Detection(k, draws=100)
    drop = test.least_drop(claims)
    rate = sum(spot.c / spot.n for spot in claims) / len(claims)
    at = [
        test.of_rates(claims, [(1 - fall / rate) * spot.c / spot.n for spot in claims])
        for fall in (drop, drop - 0.01)
    ]
    assert at[0] >= 0.8 > at[1]


def test_a_drop_of_a_point_is_the_smallest_looked_for():
    assert Detection(1, draws=10).least_drop([Spot(100, 100, 100, 0)] * 20) == 0.01


def test_there_is_no_least_drop_where_even_total_failure_might_be_missed():
    assert Detection(5, draws=50).least_drop([Spot(5, 5, 1, 0)]) is None
    assert Detection(5, draws=50).least_drop([Spot(5, 0, 9, 0)]) is None


def test_a_claim_of_a_tiny_rate_falls_by_no_more_than_that():
    claims = [Spot(100, 1, 2, 0)] * 3 + [Spot(1000, 9, 3000, 0)]
    assert Detection(1, draws=40).least_drop(claims) == 39 / 4000


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


@pytest.mark.parametrize(
    ("tasks", "budget", "order", "message"),
    [
        (0, 1, [], "tasks=0 is below 1; give 1 or more"),
        (1, 0, [0], "budget=0 is below 1; give 1 or more"),
        (1, True, [0], "budget=True is not a whole number; give an int"),
        (3, 7, [0, 1], "the order is not one of 3 tasks; name each position from 0 once"),
        (3, 7, [0, 1, 1], "the order is not one of 3 tasks; name each position from 0 once"),
    ],
)
def test_what_cannot_be_dealt_is_refused(tasks, budget, order, message):
    with pytest.raises(UsageError) as refused:
        deal(tasks, budget, order)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: compare_spots([], 1), "an audit is undefined over no tasks; name at least one task"),
        (lambda: Detection(1).least_drop([]), "an audit is undefined over no tasks; name at least one task"),
        (
            lambda: Detection(1).of_the_best([], 2),
            "an audit is undefined over no tasks; name at least one task",
        ),
        (lambda: Detection(1, draws=0), "draws=0 is below 1; give 1 or more"),
        (lambda: Detection(1).of_the_best([Spot(1, 1, 1, 0)], 0), "runs=0 is below 1; give 1 or more"),
        (lambda: Detection(1).of_rates([Spot(1, 1, 1, 0)], []), "0 rates for 1 tasks; give one a task"),
        (
            lambda: Detection(1).of_rates([Spot(1, 1, 1, 0)], [70]),
            "rate=70 is not a rate; give a number from 0 to 1",
        ),
        (
            lambda: Detection(2).of_rates([Spot(1, 1, 1, 0)], [1]),
            "not estimable: k=2 > n=1; record at least 2 attempts or ask for a smaller k",
        ),
    ],
)
def test_what_cannot_be_audited_is_refused(ask, message):
    with pytest.raises(UsageError) as refused:
        ask()
    assert str(refused.value) == message
