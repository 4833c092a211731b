"""A Terminal-Bench trial read as a verdict: ``is_resolved`` decides, ``failure_mode`` is kept beside it."""

from collections.abc import Mapping
from typing import Any

from passfloor.grading.imported.verdicts import Reading, Unreadable, text

NAME = "terminal-bench"

_NO_FAILURE = ("unset", "none")


def read(record: Any, rule: Mapping[str, Any]) -> Reading:  # noqa: ARG001
    """Read one trial, a row of a run's ``results`` or the trial's own ``results.json``.

    Args:
        record: The trial.
        rule: Unused: the source's verdict is a yes, a no or a null.

    Raises:
        Unreadable: no trial, or an ``is_resolved`` that is no boolean and no null.
    """
    if not isinstance(record, dict) or "is_resolved" not in record:
        raise Unreadable("no Terminal-Bench trial: a JSON object with is_resolved was expected")
    mode = text(record.get("failure_mode"))
    word = None if mode in _NO_FAILURE else mode
    resolved = record["is_resolved"]
    if resolved is None:
        return Reading("errored", None, word or "no_verdict")
    if not isinstance(resolved, bool):
        raise Unreadable("is_resolved is neither true, false nor null; correct the file")
    return Reading("passed" if resolved else "wrong", None, word)
