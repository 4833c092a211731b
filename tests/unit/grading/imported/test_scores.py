"""A score becomes a verdict by a rule, or by being 0 or 1."""

from fractions import Fraction

import pytest

from passfloor.grading.imported.scores import by_rule, numeral, settled, shown, spelled
from passfloor.grading.imported.verdicts import Unreadable


def test_without_a_rule_only_zero_and_one_are_verdicts():
    assert settled(1, Fraction(1), {})
    assert not settled(0, Fraction(0), {})
    with pytest.raises(Unreadable, match=r"the score 0\.65 is no verdict"):
        settled(Fraction(13, 20), Fraction(13, 20), {})


def test_the_rule_names_neither():
    assert by_rule("x", None, {}) is None
    assert by_rule("x", None, {"pass_values": [], "threshold": None}) is None


def test_values_that_pass_are_asked_before_the_threshold():
    assert by_rule("x", None, {"pass_values": ["x"], "threshold": "0.5"}) is True


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        (3, "3"),
        (Fraction(13, 20), "0.65"),
        ([], ""),
    ],
)
def test_a_value_is_spelled_as_json_has_it(value, text):
    assert spelled(value) == text


def test_a_value_in_a_message_is_short_and_on_one_line():
    assert shown("a\n" * 100).count("\n") == 0
    assert len(shown("a" * 1000)) < 80
    assert shown({}) == "that is an object"
    assert shown([1]) == "that is a list"


def test_only_digits_are_a_number():
    assert numeral("0.50") == Fraction(1, 2)
    assert numeral("1e2") == 100
    assert [numeral(text) for text in ("", "x", "1/2", "٣", "1" * 50, "1e9999", "nan")] == [None] * 7


def test_a_number_is_spelled_as_short_as_json_writes_it():
    assert spelled(Fraction(10**15)) == "1000000000000000"
    assert spelled(Fraction(10**400, 3)) == f"{10**400}/3"


def test_a_value_without_a_number_asks_for_values():
    with pytest.raises(Unreadable, match="--pass-values"):
        settled("x", None, {})
