"""A plain row: verdicts are taken where they stand, scores become none unless somebody says how."""

import pytest

from passfloor.grading.imported import Unreadable, read_record
from passfloor.grading.imported.rows import WORDS
from passfloor.grading.imported.verdicts import Reading

BOTH = {"outcome": "outcome", "score": "score", "error": "error"}


def read(text, **rule):
    return read_record("rows", rule, text)


@pytest.mark.parametrize(("word", "outcome"), WORDS.items())
def test_common_words_are_verdicts_whatever_their_case(word, outcome):
    assert read(f'{{"outcome": " {word.upper()} "}}', outcome="outcome").outcome == outcome


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ("true", "passed"),
        ("false", "wrong"),
        ("1", "passed"),
        ("0", "wrong"),
        ("1.0", "passed"),
        ('"1"', "passed"),
    ],
)
def test_booleans_and_ones_and_zeros_are_verdicts(value, outcome):
    assert read(f'{{"outcome": {value}}}', outcome="outcome").outcome == outcome


@pytest.mark.parametrize("value", ["null", '""', '"  "'])
def test_an_attempt_without_a_verdict_is_errored(value):
    found = read(f'{{"outcome": {value}, "error": {{"type": "Boom", "message": "it broke"}}}}', **BOTH)
    assert (found.outcome, found.error_type, found.error_text) == ("errored", "Boom", "it broke")
    bare = read(f'{{"outcome": {value}}}', **BOTH)
    assert bare.outcome == "errored"
    assert bare.error_type.startswith("no verdict: outcome")


def test_an_error_word_beside_a_verdict_is_kept_and_the_verdict_wins():
    found = read('{"outcome": "passed", "error": "timed out"}', **BOTH)
    assert (found.outcome, found.error_type) == ("passed", "timed out")


def test_an_outcome_that_says_how_it_ended_is_the_error_word():
    assert read('{"outcome": "timeout"}', **BOTH) == Reading("errored", None, "timeout", None)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ('""', None),
        ("null", None),
        ("false", None),
        ("[]", None),
        ("{}", None),
        ("true", "error"),
        ("[1]", "error"),
        ('{"message": "m"}', "error"),
        ('"words"', "words"),
    ],
)
def test_an_error_member_is_read_by_what_it_holds(error, kind):
    assert read(f'{{"outcome": true, "error": {error}}}', **BOTH).error_type == kind


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("0.65", "--threshold"),
        ('"0.65"', "--threshold"),
        ("2", "--threshold"),
        ("NaN", "--threshold"),
        ('"C"', "--pass-values"),
        ('"escalate"', "--pass-values"),
        ("[1]", "--pass-values"),
        ("{}", "--pass-values"),
    ],
)
def test_what_is_no_verdict_is_refused_and_never_guessed(value, words):
    with pytest.raises(Unreadable, match=words):
        read(f'{{"outcome": {value}}}', outcome="outcome")


@pytest.mark.parametrize(
    ("score", "outcome"), [("0.65", "passed"), ("0.6499999", "wrong"), ('"0.65"', "passed"), ("1", "passed")]
)
def test_a_threshold_is_held_against_the_digits_of_a_score(score, outcome):
    found = read(f'{{"score": {score}}}', score="score", threshold="0.65")
    assert found.outcome == outcome
    assert found.score is not None


def test_a_score_that_is_not_there_or_not_a_number_is_errored_under_a_threshold():
    for score in ("null", '""', "NaN", '"none"'):
        assert read(f'{{"score": {score}}}', score="score", threshold="0.5").outcome == "errored"
    assert read('{"outcome": "error", "score": 1}', **BOTH, threshold="0.5").outcome == "errored"
    with pytest.raises(Unreadable, match="no number to hold against"):
        read('{"score": "high"}', score="score", threshold="0.5")
    with pytest.raises(Unreadable, match="is no decimal number"):
        read('{"score": 1}', score="score", threshold="half")


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ('"C"', "passed"),
        ('"P"', "wrong"),
        ("null", "errored"),
        ('"error"', "errored"),
        ("1", "wrong"),
        ("[]", "wrong"),
    ],
)
def test_values_that_pass_are_those_that_were_named(value, outcome):
    assert read(f'{{"o": {value}}}', outcome="o", pass_values=["C", "B"]).outcome == outcome


def test_numbers_and_booleans_can_be_named_as_values():
    assert read('{"o": 2.5}', outcome="o", pass_values=["2.5"]).outcome == "passed"
    assert read('{"o": 2.0}', outcome="o", pass_values=["2"]).outcome == "passed"
    assert read('{"s": true}', score="s", pass_values=["true"]).outcome == "passed"


def test_a_path_leads_into_members_unless_a_member_has_that_very_name():
    assert read('{"a": {"b": true}}', outcome="a.b").outcome == "passed"
    assert read('{"a.b": false, "a": {"b": true}}', outcome="a.b").outcome == "wrong"
    assert read('{"a": 1}', outcome="a.b").outcome == "errored"


def test_a_score_outside_of_zero_to_one_is_no_share_and_still_judged():
    found = read('{"score": 7}', score="score", threshold="5")
    assert (found.outcome, found.score) == ("passed", None)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("[]", BOTH),
        ("nope", BOTH),
        ('{"outcome": 1e300}', BOTH),
        ('{"o": 1}', {"outcome": ["o"]}),
        ('{"o": 1}', {"outcome": "o", "pass_values": 7}),
        ('{"o": 1}', {"outcome": {}, "score": 3}),
    ],
)
def test_whatever_record_and_rule_hold_nothing_but_one_error_comes_of_it(text, rule):
    try:
        assert read_record("rows", rule, text).outcome in {"errored", "wrong"}
    except Unreadable as error:
        assert "\n" not in str(error)  # noqa: PT017  # it may or may not be raised
