"""Task ids and file paths: what is refused, why, and the honest neighbour that is not."""

import re

import pytest

from passfloor.models.names import MAX_ID_LENGTH, MAX_PATH_LENGTH, folded, id_problem, path_problem


@pytest.mark.parametrize(
    "value", ["a", "task-1", "Größe", "日本語", "a b", "x" * MAX_ID_LENGTH, "[x]", "a/b", "😀", "1", "é"]
)
def test_an_ordinary_id_is_fine(value):
    assert id_problem(value) is None


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("", "is empty"),
        ("x" * (MAX_ID_LENGTH + 1), "201 characters"),
        (" a", "blank"),
        ("a ", "blank"),
        ("a\u00a0", "blank"),
        ("\u3000a", "blank"),
        ("e\u0301", "NFC"),
        ("\u212b", "NFC"),
        ("a\nb", r"U\+000A at position 1"),
        ("\x00", r"U\+0000 at position 0"),
        ("a\x1b[31m", r"U\+001B"),
        ("a\x7f", r"U\+007F"),
        ("a\x85", r"U\+0085"),
        ("a\u200b", r"U\+200B"),
        ("a\u202eb", r"U\+202E"),
        ("a\u2028b", r"U\+2028"),
        ("a\u2029b", r"U\+2029"),
        ("a\ufeff", r"U\+FEFF"),
        ("a\ue000", r"U\+E000"),
        ("a\ud800", r"U\+D800"),
        ("a\uffff", r"U\+FFFF"),
        ("a\U000e0001", r"U\+E0001"),
    ],
)
def test_an_id_that_would_mislead_is_refused_and_says_why(value, problem):
    found = id_problem(value)
    assert found is not None
    assert found.isascii()
    assert re.search(problem, found)


@pytest.mark.parametrize(
    "value",
    ["a", "a/b.txt", ".hidden", "a/.b", "..a", "a..", "a b", "ü/é", "x" * MAX_PATH_LENGTH, "a/b/c", "~"],
)
def test_an_ordinary_path_is_fine(value):
    assert path_problem(value) is None


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("", "is empty"),
        ("x" * (MAX_PATH_LENGTH + 1), "1025 characters"),
        ("/etc/passwd", "absolute"),
        ("//a", "absolute"),
        ("..", "leaves"),
        ("../a", "leaves"),
        ("a/../b", "leaves"),
        ("a/..", "leaves"),
        ("a\\b", "backslash"),
        ("..\\a", "backslash"),
        ("C:/a", "colon"),
        ("a:stream", "colon"),
        ("a\x00b", "control"),
        ("a\nb", "control"),
        ("a\ud800", "control"),
        (".", "plainest"),
        ("./a", "plainest"),
        ("a/./b", "plainest"),
        ("a//b", "plainest"),
        ("a/", "plainest"),
    ],
)
def test_a_path_that_leaves_its_folder_or_has_two_spellings_is_refused(value, problem):
    assert problem in path_problem(value)


@pytest.mark.parametrize(
    ("a", "b"), [("A", "a"), ("Straße", "STRASSE"), ("é", "e\u0301"), ("É", "e\u0301"), ("ﬁ", "FI")]
)
def test_names_that_collide_on_some_disk_fold_alike(a, b):
    assert folded(a) == folded(b)


@pytest.mark.parametrize(("a", "b"), [("a", "b"), ("e", "é"), ("a", "a ")])
def test_names_that_do_not_collide_stay_apart(a, b):
    assert folded(a) != folded(b)
