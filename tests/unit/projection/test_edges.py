"""Where a difference would be shown, or a declaration read, otherwise by one step."""

from passfloor.projection.difference import _shown_apart


def test_long_texts_that_differ_at_once_are_shown_from_their_start():
    first, second = _shown_apart("a" * 500, "b" * 500)
    assert first.startswith("'a")
    assert second.startswith("'b")


def test_long_texts_that_differ_late_are_shown_where_they_do():
    first, second = _shown_apart("x" * 400 + "a" * 100, "x" * 400 + "b" * 100)
    assert first.startswith("...")
    assert "a" in first
    assert "b" in second
