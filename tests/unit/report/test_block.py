"""The lines of the block."""

from fractions import Fraction

import pytest

from passfloor.report.block import block, fixed, interval, measured
from passfloor.report.envelope.model import Measure
from passfloor.stats.intervals import Interval


def lines(envelope):
    return dict(block(envelope))


@pytest.mark.parametrize(
    ("who", "picker", "picks", "quoted"),
    [
        ("nobody", "", "nobody", "pass^2, because nobody checks"),
        ("oracle", "the unit tests", "the unit tests", "pass@2, because the unit tests picks"),
        ("oracle", "", "a check that knows the right answer", "pass@2, because a check that knows"),
        ("person", "", "a person", "success rate, because a person reviews every single output"),
        (
            "batch",
            "",
            "nobody",
            "the batch figure of 2, because a batch of 2 different jobs must all succeed",
        ),
    ],
)
def test_who_checks_decides_what_to_quote(from_counts, who, picker, picks, quoted):
    found = lines(from_counts({"a": "ppww"}, k=2, who_checks=who, picker=picker))
    assert found["who picks"] == picks
    assert found["quote to users"].startswith(quoted)
    assert ("a batch of different jobs" in found["not covered"]) == (who != "batch")


def test_another_k_than_that_of_the_plan_is_said_to_be_one(sealed, enveloped):
    run = sealed(k=2)
    assert lines(enveloped(run))["k"] == "2, no reason given; fixed before the run"
    asked = lines(enveloped(run, k=3))["k"]
    assert asked == "3, asked for in this report; before the run k was fixed to 2"


def test_rows_have_neither_hash_nor_a_promise_of_fresh_state(from_counts):
    found = lines(from_counts({"a": "pw"}))
    assert found["suite"] == "rows.jsonl, 1 task, unsealed rows"
    assert found["trials per task"] == "n = 2, as the rows say"


def test_what_others_wrote_is_escaped(from_counts):
    found = lines(from_counts({"a": "pw"}, who_checks="oracle", picker="x\x1b[31m"))
    assert found["who picks"] == "x\\x1b[31m"
    assert "\x1b" not in found["quote to users"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(Fraction(3, 5), "0.60"), (Fraction(1), "1.00"), (Fraction(1, 200), "0.00"), (Fraction(3, 200), "0.02")],
)
def test_a_rate_is_rounded_half_to_even(value, shown):
    assert fixed(value) == shown


@pytest.mark.parametrize(
    ("unit", "value", "shown"),
    [("share", Fraction(1, 3), "33.3%"), ("ratio", Fraction(1, 3), "0.333"), ("tokens", Fraction(7, 2), "4")],
)
def test_a_measure_is_shown_in_its_unit(unit, value, shown):
    assert measured(Measure("code", "label", value, unit, 3, "meaning")) == shown


def test_an_interval_that_is_not_exact_says_by_how_much_it_may_be_off():
    low, high = Fraction(1, 4), Fraction(3, 4)
    exact = interval(Interval(low, high, "exact bootstrap over tasks", 0.0))
    assert exact == "(95% interval across tasks: 25.0 to 75.0, exact bootstrap over tasks)"
    assert interval(Interval(low, high, "by a grid", 0.00052)).endswith("by a grid, at most 0.05 points off)")
