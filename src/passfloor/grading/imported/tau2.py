"""One simulation of a tau2-bench results file."""

from collections.abc import Mapping
from typing import Any

from passfloor.grading.imported.scores import shown
from passfloor.grading.imported.tau_bench import succeeded
from passfloor.grading.imported.verdicts import Reading, Unreadable, number, text, unit

NAME = "tau2"

BROKEN = frozenset({"infrastructure_error", "unexpected_error"})
"""Endings that say nothing of the agent: the attempt is errored."""

_PROPER = frozenset({"user_stop", "agent_stop"})


def read(record: Any, rule: Mapping[str, Any]) -> Reading:
    """Read one simulation.

    A reward of 1 passes, whatever the ending. Otherwise a simulation that broke down is errored, one with a
    reward below 1 is wrong (and keeps its ending as error type unless somebody simply stopped), and one that
    was never rewarded is errored.

    Raises:
        Unreadable: it is no simulation, or neither says how it ended nor has a reward.
    """
    if not isinstance(record, dict):
        raise Unreadable(f"a simulation is a JSON object, here stands {shown(record)}")
    ending = text(record.get("termination_reason"))
    rewards = record.get("reward_info")
    reward = number(rewards.get("reward")) if isinstance(rewards, dict) else None
    if reward is None and ending is None:
        raise Unreadable("the simulation has no reward and no termination_reason; remove or repair it")
    kind = None if ending in _PROPER else ending
    if reward is not None and succeeded(reward, rule):
        return Reading("passed", unit(reward), kind, _message(record))
    if ending in BROKEN or reward is None:
        return Reading("errored", None, kind or "no reward", _message(record))
    return Reading("wrong", unit(reward), kind, _message(record))


def _message(record: Mapping[str, Any]) -> str | None:
    info = record.get("info")
    return text(info.get("error")) if isinstance(info, dict) else None
