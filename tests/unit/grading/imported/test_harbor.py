from fractions import Fraction
from typing import Any

import pytest

from passfloor.grading.imported.harbor import read, rewards_of
from passfloor.grading.imported.verdicts import Reading, Unreadable


def trial(rewards: Any = None, **members: Any) -> dict[str, Any]:
    return {"task_name": "t", "verifier_result": {"rewards": rewards}, **members}


def failure(name: str, **policy: bool) -> dict[str, Any]:
    info: dict[str, Any] = {"exception_type": name, "exception_message": "text"}
    return info | {"policy": policy} if policy else info


def test_a_sole_reward_of_one_passes_and_of_zero_is_wrong() -> None:
    assert read(trial({"reward": 1}, reward_valid=True), {}) == Reading("passed", Fraction(1))
    assert read(trial({"reward": Fraction(0)}), {}) == Reading("wrong", Fraction(0))


def test_a_timeout_beside_a_valid_reward_is_kept_and_does_not_overrule_it() -> None:
    record = trial({"reward": 1}, exception_info=failure("AgentTimeoutError", has_valid_reward=True))
    assert read(record, {}) == Reading("passed", Fraction(1), "AgentTimeoutError", "text")


@pytest.mark.parametrize(
    "record",
    [
        trial({"reward": 1}, reward_valid=False, exception_info=failure("ApiError")),
        trial({"reward": 1}, exception_info=failure("ApiError", has_valid_reward=False)),
        trial({"reward": 1}, step_results=[{"exception_info": failure("ApiError", has_valid_reward=False)}]),
    ],
)
def test_a_reward_that_the_file_calls_invalid_is_errored(record: dict[str, Any]) -> None:
    assert read(record, {}) == Reading("errored", None, "ApiError", "text")


def test_a_file_from_before_the_policy_takes_the_reward_beside_an_exception() -> None:
    assert read(trial({"reward": 1}, exception_info=failure("Odd")), {}).outcome == "passed"


@pytest.mark.parametrize("result", [None, {}, {"rewards": None}, {"rewards": {}}, []])
def test_no_reward_is_errored(result: Any) -> None:
    assert read({"task_name": "t", "verifier_result": result}, {}) == Reading("errored", None, "no_reward")


def test_a_cancelled_trial_is_told_apart_from_an_errored_one() -> None:
    assert read(trial(None, exception_info=failure("CancelledError")), {}).outcome == "cancelled"
    assert read(trial(None, exception_info=failure("OSError")), {}).outcome == "errored"


def test_the_reward_of_the_first_releases_is_read() -> None:
    assert read({"task_name": "t", "verifier_result": {"reward": 1}}, {}).outcome == "passed"
    assert read({"task_name": "t", "verifier_result": {"reward": None}}, {}).outcome == "errored"


def test_several_rewards_are_never_guessed() -> None:
    record = trial({"style": 0, "tests": 1})
    with pytest.raises(Unreadable, match=r"2 rewards .*choose one with --scorer"):
        read(record, {})
    assert read(record, {"scorer": "tests"}).outcome == "passed"
    with pytest.raises(Unreadable, match="no reward 'taste' here"):
        read(record, {"scorer": "taste"})


def test_a_fraction_is_no_verdict_without_a_threshold() -> None:
    record = trial({"reward": Fraction(13, 20)})
    with pytest.raises(Unreadable, match=r"0\.65 is no verdict.*--threshold"):
        read(record, {})
    assert read(record, {"threshold": "0.65"}) == Reading("passed", Fraction(13, 20))
    assert read(record, {"threshold": "0.7"}).outcome == "wrong"


@pytest.mark.parametrize("reward", ["NaN", None, True, "1"])
def test_a_reward_that_is_no_number_is_errored(reward: Any) -> None:
    assert read(trial({"reward": reward}), {}) == Reading("errored", None, "reward_not_a_number")


def test_a_score_outside_of_zero_to_one_is_not_kept() -> None:
    assert read(trial({"reward": 7}), {"threshold": "5"}) == Reading("passed", None)


@pytest.mark.parametrize("record", [None, [], "x", {}, {"trial_name": "t"}])
def test_what_is_no_trial_is_refused(record: Any) -> None:
    with pytest.raises(Unreadable, match="no Harbor trial"):
        read(record, {})


def test_what_came_in_the_way_of_a_number_is_kept() -> None:
    record = trial({"reward": "NaN"}, exception_info=failure("ApiError"))
    assert read(record, {}) == Reading("errored", None, "ApiError", "text")


def test_rewards_are_told_by_name() -> None:
    assert rewards_of({"verifier_result": None}) == {}
    assert rewards_of({"verifier_result": {"reward": 1}}) == {"reward": 1}
    assert rewards_of({"verifier_result": {"rewards": {"a": 0}, "reward": 1}}) == {"a": 0}


def test_steps_of_another_shape_have_no_exception() -> None:
    steps = ["x", None, {}, {"exception_info": failure("Odd")}]
    assert read(trial(None, step_results=steps), {}).error_type == "Odd"


def test_a_message_names_eight_rewards_and_forty_characters_of_each() -> None:
    record = trial({**{f"r{number}": 0 for number in range(9)}, "a" * 41: 0})
    with pytest.raises(Unreadable) as raised:
        read(record, {})
    assert "'" + "a" * 40 + "', 'r0'" in str(raised.value)
    assert "'r6')" in str(raised.value)
