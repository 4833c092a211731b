"""JSON of others: read without loss where it can be, refused in one line where it cannot."""

from fractions import Fraction

import pytest

from passfloor.canonical.lenient import parse
from passfloor.errors import JsonError


def test_bare_words_of_python_become_texts():
    assert parse("[NaN, Infinity, -Infinity]") == ["NaN", "Infinity", "-Infinity"]


def test_a_number_is_its_decimal_digits_and_not_the_nearest_double():
    assert parse("[0.65, 1e-2, 1.0, -0.0]") == [Fraction(13, 20), Fraction(1, 100), Fraction(1), Fraction(0)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e400", "Infinity"),
        ("-1e400", "-Infinity"),
        ("1e-400", Fraction(0)),
        ("1e-99999999999", Fraction(0)),
        ("-1e99999999999", "-Infinity"),
        ("0e99999999999", Fraction(0)),
    ],
)
def test_a_number_beyond_a_double_is_an_infinity_or_nothing(text, value):
    assert parse(text) == value


def test_whole_numbers_are_exact_however_large():
    assert parse(str(2**70)) == 2**70


def test_of_a_name_that_comes_twice_the_last_counts():
    assert parse(b'{"a": 1, "a": 2}') == {"a": 2}


def test_half_a_surrogate_pair_may_stand_as_an_escape():
    assert parse(r'"\ud835"') == "\ud835"


@pytest.mark.parametrize(
    ("data", "words", "code"),
    [
        (b"\xff", "not UTF-8: byte 0xff at offset 0", "parse"),
        ('"\ud835"', "half a surrogate pair", "parse"),
        ("[1,", "not JSON", "parse"),
        ("9" * 1001, "more than 1000 digits", "parse"),
        ("0." + "1" * 399, "more than 400 characters", "parse"),
        ("[" * 201 + "]" * 201, "deeper than 200 levels", "depth"),
        ("[" * 300_000, "deeper than 200 levels", "depth"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(data, words, code):
    with pytest.raises(JsonError, match=words) as caught:
        parse(data)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)


def test_as_much_as_allowed_is_read():
    parse("[" * 200 + "]" * 200)
    assert parse("9" * 1000) == 10**1000 - 1
    assert parse("0." + "0" * 397 + "1") == 0
    assert parse("[1,2,3]", max_nodes=4) == [1, 2, 3]


def test_a_text_holds_four_million_values_at_most():
    with pytest.raises(JsonError, match="4000001 JSON values, the limit is 4000000"):
        parse("[" + "1," * 3_999_999 + "1]")


def test_values_are_counted_before_any_is_built():
    with pytest.raises(JsonError, match="4 JSON values, the limit is 3") as caught:
        parse("[1,2,3]", max_nodes=3)
    assert caught.value.code == "nodes"


def test_an_interpreter_that_is_shallower_than_the_limit_says_so():
    with pytest.raises(JsonError, match="too deep for this interpreter") as caught:
        parse("[" * 5_000 + "]" * 5_000, max_depth=5_000)
    assert caught.value.code == "depth"
