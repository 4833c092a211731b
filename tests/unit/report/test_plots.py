"""The curves in plain characters."""

import pytest

from passfloor.report.plots import envelope_plot


@pytest.mark.parametrize("n", [1, 2, 9, 33, 34, 71, 200])
@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_a_plot_fits_80_columns_and_marks_k(from_counts, n, where):
    k = {"first": 1, "middle": (n + 1) // 2, "last": n}[where]
    envelope = from_counts({"a": "p" * n, "b": "p" + "w" * (n - 1)}, k=k)
    lines = envelope_plot(envelope.curve, k)
    assert max(map(len, lines)) <= 80
    numbers, marks = lines[-4], lines[-3]
    assert marks.count("^") == 1
    column = marks.index("^")
    start = column - (len(str(k)) - 1) // 2
    assert numbers[start : start + len(str(k))] == str(k)
    assert all(line.isascii() for line in lines)


def test_the_curves_are_where_the_figures_are(from_counts):
    lines = envelope_plot(from_counts({"a": "pw", "b": "pp"}, k=2).curve, 2)
    at_two = [line[16:17] for line in lines[:11]]
    assert at_two[0] == "o"
    assert at_two[5] == "x"
    assert set(at_two[1:5]) == {"."}
    assert lines[2][10] == "*" or lines[3][10] == "*"


def test_figures_that_meet_are_one_mark(from_counts):
    lines = envelope_plot(from_counts({"a": "pp"}, k=1).curve, 1)
    assert lines[0].count("*") == 2
    assert not any("x" in line or "o" in line for line in lines[:11])
