"""What a run will be able to say, before it is paid for."""

from fractions import Fraction

import pytest

from passfloor.comparison.evidence import TaskRow
from passfloor.comparison.forecast import forecast, observed_mix, read_mix
from passfloor.errors import UsageError
from passfloor.stats import WORKED_MIX

TARGET = Fraction(1, 5)


def test_a_mix_is_read_as_exact_shares_and_rates():
    assert read_mix("10:1,4:0.7, 0.5 ,0.25:.2") == [
        (10, 1),
        (4, Fraction(7, 10)),
        (1, Fraction(1, 2)),
        (Fraction(1, 4), Fraction(1, 5)),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        ",",
        "1:",
        ":",
        "x",
        "1:2",
        "1:-0.5",
        "-1:0.5",
        "1:0.5:2",
        "nan",
        "1:nan",
        "0:1",
        "0:0.5,0:1",
        "1e3:0.5",
        "1:70",
        ",".join(["0.5"] * 201),
        "0" * 5000,
    ],
)
def test_a_mix_that_says_nothing_is_refused_on_one_line(text):
    with pytest.raises(UsageError, match=r"^--rates [^\n]*$"):
        read_mix(text)


def test_a_mix_learnt_from_a_receipt_is_what_its_tasks_showed():
    rows = [TaskRow(f"t{i}", "0" * 64, None, 10, passed, 0) for i, passed in enumerate([10, 10, 7, 0])]
    assert list(observed_mix(rows)) == [
        (Fraction(1, 2), 1),
        (Fraction(1, 4), Fraction(7, 10)),
        (Fraction(1, 4), 0),
    ]


def test_the_worked_suite_is_forecast_as_it_turned_out():
    found = forecast(20, 10, 5, WORKED_MIX, target=TARGET)
    assert found.runs.runs == 200
    assert found.thrifty is not None
    assert (found.thrifty.tasks, found.thrifty.n) == (20, 10)
    assert 0.37 < found.width.floor < 0.45, "the bootstrap interval of the worked suite is 40 points wide"
    assert 0.15 < found.width.ceiling < 0.25
    assert found.attempts_needed is None
    assert 80 < found.tasks_needed < 95
    assert float(found.floor) == pytest.approx(0.538, abs=0.0005)
    assert found.detectable.change == pytest.approx(0.3)


def test_the_width_asked_for_is_met_with_the_tasks_named_and_not_with_one_fewer():
    needed = forecast(20, 10, 5, WORKED_MIX, target=TARGET).tasks_needed
    assert forecast(needed, 10, 5, WORKED_MIX, target=TARGET).width.floor <= 0.2
    assert forecast(needed - 1, 10, 5, WORKED_MIX, target=TARGET).width.floor > 0.2


def test_a_gate_is_asked_at_the_agents_own_floor_unless_one_is_named():
    one_kind = [(1, Fraction(7, 10))]
    at_own = forecast(1, 1, 1, one_kind, target=TARGET)
    assert at_own.gate.bar == at_own.floor == Fraction(7, 10)
    assert at_own.gate.chance == pytest.approx(0.7)
    assert forecast(1, 1, 1, one_kind, target=TARGET, bar=Fraction(0)).gate.chance == pytest.approx(1)


def test_five_attempts_tell_usually_from_rarely_and_not_nearly_always_from_usually():
    found = forecast(20, 5, 5, WORKED_MIX, target=TARGET)
    assert found.tells.error < 0.05
    assert found.confuses.error > 0.4
    assert found.attempts_to_tell is not None
    assert found.attempts_to_tell.n > 100


def test_a_bill_that_does_not_pay_for_one_task_by_the_rule_of_thumb_has_no_other_plan():
    assert forecast(1, 5, 5, WORKED_MIX, target=TARGET).thrifty is None


@pytest.mark.parametrize(
    ("tasks", "n", "k", "words"),
    [
        (0, 5, 5, "--tasks 0"),
        (10_001, 5, 5, "--tasks 10001: give at most"),
        (5, 0, 1, "--attempts 0"),
        (5, 501, 5, "--attempts 501: give at most 500"),
        (5, 5, 0, "-k 0"),
        (5, 5, 6, "k=6 > n=5 is not estimable"),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused(tasks, n, k, words):
    with pytest.raises(UsageError, match=words):
        forecast(tasks, n, k, WORKED_MIX, target=TARGET)


def test_the_largest_plan_is_worked_out() -> None:
    assert forecast(10_000, 500, 250, WORKED_MIX, target=TARGET).gate.chance >= 0
