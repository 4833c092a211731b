"""The first difference of two values is found by canonical equality and named in safe words."""

import pytest

from passfloor.projection import first_difference, shown


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        ("a", "b", "('a' != 'b')"),
        (1, True, "(1 != true)"),
        (0, False, "(0 != false)"),
        (1, "1", "(1 != '1')"),
        (1, 1.5, "(1 != 1.5)"),
        (None, "", "(null != '')"),
        (None, False, "(null != false)"),
        ([], {}, "(an array of 0 items != an object of 0 members)"),
        ([1], 1, "(an array of 1 items != 1)"),
        (1, [1], "(1 != an array of 1 items)"),
        ({"a": 1}, 1, "(an object of 1 members != 1)"),
        (1, {"a": 1}, "(1 != an object of 1 members)"),
        ("é", "e\u0301", "('\\xe9' != 'e\\u0301')"),
    ],
)
def test_values_that_differ_are_both_shown(a, b, text):
    assert first_difference(a, b, "x") == ("x", text)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1.0),
        (0, -0.0),
        (1e15, 10**15),
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}),
        ([1, 2], [1.0, 2]),
        ({}, {}),
        ("a", "a"),
    ],
)
def test_values_with_one_canonical_form_do_not_differ(a, b):
    assert first_difference(a, b, "x") is None


def test_the_path_leads_into_objects_and_arrays():
    a = {"request": {"messages": [{"content": "a"}, {"content": "a"}]}}
    b = {"request": {"messages": [{"content": "a"}, {"content": "b"}]}}
    assert first_difference(a, b, "events[3]") == (
        "events[3].request.messages[1].content",
        "('a' != 'b')",
    )


def test_the_first_member_in_sorted_order_is_named_whatever_the_order_of_writing():
    assert first_difference({"b": 1, "a": 1}, {"a": 2, "b": 2}, "x") == ("x.a", "(1 != 2)")


def test_members_are_sorted_by_utf_16_code_units():
    a, b = {"\U0001f600": 1, "\ufb33": 1}, {"\U0001f600": 2, "\ufb33": 2}
    assert first_difference(a, b, "x") == ("x['\\U0001f600']", "(1 != 2)")


def test_a_member_of_one_side_is_named_with_its_side():
    sides = ("attempt 0", "attempt 2")
    assert first_difference({"a": 1}, {}, "x", sides) == ("x.a", "(only in attempt 0)")
    assert first_difference({}, {"a": None}, "x", sides) == ("x.a", "(only in attempt 2)")
    assert first_difference({}, {"a": None}, "x") == ("x.a", "(only in right)")


def test_an_item_of_one_side_is_named_after_the_items_both_have():
    sides = ("attempt 0", "attempt 2")
    assert first_difference([1, 2], [1], "x", sides) == ("x[1]", "(only in attempt 0)")
    assert first_difference([1], [1, None], "x", sides) == ("x[1]", "(only in attempt 2)")
    assert first_difference([1, 2], [3], "x", sides) == ("x[0]", "(1 != 3)")


def test_a_path_begins_with_the_member_where_there_is_nothing_before_it():
    assert first_difference({"route": 1}, {"route": 2}, "") == ("route", "(1 != 2)")


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a-b_C9", "x.a-b_C9"),
        ("a.b", "x['a.b']"),
        ("", "x['']"),
        ("9", "x['9']"),
        ("a\n", "x['a\\n']"),
        ("\x1b[2J", "x['\\x1b[2J']"),
        ("\u202e", "x['\\u202e']"),
        ("\ud800", "x['\\ud800']"),
        ("n" * 100, "x['" + "n" * 60 + "'...]"),
    ],
)
def test_a_member_name_that_is_not_plain_is_quoted_and_escaped(name, path):
    assert first_difference({name: 1}, {name: 2}, "x") == (path, "(1 != 2)")


def test_untrusted_text_comes_out_as_printable_ascii():
    found = first_difference("\x1b]8;;http://x\x07\x9b\r\n\u202e\x7f", "::error::é", "x")
    assert found is not None
    assert found[1].isascii()
    assert found[1].isprintable()


def test_long_texts_are_cut_around_their_first_difference():
    found = first_difference("s" * 500 + "a" + "t" * 500, "s" * 500 + "b", "x")
    lead = "s" * 12
    assert found == ("x", f"(...'{lead}a{'t' * 47}'... != ...'{lead}b')")


def test_texts_that_are_not_long_are_shown_whole():
    same = "s" * 59
    assert first_difference(same + "a", same + "b", "x") == ("x", f"('{same}a' != '{same}b')")


def test_a_long_text_and_its_own_beginning_are_told_apart():
    found = first_difference("s" * 100, "s" * 80, "x")
    assert found == ("x", f"(...'{'s' * 32}' != ...'{'s' * 12}')")


def test_a_long_text_against_another_type_is_cut_at_its_end():
    assert first_difference("s" * 61, 1, "x") == ("x", f"('{'s' * 60}'... != 1)")
    assert first_difference("s" * 60, 1, "x") == ("x", f"('{'s' * 60}' != 1)")
    assert first_difference("s" * 100, 1, "x") == ("x", f"('{'s' * 60}'... != 1)")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3.0"),
        (float("nan"), "nan"),
        (2**64 - 1, "18446744073709551615"),
        (2**64, "an integer of 65 bits"),
        ({"a": 1}, "an object of 1 members"),
        ([1, 2], "an array of 2 items"),
        ((1, 2), "a value of type 'tuple'"),
        ({1}, "a value of type 'set'"),
    ],
)
def test_any_value_can_be_shown(value, text):
    assert shown(value) == text


def test_a_number_past_the_digit_limit_is_shown_by_its_size():
    assert shown(-(10**5000)) == "an integer of 16610 bits"
