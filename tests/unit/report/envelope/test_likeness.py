"""How alike attempts are."""

from fractions import Fraction

import pytest

from passfloor.report.envelope.likeness import drift, measures
from passfloor.report.envelope.records import AttemptRecord, TaskRecord


def task(*attempts):
    return TaskRecord("t", 0, [AttemptRecord(i, **attempt) for i, attempt in enumerate(attempts)])


def passed(**more):
    return {"outcome": "passed", **more}


def wrong(**more):
    return {"outcome": "wrong", **more}


def found(*tasks):
    return {measure.code: measure for measure in measures(tasks)}


def test_one_attempt_a_task_says_nothing_of_consistency():
    assert found(task(passed()), task(wrong())) == {}


def test_two_attempts_that_differ_are_a_coin():
    values = found(task(passed(), wrong()))
    assert values["outcome_consistency"].value == -1
    assert values["within"].value == 1
    assert "icc" not in values


def test_answers_agree_over_the_tasks_that_have_two_of_them():
    values = found(
        task(passed(answer="a"), wrong(answer="b"), passed(answer="a")),
        task(passed(answer="a"), {"outcome": "errored"}),
        task(passed(), wrong()),
    )
    assert (values["answer_agreement"].value, values["answer_agreement"].tasks) == (Fraction(2, 3), 1)
    assert values["distinct_answers"].value == 2


def test_tool_paths_agree_over_tasks_with_calls_and_no_call_is_a_path_too():
    errored = {"outcome": "errored", "path": "q"}
    values = found(task(passed(path="p"), passed(), passed(), errored), task(passed(), passed()))
    assert (values["tool_path_agreement"].value, values["tool_path_agreement"].tasks) == (Fraction(2, 3), 1)


def test_spread_and_cost_are_given_only_where_they_are_known():
    values = found(
        task(passed(seconds=Fraction(1), tokens=10), wrong(seconds=Fraction(3), tokens=30)),
        task(passed(seconds=Fraction(1)), passed(tokens=5)),
        task(passed(seconds=Fraction(0)), passed(seconds=Fraction(0))),
    )
    assert values["time_spread"].tasks == values["token_spread"].tasks == 1
    assert values["time_spread"].value == pytest.approx(2**0.5 / 2)
    assert (values["tokens_per_success"].value, values["tokens_per_success"].tasks) == (40, 1)


def test_tokens_without_a_success_have_no_price():
    assert "tokens_per_success" not in found(task(wrong(tokens=1), wrong(tokens=2)))


def test_a_trend_is_spoken_of_only_where_chance_seldom_gives_it():
    assert drift([task(passed(), wrong())]) == ""
    assert drift([task(passed())]) == ""
    assert drift([task(*[wrong()] * 6, *[passed()] * 6)]).startswith("later attempts pass more often")
