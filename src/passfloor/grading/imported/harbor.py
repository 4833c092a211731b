"""A Harbor trial's ``result.json`` read as a verdict.

The reward is judged where the file calls it valid: an exception such as a timeout stands beside it and does
not overrule it. In files from before ``reward_valid`` and the exceptions' ``policy`` a reward beside an
exception is taken as valid.
"""

from collections.abc import Mapping
from typing import Any

from passfloor.grading.imported.scores import settled
from passfloor.grading.imported.verdicts import Reading, Unreadable, number, text, unit

NAME = "harbor"

_CANCELLED = "CancelledError"


def read(record: Any, rule: Mapping[str, Any]) -> Reading:
    """Read one trial.

    Args:
        record: The trial's ``result.json``.
        rule: ``scorer``: which reward, where there are several; ``threshold``: decimal text, the reward from
            which on the trial passed. Without it 1 passes and 0 is wrong.

    Raises:
        Unreadable: no trial result; several rewards and none chosen; a reward that is neither 0 nor 1 and no
            threshold.
    """
    if not isinstance(record, dict) or "task_name" not in record:
        raise Unreadable("no Harbor trial result: a JSON object with task_name was expected")
    errors = exceptions(record)
    kind = text(errors[0].get("exception_type")) if errors else None
    message = text(errors[0].get("exception_message")) if errors else None
    rewards = rewards_of(record)
    if not rewards or not _valid(record, errors):
        cancelled = any(error.get("exception_type") == _CANCELLED for error in errors)
        return Reading("cancelled" if cancelled else "errored", None, kind or "no_reward", message)
    name = _chosen(rewards, rule.get("scorer"))
    value = number(rewards[name])
    if value is None:
        return Reading("errored", None, kind or "reward_not_a_number", message)
    passed = settled(rewards[name], value, rule)
    return Reading("passed" if passed else "wrong", unit(value), kind, message)


def rewards_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The rewards of a trial by name, empty where it has none. The first releases wrote one ``reward``."""
    result = record.get("verifier_result")
    if not isinstance(result, dict):
        return {}
    rewards = result.get("rewards")
    if isinstance(rewards, dict):
        return rewards
    return {"reward": result["reward"]} if result.get("reward") is not None else {}


def exceptions(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The trial's own exception first, then those of its steps in order: steps keep what they handled."""
    steps = record.get("step_results")
    holders = [record, *(steps if isinstance(steps, list) else [])]
    found = [holder.get("exception_info") for holder in holders if isinstance(holder, Mapping)]
    return [info for info in found if isinstance(info, dict)]


def _valid(record: Mapping[str, Any], errors: list[dict[str, Any]]) -> bool:
    told = record.get("reward_valid")
    if isinstance(told, bool):
        return told
    policies = [error.get("policy") for error in errors]
    return not any(isinstance(one, dict) and one.get("has_valid_reward") is False for one in policies)


def _chosen(rewards: Mapping[str, Any], scorer: object) -> str:
    names = ", ".join(ascii(name[:40]) for name in sorted(rewards)[:8])
    if isinstance(scorer, str):
        if scorer not in rewards:
            raise Unreadable(f"no reward {scorer[:40]!a} here, only {names}; name one of them with --scorer")
        return scorer
    if len(rewards) > 1:
        raise Unreadable(f"{len(rewards)} rewards ({names}); choose one with --scorer")
    return next(iter(rewards))
