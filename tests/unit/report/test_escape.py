"""Untrusted text on its way to a terminal."""

import pytest

from passfloor.report.escape import show


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [red]x[/red] %s {0}", "plain [red]x[/red] %s {0}"),
        ("café \N{PACKAGE}", "café \N{PACKAGE}"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("\x1b]8;;http://x\x07", "\\x1b]8;;http://x\\x07"),
        ("a\nb\rc\td", "a\\nb\\rc\\td"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("\u200b\ufeff", "\\u200b\\ufeff"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\ud835", "\\ud835"),
        ("\ue000\U000f0000", "\\ue000\\U000f0000"),
        ("\x00\x7f", "\\x00\\x7f"),
    ],
)
def test_what_would_be_acted_on_is_spelled_out(text, shown):
    assert show(text) == shown
    assert show(show(text)) == shown


def test_what_is_too_long_is_cut_and_counted():
    assert show("x" * 200) == "x" * 200
    assert show("x" * 203) == "x" * 200 + "... (3 more characters)"
    assert show("\x1b" * 5, 2) == "\\x1b\\x1b... (3 more characters)"


def test_anything_with_a_text_is_shown():
    assert show(7) == "7"
    assert show(None) == "None"
