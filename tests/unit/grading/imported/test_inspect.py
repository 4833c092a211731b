"""A sample of an Inspect log: its score decides, and nothing is guessed."""

from fractions import Fraction

import pytest

from passfloor.canonical import lenient
from passfloor.grading.imported.inspect import read, value_to_float
from passfloor.grading.imported.verdicts import Unreadable

RULE = {"scorer": "match"}


def sample(value="C", **members):
    return {"id": 1, "epoch": 1, "scores": {"match": {"value": value}}} | members


@pytest.mark.parametrize(
    ("value", "outcome", "score"),
    [
        ("C", "passed", 1),
        ("I", "wrong", 0),
        ("P", "wrong", Fraction(1, 2)),
        ("N", "wrong", 0),
        (1, "passed", 1),
        (0, "wrong", 0),
        (True, "passed", 1),
        (False, "wrong", 0),
        (Fraction(1), "passed", 1),
        ("1", "passed", 1),
        ("1.0", "passed", 1),
        ("0", "wrong", 0),
        ("YES", "passed", 1),
        ("True", "passed", 1),
        ("no", "wrong", 0),
        ("false", "wrong", 0),
    ],
)
def test_a_value_that_is_a_verdict_is_taken_as_inspect_takes_it(value, outcome, score):
    reading = read(sample(value), RULE)
    assert (reading.outcome, reading.score) == (outcome, score)


@pytest.mark.parametrize(
    ("value", "flag"),
    [
        (Fraction(13, 20), "--threshold X"),
        (3, "--threshold X"),
        ("0.33", "--threshold X"),
        (-1, "--threshold X"),
        ("Infinity", "--pass-values A,B"),
        ("good", "--pass-values A,B"),
        ("c", "--pass-values A,B"),
    ],
)
def test_a_value_that_is_no_verdict_asks_for_a_rule(value, flag):
    with pytest.raises(Unreadable, match=flag):
        read(sample(value), RULE)


@pytest.mark.parametrize("value", [["C", "I"], {"a": "C"}])
def test_a_value_of_several_values_asks_for_one(value):
    with pytest.raises(Unreadable, match="several values"):
        read(sample(value), RULE)


def test_a_part_of_a_value_decides_where_it_was_chosen():
    both = sample({"a": "C", "b": "I"})
    assert read(both, RULE | {"part": "a"}).outcome == "passed"
    assert read(both, RULE | {"part": "b"}).outcome == "wrong"
    assert read(both, RULE | {"part": "c"}).outcome == "errored"


@pytest.mark.parametrize(
    ("value", "outcome"), [("0.65", "passed"), ("0.64", "wrong"), ("P", "wrong"), ("C", "passed")]
)
def test_a_threshold_is_met_exactly(value, outcome):
    assert read(sample(value), RULE | {"threshold": "0.65"}).outcome == outcome


def test_half_credit_passes_where_the_threshold_says_so():
    assert read(sample("P"), RULE | {"threshold": "0.5"}).outcome == "passed"


def test_values_that_pass_are_compared_as_text():
    rule = RULE | {"pass_values": ["good", "2"]}
    assert [read(sample(value), rule).outcome for value in ("good", 2, "bad", "C")] == [
        "passed",
        "passed",
        "wrong",
        "wrong",
    ]


def test_a_threshold_does_not_judge_a_word():
    with pytest.raises(Unreadable, match="no number"):
        read(sample("good"), RULE | {"threshold": "0.5"})


@pytest.mark.parametrize(
    "scores", [None, {}, {"other": {"value": "C"}}, {"match": {}}, {"match": {"value": "NaN"}}, []]
)
def test_a_sample_that_was_not_scored_is_errored(scores):
    reading = read({"id": 1, "epoch": 1, "scores": scores}, RULE)
    assert (reading.outcome, reading.error_type) == ("errored", "unscored")


def test_a_bare_nan_is_no_score():
    record = lenient.parse('{"id": 1, "epoch": 1, "scores": {"match": {"value": NaN}}}')
    assert read(record, RULE).outcome == "errored"


@pytest.mark.parametrize(
    "error", ["RuntimeError('out')", {"message": "RuntimeError('out')", "traceback": "..."}]
)
def test_an_error_is_read_in_a_summary_and_in_a_sample(error):
    reading = read(sample(scores={}, error=error), RULE)
    assert (reading.outcome, reading.error_type, reading.error_text) == (
        "errored",
        "RuntimeError",
        "RuntimeError('out')",
    )


def test_a_score_wins_over_an_error_which_is_kept():
    reading = read(sample("C", error="TimeoutError('slow')"), RULE)
    assert (reading.outcome, reading.error_type) == ("passed", "TimeoutError")


@pytest.mark.parametrize("limit", ["token", {"type": "token", "limit": 100}])
def test_a_score_wins_over_a_limit_which_is_kept(limit):
    assert read(sample("I", limit=limit), RULE).outcome == "wrong"
    reading = read(sample("C", limit=limit), RULE)
    assert (reading.outcome, reading.error_type) == ("passed", "token limit")


def test_a_limit_without_a_score_is_errored():
    assert read(sample(scores={}, limit="time"), RULE).error_type == "time limit"


@pytest.mark.parametrize("fault", [{"error": "CancelledError()"}, {"limit": "operator"}])
def test_what_somebody_stopped_is_cancelled(fault):
    assert read(sample(scores={}, **fault), RULE).outcome == "cancelled"


def test_an_error_without_a_message_is_an_error():
    assert read(sample(scores={}, error={"traceback": "..."}), RULE).error_type == "error"
    assert read(sample(scores={}, error="out of luck"), RULE).error_type == "error"


def test_a_score_that_was_invalidated_is_no_verdict():
    reading = read(sample("C", invalidation={"author": "a", "reason": "leaked"}), RULE)
    assert (reading.outcome, reading.error_type, reading.error_text) == ("errored", "invalidated", "leaked")


@pytest.mark.parametrize("record", [None, [], "C", 1])
def test_what_is_no_sample_is_said_to_be_none(record):
    with pytest.raises(Unreadable, match="a sample is a JSON object"):
        read(record, RULE)


def test_a_value_that_cannot_be_converted_has_no_number():
    assert value_to_float(["C"]) is None
    assert value_to_float("good") is None
    assert value_to_float("1e2") == 100


def test_a_part_is_of_scores_that_are_objects():
    assert read(sample("C"), RULE | {"part": "a"}).outcome == "passed"


def test_an_invalidation_without_a_reason_is_one():
    assert read(sample("C", invalidation=True), RULE).error_type == "invalidated"
    assert read(sample("C", invalidation="leaked"), RULE).error_text is None
