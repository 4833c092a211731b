"""One row of a tau-bench results file."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from passfloor.grading.imported.scores import by_rule, shown
from passfloor.grading.imported.verdicts import Reading, Unreadable, number, text, unit

NAME = "tau-bench"

TOLERANCE = Fraction(1, 1_000_000)
"""A reward this near to 1 is a success, as the tool itself has it."""


def read(record: Any, rule: Mapping[str, Any]) -> Reading:
    """Read one trial of one task.

    A reward of 1 passes, whatever else is said. A row with ``info.error`` is errored: the tool writes it,
    with a reward of 0, for a trial that raised.

    Raises:
        Unreadable: it is no row, or has no reward.
    """
    if not isinstance(record, dict):
        raise Unreadable(f"a row is a JSON object, here stands {shown(record)}")
    info = record.get("info")
    error = info.get("error") if isinstance(info, dict) else None
    reward = number(record.get("reward"))
    if reward is None and not error:
        raise Unreadable(f"the reward {shown(record.get('reward'))} is no number; remove or repair the row")
    passes = reward is not None and succeeded(reward, rule)
    kind, message = ("error", text(error)) if error else (None, None)
    if error and not passes:
        return Reading("errored", None, kind, message)
    return Reading("passed" if passes else "wrong", unit(reward), kind, message)


def succeeded(reward: Fraction, rule: Mapping[str, Any]) -> bool:
    """Whether a reward is a success: by the rule's threshold or, where there is none, by being 1."""
    passes = by_rule(reward, reward, rule)
    return abs(reward - 1) <= TOLERANCE if passes is None else passes
