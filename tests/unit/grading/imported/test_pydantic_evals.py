"""Cases and failures of a pydantic-evals report."""

from fractions import Fraction

import pytest

from passfloor.grading.imported.pydantic_evals import read
from passfloor.grading.imported.verdicts import Unreadable


def case(assertions=(), **members):
    results = {f"a{number}": {"value": value} for number, value in enumerate(assertions)}
    return {
        "name": "x",
        "assertions": results,
        "scores": {},
        "labels": {},
        "evaluator_failures": [],
    } | members


FAILED = [{"name": "Judge", "error_message": "no key", "error_stacktrace": "..."}]


def test_all_assertions_have_to_hold():
    assert read(case([True, True]), {}).outcome == "passed"
    reading = read(case([True, False]), {})
    assert (reading.outcome, reading.score) == ("wrong", Fraction(1, 2))


def test_a_case_that_raised_is_errored():
    reading = read({"name": "x", "error_message": "KeyError: 'a'", "error_stacktrace": "..."}, {})
    assert (reading.outcome, reading.error_type, reading.error_text) == (
        "errored",
        "KeyError",
        "KeyError: 'a'",
    )
    assert read({"name": "x", "error_message": ""}, {}).outcome == "errored"
    assert read({"name": "x", "error_message": "it broke: badly"}, {}).error_type == "error"


def test_an_evaluator_that_failed_leaves_a_case_undecided():
    reading = read(case([True], evaluator_failures=FAILED), {})
    assert (reading.outcome, reading.error_type, reading.error_text) == (
        "errored",
        "evaluator failure",
        "no key",
    )


def test_a_false_assertion_decides_whatever_else_failed():
    reading = read(case([False], evaluator_failures=FAILED), {})
    assert (reading.outcome, reading.error_type) == ("wrong", "evaluator failure")


def test_a_case_without_an_assertion_has_no_verdict():
    with pytest.raises(Unreadable, match="--scorer"):
        read(case(), {})


def test_one_score_decides_where_it_was_chosen():
    scored = case(
        [False], scores={"quality": {"value": Fraction(13, 20)}}, labels={"tone": {"value": "kind"}}
    )
    assert read(scored, {"scorer": "quality", "threshold": "0.65"}).outcome == "passed"
    assert read(scored, {"scorer": "quality", "threshold": "0.66"}).outcome == "wrong"
    assert read(scored, {"scorer": "tone", "pass_values": ["kind"]}).outcome == "passed"
    assert read(scored, {"scorer": "a0"}).outcome == "wrong"
    with pytest.raises(Unreadable, match="--threshold"):
        read(scored, {"scorer": "quality"})


def test_a_case_without_the_chosen_score_is_errored():
    assert read(case([True]), {"scorer": "quality"}).error_type == "unscored"
    assert read(case(evaluator_failures=FAILED), {"scorer": "quality"}).error_type == "evaluator failure"


@pytest.mark.parametrize("record", [None, [], case(["yes"])])
def test_what_is_no_case_has_no_verdict(record):
    with pytest.raises(Unreadable):
        read(record, {})


def test_the_score_of_a_case_is_the_share_that_holds():
    assert read(case([True, True]), {}).score == 1
    assert read(case([True, True, False]), {}).score == Fraction(2, 3)


@pytest.mark.parametrize(
    ("message", "kind"), [("broken", "error"), ("A" * 81 + ": b", "A" * 80), ("A: b", "A"), (": b", "error")]
)
def test_the_word_before_a_colon_is_the_kind_of_a_failure(message, kind):
    assert read({"name": "x", "error_message": message}, {}).error_type == kind


@pytest.mark.parametrize("failures", [{"name": "Judge"}, ["no key"], [{"name": "Judge"}]])
def test_an_evaluator_that_failed_without_a_message_failed(failures):
    reading = read(case([True], evaluator_failures=failures), {})
    assert (reading.outcome, reading.error_type, reading.error_text) == ("errored", "evaluator failure", None)


def test_assertions_of_another_shape_are_none():
    with pytest.raises(Unreadable, match="no assertion"):
        read({"name": "x", "assertions": ["a"]}, {})


def test_a_value_may_stand_without_an_object_around_it():
    assert read({"name": "x", "assertions": {"a": True}}, {}).outcome == "passed"


def test_one_assertion_decides_where_it_was_chosen():
    members = {"assertions": ["a0"], "scores": {"a0": True}}
    assert read(case() | members, {"scorer": "a0"}).outcome == "passed"
    assert read(case([True]), {"scorer": "a1"}).outcome == "errored"
