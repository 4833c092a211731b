"""Thresholds are exact, and nothing that is not a share from 0 to 1 becomes one."""

from fractions import Fraction

import pytest
from pydantic import TypeAdapter

from passfloor.comparison.thresholds import Threshold, sealed, share, thresholds, unsealed
from passfloor.errors import PassfloorError, UsageError
from passfloor.models.base import Decimal


@pytest.mark.parametrize(
    ("text", "shortest", "value"),
    [
        ("0.7", "0.7", Fraction(7, 10)),
        (".70", "0.7", Fraction(7, 10)),
        ("0", "0", Fraction(0)),
        ("1", "1", Fraction(1)),
        ("1.000", "1", Fraction(1)),
        ("000.5", "0.5", Fraction(1, 2)),
        ("0." + "3" * 62, "0." + "3" * 62, Fraction(int("3" * 62), 10**62)),
    ],
)
def test_a_share_is_the_number_its_digits_say(text, shortest, value):
    assert share(text, "--require") == shortest
    assert Threshold("require", shortest).value == value


@pytest.mark.parametrize(
    "text",
    [
        "70",
        "-0.1",
        "-0",
        "nan",
        "inf",
        "1e400",
        "7e-1",
        "",
        " ",
        ".",
        "1.",
        "0.7 ",
        "+0.7",
        "0,7",
        "70%",
        "1.0001",
        "7/10",
        "0_1",
        "٠.٥",
        "0.7\n",
        "0." + "0" * 64,
    ],
)
def test_what_is_no_decimal_from_0_to_1_is_refused_with_one_line_that_names_it(text):
    with pytest.raises(UsageError) as refused:
        thresholds(require_floor=text)
    message = str(refused.value)
    assert message.startswith("--require-floor ")
    assert ascii(text[:80]) in message
    assert "from 0 to 1" in message
    assert "\n" not in message


def test_what_is_asked_stands_in_the_order_of_the_flags_and_once_a_task():
    asked = thresholds(
        require="1", require_floor=".5", require_task_floor="0.25", must_pass=["b", "a", "b"], max_errored=0
    )
    assert [(each.name, each.asked, each.task_id) for each in asked] == [
        ("require", "1", None),
        ("require_floor", "0.5", None),
        ("require_task_floor", "0.25", None),
        ("must_pass", "1", "b"),
        ("must_pass", "1", "a"),
        ("max_errored", "0", None),
    ]
    assert thresholds() == ()


def test_a_negative_count_is_refused():
    with pytest.raises(UsageError, match="--max-errored -1"):
        thresholds(max_errored=-1)


def test_what_a_plan_seals_is_read_back_as_it_was_asked():
    asked = thresholds(
        require="0.8",
        require_floor="0.50",
        require_task_floor="0",
        must_pass=["a", "must_pass:b"],
        max_errored=12,
    )
    gate = sealed(asked)
    assert gate == {
        "require": "0.8",
        "require_floor": "0.5",
        "require_task_floor": "0",
        "must_pass:a": "1",
        "must_pass:must_pass:b": "1",
        "max_errored": "12",
    }
    assert unsealed(gate) == asked
    assert unsealed(dict(reversed(gate.items()))) == asked
    assert sealed(()) is None


def test_a_plan_takes_what_is_sealed():
    gate = sealed(thresholds(require_floor="0." + "1" * 62, must_pass=["x"], max_errored=3))
    assert TypeAdapter(dict[str, Decimal]).validate_python(gate) == gate


@pytest.mark.parametrize(
    "gate",
    [
        {"floor": "0.9"},
        {"must_pass": "1"},
        {"must_pass:a": "0.5"},
        {"require": "70"},
        {"require": "-0.1"},
        {"require": "0.70"},
        {"require_floor": "-0"},
        {"max_errored": "-1"},
        {"max_errored": "0.5"},
        {"max_errored": "-0"},
    ],
)
def test_a_sealed_gate_that_this_version_cannot_decide_is_no_gate(gate):
    with pytest.raises(PassfloorError, match="give thresholds of your own") as refused:
        unsealed(gate)
    assert "\n" not in str(refused.value)
