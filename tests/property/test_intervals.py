"""What holds for every interval, test and distribution, against enumeration where that is possible."""

import itertools
import math
from collections import Counter
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.stats import (
    at_least,
    attempt_noise,
    bootstrap_all,
    bootstrap_over_tasks,
    bounds,
    clopper_pearson,
    curve,
    estimate_sd,
    icc,
    mcnemar_p,
    outcome_consistency,
    pass_hat_k,
    piles,
    sign_flip_p,
    success_rate,
    trend,
    variance_shares,
)
from passfloor.stats import sums as kernel
from passfloor.stats.bootstrap import mean_interval

MODERATE = settings(max_examples=100, deadline=None)
FEW = settings(max_examples=40, deadline=None)

LEVELS = st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100)
FIGURES = st.fractions(0, 1, max_denominator=12)
COUNTS = st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
SUITES = st.lists(COUNTS, min_size=1, max_size=12)


def ends(chances, level):
    """The smallest values whose cumulative probability reaches the two tails."""
    found, so_far = [], Fraction(0)
    tails = [(1 - level) / 2, (1 + level) / 2]
    for value, chance in sorted(chances.items()):
        so_far += chance
        while len(found) < 2 and so_far >= tails[len(found)]:
            found.append(value)
    return found


def resampled(groups):
    """The ratio of totals to sizes over every ordered resample of the groups."""
    share = Fraction(1, len(groups) ** len(groups))
    chances = Counter()
    for drawn in itertools.product(groups, repeat=len(groups)):
        chances[sum(map(sum, drawn), Fraction(0)) / sum(map(len, drawn))] += share
    return chances


@MODERATE
@given(st.lists(FIGURES, min_size=1, max_size=4), LEVELS)
def test_the_interval_is_that_of_every_resample(values, level):
    low, high = ends(resampled([[value] for value in values]), level)
    estimate = sum(values) / len(values)
    found = bootstrap_over_tasks(values, level=level)
    assert (found.low, found.high) == (min(low, estimate), max(high, estimate))
    assert found.error == 0.0


@FEW
@given(st.lists(st.tuples(FIGURES, st.sampled_from(["a", "b", None])), min_size=1, max_size=5), LEVELS)
def test_the_interval_over_clusters_is_that_of_every_resample_of_clusters(tasks, level):
    groups = {}
    for i, (value, name) in enumerate(tasks):
        groups.setdefault(name or i, []).append(value)
    low, high = ends(resampled(list(groups.values())), level)
    estimate = sum(value for value, _ in tasks) / len(tasks)
    found = bootstrap_over_tasks([value for value, _ in tasks], [name for _, name in tasks], level)
    assert (found.low, found.high) == (min(low, estimate), max(high, estimate))


@FEW
@given(st.lists(FIGURES, min_size=1, max_size=80), LEVELS)
def test_an_interval_contains_its_estimate_and_stays_among_its_values(values, level):
    found = bootstrap_over_tasks(values, level=level)
    assert min(values) <= found.low <= sum(values) / len(values) <= found.high <= max(values)
    assert found.error >= 0


@FEW
@given(st.lists(st.fractions(0, 1, max_denominator=30), min_size=2, max_size=14, unique=True))
def test_lattice_and_grid_agree_with_whole_numbers(values):
    """The three ways to one distribution, where all three can be gone."""
    level, ones = Fraction(9, 10), [1] * len(values)
    exact = mean_interval(values, ones, level)
    least, spread = min(values), max(values) - min(values)
    shares = [1 / len(values)] * len(values)
    places = [float((value - least) / spread) for value in values]
    scale = kernel.scale_for(places, shares, len(values))
    found = kernel.by_fourier([kernel.split(places, shares, len(values), scale)])
    moved = math.ceil(kernel.displaced(len(values)))
    doubt = kernel.DISPLACED_MORE + found.slack
    for end, tail in ((exact.low, 0.05), (exact.high, 0.95)):
        cells = float((end - least) / spread) * scale * len(values)
        if exact.low < sum(values) / len(values) < exact.high:
            assert (
                found.reaches(tail - doubt) - moved - 1e-6
                <= cells
                <= found.reaches(tail + doubt) + moved + 1e-6
            )


@FEW
@given(SUITES)
def test_intervals_at_all_ks_are_those_of_the_curve(pairs):
    for pair, point in zip(bootstrap_all(pairs), curve(pairs), strict=True):
        assert pair.k == point.k
        assert pair.floor.low <= point.floor <= pair.floor.high
        assert pair.ceiling.low <= point.ceiling <= pair.ceiling.high


@MODERATE
@given(SUITES)
def test_floor_rate_and_ceiling_are_in_this_order_and_the_curve_opens(pairs):
    points = curve(pairs)
    assert points[0].floor == points[0].ceiling == success_rate(pairs)
    for point in points:
        kept = [(n, c) for n, c in pairs if n >= point.k]
        assert point.tasks == len(kept)
        assert 0 <= point.floor <= success_rate(kept) <= point.ceiling <= 1
    for one, other in itertools.pairwise(points):
        if one.tasks == other.tasks:
            assert one.floor >= other.floor
            assert one.ceiling <= other.ceiling


@MODERATE
@given(st.integers(1, 9), st.lists(st.integers(0, 9), min_size=1, max_size=9))
def test_at_k_equal_n_the_pair_counts_the_piles(n, passed):
    pairs = [(n, min(n, c)) for c in passed]
    last, sorted_out = curve(pairs)[-1], piles(pairs)
    assert last.floor == Fraction(sorted_out.always, len(pairs))
    assert 1 - last.ceiling == Fraction(sorted_out.never, len(pairs))
    assert last.envelope == Fraction(sorted_out.flaky, len(pairs))


@MODERATE
@given(st.integers(1, 8), st.data())
def test_the_service_level_is_unbiased_and_falls_with_what_is_asked(n, data):
    k = data.draw(st.integers(1, n))
    p = data.draw(st.fractions(0, 1, max_denominator=20))
    weights = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    before = Fraction(1)
    for j in range(k + 1):
        expected = sum(w * at_least(n, c, k, j) for c, w in enumerate(weights))
        assert expected == sum(math.comb(k, i) * p**i * (1 - p) ** (k - i) for i in range(j, k + 1)) <= before
        before = expected


@MODERATE
@given(COUNTS, st.data())
def test_the_noise_of_a_task_is_its_standard_deviation(counts, data):
    n, c = counts
    k = data.draw(st.integers(1, n))
    p = Fraction(c, n)
    weights = [math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)]
    variance = sum(w * pass_hat_k(n, i, k) ** 2 for i, w in enumerate(weights)) - p ** (2 * k)
    noise = attempt_noise([counts], k)
    assert math.isclose(noise.floor, math.sqrt(variance), rel_tol=1e-9, abs_tol=1e-15)
    assert math.isclose(noise.floor, estimate_sd(p, n, k), rel_tol=1e-12)
    assert math.isclose(noise.ceiling, estimate_sd(1 - p, n, k), rel_tol=1e-9, abs_tol=1e-15)


@MODERATE
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8), st.integers(1, 4))
def test_errors_only_ever_leave_room_upwards(counts, k):
    triples = [(8, passed, errored) for passed, errored in counts]
    found, (headline,) = bounds(triples, k), curve([(8, passed) for passed, _ in counts], [k])
    assert found.floor[0] == headline.floor <= found.floor[1] <= found.ceiling[1] <= 1
    assert found.ceiling[0] == headline.ceiling <= found.ceiling[1]


@MODERATE
@given(COUNTS, LEVELS)
def test_clopper_pearson_contains_the_rate_and_mirrors_itself(counts, level):
    n, c = counts
    low, high = clopper_pearson(n, c, level)
    assert 0 <= low <= c / n <= high <= 1
    mirrored = clopper_pearson(n, n - c, level)
    assert math.isclose(low, 1 - mirrored[1], abs_tol=1e-12)


@MODERATE
@given(st.lists(st.fractions(-1, 1, max_denominator=40), min_size=1, max_size=9))
def test_the_sign_flip_test_is_the_share_of_all_signs(differences):
    observed = abs(sum(differences))
    flips = itertools.product((-1, 1), repeat=len(differences))
    as_far = sum(
        abs(sum(sign * d for sign, d in zip(signs, differences, strict=True))) >= observed for signs in flips
    )
    assert sign_flip_p(differences) == as_far / 2 ** len(differences)
    assert sign_flip_p([-d for d in differences]) == sign_flip_p(differences)


@MODERATE
@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_sign_flip_test_of_whole_moves(better, worse):
    moves = [Fraction(1)] * better + [Fraction(-1)] * worse
    assert mcnemar_p(better, worse) == mcnemar_p(worse, better)
    if moves:
        assert math.isclose(sign_flip_p(moves), float(mcnemar_p(better, worse)), rel_tol=1e-12)


@MODERATE
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=5), min_size=1, max_size=4))
def test_the_trend_of_the_reversed_order_is_the_opposite(outcomes):
    found, reverse = trend(outcomes), trend([task[::-1] for task in outcomes])
    if found is None:
        assert reverse is None
        assert all(len(set(task)) == 1 for task in outcomes)
    else:
        assert found.slope == -reverse.slope
        assert math.isclose(found.p, reverse.p, abs_tol=1e-9)
        assert 0 < found.p <= 1


@MODERATE
@given(SUITES)
def test_agreement_of_outcomes_has_its_bounds(pairs):
    if any(n >= 2 for n, _ in pairs):
        assert -1 <= outcome_consistency(pairs) <= 1
    correlation, shares = icc(pairs), variance_shares(pairs)
    assert correlation is None or correlation <= 1
    assert shares is None or (sum(shares) == 1 and min(shares) >= 0)
