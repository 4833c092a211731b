"""A plain row: verdicts are taken where they stand, scores become none unless somebody says how."""

from fractions import Fraction

import pytest

from passfloor.grading.imported import Unreadable, read_record
from passfloor.grading.imported.rows import WORDS, at
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


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"outcome": "o", "score": "s"}, "no verdict: o is null"),
        ({"outcome": "o", "score": "s", "pass_values": ["yes"]}, "no verdict: o is null"),
        ({"outcome": "o", "score": "t", "threshold": "0.5"}, "no verdict: t is null"),
        ({"score": "t"}, "no verdict: t is null"),
    ],
)
def test_a_row_without_a_verdict_says_which_member_was_empty(rule, words):
    assert read_record("rows", rule, '{"o": null, "s": 1, "t": null}').error_type == words


@pytest.mark.parametrize("record", ["[]", '"x"', "null", "1"])
def test_what_is_no_row_is_refused(record):
    with pytest.raises(Unreadable, match="a row is an object"):
        read(record, **BOTH)


@pytest.mark.parametrize(("word", "outcome"), [("error", "errored"), ("Cancelled", "cancelled")])
def test_an_attempt_that_did_not_finish_did_not_whatever_the_rule(word, outcome):
    row = f'{{"outcome": "{word}", "score": 1}}'
    for rule in ({}, {"threshold": "0.5"}, {"pass_values": ["C"]}):
        found = read(row, **BOTH, **rule)
        assert (found.outcome, found.error_type) == (outcome, word)


def test_a_score_that_says_how_it_ended_is_the_error_word():
    assert read('{"score": "Error"}', score="score") == Reading("errored", None, "errored", None)


def test_values_that_pass_are_asked_before_the_threshold():
    rule = {"score": "score", "pass_values": ["C"], "threshold": "0.5"}
    assert read('{"score": "C"}', **rule).outcome == "passed"
    assert read('{"score": 1}', **rule).outcome == "wrong"


def test_a_score_alone_is_judged_by_itself():
    assert read('{"score": true}', score="score") == Reading("passed", Fraction(1), None, None)
    assert read('{"score": "wrong"}', score="score").outcome == "wrong"
    assert read('{"score": null}', score="score").error_type == "no verdict: score is null"
    assert read('{"score": "x", "outcome": ""}', **BOTH).error_type == "no verdict: outcome is ''"


@pytest.mark.parametrize("score", ['"  "', '"NULL"', '"None"', '" nan"', '""'])
def test_a_score_that_is_a_word_for_nothing_is_none_under_a_threshold(score):
    assert read(f'{{"score": {score}}}', score="score", threshold="0.5").outcome == "errored"


@pytest.mark.parametrize("score", ["[]", "{}", '"high"'])
def test_a_score_that_is_something_else_is_refused_under_a_threshold(score):
    with pytest.raises(Unreadable, match="is no number to hold against"):
        read(f'{{"score": {score}}}', score="score", threshold="0.5")


@pytest.mark.parametrize("value", ['"NaN"', '"-Infinity"', '"infinity"'])
def test_what_is_no_finite_number_is_a_score_that_asks_for_a_threshold(value):
    with pytest.raises(Unreadable, match="say which scores pass"):
        read(f'{{"o": {value}}}', outcome="o")


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        ('{"type": "A", "error_type": "B"}', "A", None),
        ('{"error_type": "B", "name": "C", "message": "m"}', "B", "m"),
        ('{"name": "C", "code": 7, "error": "e"}', "C", "e"),
        ('{"code": 7, "detail": "d"}', "7", "d"),
        ('{"text": "t"}', "error", "t"),
        ('{"odd": 1}', "error", None),
        ('{"odd": ""}', "error", None),
        ('" "', None, None),
        ("0", "error", "0"),
        ("7", "error", "7"),
        ("[1]", "error", "an array"),
        ("true", "error", None),
    ],
)
def test_the_kind_and_the_text_of_an_error_are_told_apart(error, kind, text):
    found = read(f'{{"outcome": true, "error": {error}}}', **BOTH)
    assert (found.error_type, found.error_text) == (kind, text)


def test_an_error_is_cut_at_three_hundred_characters():
    long = "x" * 301
    found = read(f'{{"outcome": true, "error": {{"type": "{long}", "message": "{long}"}}}}', **BOTH)
    assert (found.error_type, found.error_text) == ("x" * 300, "x" * 300)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (f'"{"x" * 61}"', "'" + "x" * 60 + "' is"),
        ("9" * 61, "9" * 60 + " is"),
        ("[1]", "an array is"),
        ("{}", "an object is"),
        ('"\u202e"', r"'\u202e' is"),
        ("0.5", "0.5 is"),
    ],
)
def test_a_value_in_a_message_is_short_and_on_one_line(value, shown):
    with pytest.raises(Unreadable) as raised:
        read(f'{{"o": {value}}}', outcome="o")
    assert str(raised.value).startswith(shown)


def test_blanks_are_no_value_and_no_message():
    assert read('{"o": "  "}', outcome="o", pass_values=["C"]).outcome == "errored"
    found = read('{"outcome": true, "error": {"type": "A", "message": "  "}}', **BOTH)
    assert (found.error_type, found.error_text) == ("A", None)


def test_only_an_object_has_members():
    assert at({"a": 1}, "a") == 1
    assert at(["a"], "a") is None
    assert at({"a": "b"}, "a.b") is None
    assert at({"a": 1}, None) is None
