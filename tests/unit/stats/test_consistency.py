"""Agreement of outcomes and of answers."""

from fractions import Fraction

import pytest

from passfloor.errors import UsageError
from passfloor.stats import (
    NeverSplit,
    agreement,
    at_least,
    distinct,
    icc,
    mean,
    modal_share,
    never_split,
    outcome_consistency,
    pass_at_k,
    pass_hat_k,
    variance_shares,
)

WORKED = [(10, c) for c in [10] * 10 + [7] * 4 + [5] * 3 + [2] * 2 + [0]]
TWO_ROWS = [(5, 3), (5, 4)]
"""01101 and 11011."""


def test_the_worked_suite_has_its_agreement_figures():
    assert format(float(icc(WORKED)), ".5f") == "0.46944"
    assert format(float(outcome_consistency(WORKED)), ".5f") == "0.57556"


def test_the_two_rows_have_their_figures():
    assert mean(pass_hat_k(n, c, 2) for n, c in TWO_ROWS) == Fraction(45, 100)
    assert mean(pass_at_k(n, c, 2) for n, c in TWO_ROWS) == Fraction(95, 100)
    assert mean(at_least(n, c, 2, 1) for n, c in TWO_ROWS) == Fraction(95, 100)


@pytest.mark.parametrize("c", range(7))
@pytest.mark.parametrize("k", range(1, 7))
def test_at_least_one_and_all_are_the_two_figures(c, k):
    assert at_least(6, c, k, 1) == pass_at_k(6, c, k)
    assert at_least(6, c, k, k) == pass_hat_k(6, c, k)
    assert at_least(6, c, k, 0) == 1


def test_a_service_level_is_a_hypergeometric_tail():
    # Of the 252 draws of 5 from 7 passing and 3 not: 105 hold four passes, 21 hold five.
    assert at_least(10, 7, 5, 4) == Fraction(126, 252)
    assert at_least(1100, 1099, 550, 550) == Fraction(1, 2)


@pytest.mark.parametrize("j", [-1, 6, True, 1.0])
def test_a_service_level_lies_between_none_and_all(j):
    with pytest.raises(UsageError, match=r"^j="):
        at_least(10, 7, 5, j)


def test_a_service_level_needs_k_attempts():
    with pytest.raises(UsageError, match=r"^not estimable: k=5 > n=2; "):
        at_least(2, 1, 5, 1)


def test_outcome_consistency_is_one_for_steady_tasks_and_low_for_coins():
    assert outcome_consistency([(4, 4), (4, 0)]) == 1
    assert outcome_consistency([(2, 1)]) == -1
    assert outcome_consistency([(2, 2), (1, 1)]) == 1
    with pytest.raises(UsageError, match="k=2 > n=1"):
        outcome_consistency([(1, 1)])


def test_the_icc_is_one_when_only_tasks_differ_and_negative_when_only_attempts_do():
    assert icc([(3, 3), (3, 0)]) == 1
    assert icc([(2, 1), (2, 1)]) == -1


def test_the_icc_is_there_where_tasks_differ_as_much_as_attempts():
    assert icc([(2, 1), (2, 1), (2, 2), (2, 0)]) == Fraction(1, 7)


def test_the_icc_takes_tasks_of_different_length():
    # By hand: rates 1 of 2 and 3 of 3; grand mean 4/5; SSB 3/10, SSW 1/2; n0 = 5 - 13/5.
    between, within, size = Fraction(3, 10), Fraction(1, 6), Fraction(12, 5)
    assert icc([(2, 1), (3, 3)]) == (between - within) / (between + (size - 1) * within)


@pytest.mark.parametrize("pairs", [[(4, 4), (3, 3)], [(4, 0)], [(4, 2)], [(1, 1), (1, 0)]])
def test_the_icc_is_absent_where_it_is_undefined(pairs):
    assert icc(pairs) is None


def test_the_variance_is_shared_out_between_and_within_tasks():
    between, within = variance_shares(WORKED)
    assert between + within == 1
    assert within == Fraction(191, 10) / (200 * Fraction(147, 200) * Fraction(53, 200))
    assert variance_shares([(3, 3), (3, 0)]) == (1, 0)
    assert variance_shares([(2, 1), (2, 1)]) == (0, 1)
    assert variance_shares([(3, 3), (2, 2)]) is None


def test_modal_share_distinct_and_agreement():
    assert modal_share(["a", "b", "a"]) == Fraction(2, 3)
    assert modal_share([("search", "read"), ("search",)]) == Fraction(1, 2)
    assert (distinct(["a", "b", "a"]), distinct([])) == (2, 0)
    assert agreement([["a", "a"], ["a", "b"]]) == Fraction(3, 4)


def test_no_answers_have_no_agreement():
    with pytest.raises(UsageError, match="over no answers"):
        modal_share([])
    with pytest.raises(UsageError, match="over no tasks"):
        agreement([])
    with pytest.raises(UsageError, match="over no answers"):
        agreement([["a"], []])


def test_the_never_pile_is_split_by_what_was_answered():
    groups = [["x", "x", "x"], ["x", "y"], ["x", "y", "x"], ["x", "z"], ["x"], []]
    assert never_split(groups) == NeverSplit(same=1, scattered=3, unknown=2)
    assert never_split([]) == NeverSplit(same=0, scattered=0, unknown=0)
