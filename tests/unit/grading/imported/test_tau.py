"""Rows of tau-bench and simulations of tau2-bench."""

from fractions import Fraction

import pytest

from passfloor.grading.imported import tau2, tau_bench
from passfloor.grading.imported.verdicts import Unreadable


@pytest.mark.parametrize(
    ("reward", "outcome"),
    [
        (1, "passed"),
        (Fraction("0.9999995"), "passed"),
        (Fraction("1.000001"), "passed"),
        (Fraction("1.0000011"), "wrong"),
        (Fraction("0.999999"), "passed"),
        (Fraction("0.99"), "wrong"),
        (0, "wrong"),
        (2, "wrong"),
    ],
)
def test_a_reward_of_one_within_a_millionth_passes(reward, outcome):
    assert tau_bench.read({"task_id": 0, "reward": reward, "info": {}}, {}).outcome == outcome


def test_a_trial_that_raised_is_errored():
    row = {"task_id": 0, "reward": 0, "info": {"error": "boom", "traceback": "..."}, "traj": []}
    reading = tau_bench.read(row, {})
    assert (reading.outcome, reading.error_text) == ("errored", "boom")
    assert tau_bench.read(row | {"reward": None}, {}).outcome == "errored"


def test_a_reward_of_one_wins_over_an_error():
    reading = tau_bench.read({"task_id": 0, "reward": 1, "info": {"error": "late"}}, {})
    assert (reading.outcome, reading.error_type) == ("passed", "error")


def test_a_threshold_replaces_one():
    row = {"task_id": 0, "reward": Fraction(1, 2)}
    assert tau_bench.read(row, {"threshold": "0.5"}).outcome == "passed"


@pytest.mark.parametrize("record", [[], {"task_id": 0}, {"reward": "1"}, {"reward": "NaN"}, {"reward": True}])
def test_a_row_without_a_reward_is_no_verdict(record):
    with pytest.raises(Unreadable):
        tau_bench.read(record, {})


def simulation(ending, reward, **members):
    info = None if reward is None else {"reward": reward}
    return {"id": "a", "task_id": "0", "termination_reason": ending, "reward_info": info} | members


@pytest.mark.parametrize(
    ("ending", "reward", "outcome", "word"),
    [
        ("user_stop", 1, "passed", None),
        ("agent_stop", 0, "wrong", None),
        ("max_steps", 0, "wrong", "max_steps"),
        ("timeout", 1, "passed", "timeout"),
        ("too_many_errors", 0, "wrong", "too_many_errors"),
        ("agent_error", 0, "wrong", "agent_error"),
        ("context_window_exceeded", 0, "wrong", "context_window_exceeded"),
        ("context_window_exceeded", None, "errored", "context_window_exceeded"),
        ("infrastructure_error", None, "errored", "infrastructure_error"),
        ("infrastructure_error", 0, "errored", "infrastructure_error"),
        ("unexpected_error", 0, "errored", "unexpected_error"),
        ("user_stop", None, "errored", "no reward"),
    ],
)
def test_the_ending_and_the_reward_of_a_simulation_decide(ending, reward, outcome, word):
    reading = tau2.read(simulation(ending, reward), {})
    assert (reading.outcome, reading.error_type) == (outcome, word)


def test_the_message_of_a_simulation_that_broke_is_kept():
    broken = simulation("infrastructure_error", None, info={"error": "no network", "error_type": "OSError"})
    assert tau2.read(broken, {}).error_text == "no network"


@pytest.mark.parametrize("record", [3, {}, {"reward_info": {"reward": "NaN"}}])
def test_what_is_no_simulation_is_no_verdict(record):
    with pytest.raises(Unreadable):
        tau2.read(record, {})


def test_a_row_without_an_error_has_no_error_word():
    reading = tau_bench.read({"task_id": 0, "reward": 0, "info": {"error": ""}}, {})
    assert (reading.outcome, reading.error_type, reading.error_text) == ("wrong", None, None)
    assert tau_bench.read({"task_id": 0, "reward": 0, "info": {"user": "x"}}, {}).error_type is None


def test_a_reward_without_an_ending_decides():
    assert tau2.read({"reward_info": {"reward": 1}}, {}).outcome == "passed"
