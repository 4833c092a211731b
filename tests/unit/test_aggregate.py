"""Counts of tasks become the sealed numbers, per task and then the mean."""

from fractions import Fraction

import pytest

from passfloor.aggregate import Numbers, TaskCount, nearest, numbers
from passfloor.errors import UsageError
from passfloor.models.receipt import Counts
from passfloor.stats import mean, pass_at_k, pass_hat_k

WORKED = [TaskCount(10, c, 0) for c in [10] * 10 + [7] * 4 + [5] * 3 + [2] * 2 + [0]]


def test_the_worked_suite_gives_its_numbers():
    assert numbers(WORKED, 5) == Numbers(
        counts=Counts(tasks=20, attempts=200, passed=147, wrong=53, errored=0, tasks_any=19, tasks_all=10),
        pass_at_k=Fraction(4673, 5040),
        pass_hat_k=Fraction(869, 1680),
        success_rate=Fraction(147, 200),
    )


def test_errored_attempts_count_as_not_passing_and_are_told_apart():
    tasks = [TaskCount(4, 1, 3), TaskCount(4, 0, 4)]
    derived = numbers(tasks, 4)
    assert (derived.pass_at_k, derived.pass_hat_k) == (Fraction(1, 2), 0)
    assert derived.success_rate == numbers(tasks, 1).pass_hat_k == Fraction(1, 8)
    assert derived.counts == Counts(
        tasks=2, attempts=8, passed=1, wrong=0, errored=7, tasks_any=1, tasks_all=0
    )


def test_tasks_with_different_numbers_of_attempts_weigh_the_same():
    tasks = [TaskCount(2, 2, 0), TaskCount(10, 5, 1), TaskCount(10, 5, 0), TaskCount(4, 5 - 4, 0)]
    derived = numbers(tasks, 2)
    assert derived.pass_at_k == mean(pass_at_k(t.n, t.passed, 2) for t in tasks)
    assert derived.pass_hat_k == mean(pass_hat_k(t.n, t.passed, 2) for t in tasks)
    assert derived.success_rate == Fraction(1 + Fraction(1, 2) * 2 + Fraction(1, 4), 4)
    assert derived.counts.wrong == 0 + 4 + 5 + 3


def test_tasks_are_read_once_from_a_stream():
    assert numbers(iter(WORKED), 5) == numbers(WORKED, 5)


def test_the_order_of_tasks_does_not_matter():
    assert numbers(reversed(WORKED), 5) == numbers(WORKED, 5)


def test_a_task_with_fewer_than_k_attempts_makes_the_figures_undefined():
    with pytest.raises(UsageError, match="not estimable: k=5 > n=4"):
        numbers([*WORKED, TaskCount(4, 4, 0)], 5)


@pytest.mark.parametrize("k", [0, True, 1.0])
def test_k_is_a_whole_number_of_one_or_more(k):
    with pytest.raises(UsageError):
        numbers(WORKED, k)


def test_no_tasks_have_no_numbers():
    with pytest.raises(UsageError, match="undefined over no tasks"):
        numbers([], 1)


@pytest.mark.parametrize("counts", [(True, 0, 0), (1, 1.0, 0), (2, -1, 0), (2, 0, -1), (2, 0, "0")])
def test_what_is_not_a_count_is_refused(counts):
    with pytest.raises(UsageError, match="is not a count"):
        TaskCount(*counts)


def test_an_attempt_counted_twice_is_refused():
    with pytest.raises(UsageError, match="2 passed and 1 errored are more than the n=2 attempts"):
        TaskCount(2, 2, 1)
    assert TaskCount(3, 2, 1).n == 3


def test_the_nearest_double_is_rounded_once_from_the_exact_value():
    tie = Fraction(2**53 + 1, 2**53)
    assert nearest(tie) == 1.0
    assert nearest(tie + Fraction(1, 2**200)) == 1 + 2**-52
    assert nearest(Fraction(1, 200)) == 0.005


def test_the_nearest_double_of_a_ratio_of_huge_numbers_does_not_overflow():
    assert nearest(Fraction(10**400, 3 * 10**400)) == 1 / 3
    assert nearest(Fraction(3**1000 - 1, 3**1000)) == 1.0
