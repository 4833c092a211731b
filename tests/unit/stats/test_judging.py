"""Whose disagreement it is: the judge's or the attempts'."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passfloor.errors import UsageError
from passfloor.stats import Disagreement, disagreement


def by_hand(attempts):
    """Pairs counted one by one."""
    within = [
        Fraction(sum(a != b for a, b in itertools.permutations(said, 2)), len(said) * (len(said) - 1))
        for said in attempts
    ]
    between = [
        Fraction(sum(a != b for a in one for b in other), len(one) * len(other))
        for one, other in itertools.permutations(attempts, 2)
    ]
    return sum(within) / len(within), sum(between) / len(between) if between else None


def test_a_steady_judge_explains_nothing():
    found = disagreement([[(True, True), (False, False)]])
    assert found == Disagreement(Fraction(0), Fraction(1))
    assert found.share == 0


def test_attempts_that_are_one_another_are_the_judges_alone():
    found = disagreement([[(True, False), (True, False)]])
    assert (found.judge, found.between, found.share) == (1, Fraction(1, 2), 1)


def test_a_judge_that_wavers_on_one_attempt_of_two():
    found = disagreement([[(True, True, False), (False, False, False)]])
    assert (found.judge, found.between) == (Fraction(1, 3), Fraction(2, 3))
    assert found.share == Fraction(1, 2)


def test_no_answer_is_an_answer_of_its_own():
    assert disagreement([[(True, None, False), (True, None, False)]]).judge == 1


def test_where_nothing_differs_there_is_nothing_to_explain():
    found = disagreement([[(True, True), (True, True)]])
    assert (found.between, found.share) == (0, None)


def test_one_attempt_tells_only_of_the_judge():
    found = disagreement([[(True, False)]])
    assert (found.judge, found.between, found.share) == (1, None, None)


def test_tasks_weigh_the_same_however_many_attempts_they_have():
    found = disagreement([[(True, False)], [(True, True)] * 9])
    assert (found.judge, found.between) == (Fraction(1, 2), 0)


def test_both_are_means_over_tasks():
    found = disagreement([[(True, True), (False, False)], [(True, False), (True, False)], [(0, 0), (0, 0)]])
    assert (found.judge, found.between) == (Fraction(1, 3), Fraction(1, 2))


@pytest.mark.parametrize("tasks", [[], [[]], [[(True,)]], [[()]]])
def test_what_has_no_noise_to_estimate_is_refused(tasks):
    with pytest.raises(UsageError):
        disagreement(tasks)


ANSWERS = st.lists(st.sampled_from([True, False, None]), min_size=2, max_size=5)


@given(st.lists(ANSWERS, min_size=1, max_size=5))
def test_it_is_what_counting_pairs_gives(attempts):
    found = disagreement([attempts])
    assert (found.judge, found.between) == by_hand(attempts)
    assert 0 <= found.judge <= 1
