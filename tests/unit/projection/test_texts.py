"""The strings of a JSON value are found and changed wherever they stand."""

from passfloor.projection.texts import in_strings, strings_of

VALUE = {"a": ["b", 1, {"c": None}], "d": True}


def test_every_string_is_found_names_included():
    assert list(strings_of(VALUE)) == ["a", "b", "c", "d"]
    assert list(strings_of("x")) == ["x"]
    assert list(strings_of(None)) == []


def test_every_string_is_changed_names_where_they_are_asked_for():
    assert in_strings(VALUE, str.upper, names=True) == {"A": ["B", 1, {"C": None}], "D": True}
    assert in_strings(VALUE, str.upper, names=False) == {"a": ["B", 1, {"c": None}], "d": True}


def test_names_that_would_fall_together_stay_as_they_are():
    value = {"a": "x", "b": {"a": "y"}}
    assert in_strings(value, lambda _text: "c", names=True) == {"a": "c", "b": {"c": "c"}}
