"""Eighty columns."""

from passfloor.report.layout import WIDTH, counted, portion, wrapped


def test_no_line_is_longer_than_80_columns_and_no_word_is_lost():
    text = " ".join(["word"] * 100)
    lines = wrapped(text, "  ", "    ")
    assert max(map(len, lines)) <= WIDTH == 80
    assert " ".join(line.strip() for line in lines) == text
    assert lines[0].startswith("  word")
    assert all(line.startswith("    word") for line in lines[1:])


def test_a_word_that_is_longer_stays_whole():
    digest = "a" * 120
    assert wrapped(f"claims {digest} here") == ["claims", digest, "here"]
    assert wrapped("a-b" * 40) == ["a-b" * 40]


def test_the_lines_that_follow_are_indented_as_the_first_unless_told():
    assert wrapped("x " * 60, "label: ")[1].startswith("       x")


def test_nothing_is_one_line_of_indentation():
    assert wrapped("", "label: ") == ["label:"]


def test_one_is_singular():
    assert [counted(number, "task") for number in (0, 1, 2)] == ["0 tasks", "1 task", "2 tasks"]


def test_a_part_says_of_how_many():
    assert [portion(8, 20), portion(20, 20), portion(1, 1)] == ["8 of 20 tasks", "20 tasks", "1 task"]
