"""An MCPMark attempt read as a verdict: ``success`` decides.

Two shapes: a task's ``meta.json``, with the verdict under ``execution_result``, and one of the ``runs`` of a
file that was published. An attempt that did not succeed and carries an agent error is errored, unless the
file shows that the verification ran all the same.
"""

import re
from collections.abc import Mapping
from typing import Any

from passfloor.grading.imported.verdicts import Reading, Unreadable, text

NAME = "mcpmark"

_CLASS = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,80}(?:Error|Exception)(?=:|$)", re.ASCII)


def read(record: Any, rule: Mapping[str, Any]) -> Reading:  # noqa: ARG001
    """Read one attempt.

    Args:
        record: A ``meta.json``, or one entry of ``runs``.
        rule: Unused: the source's verdict is a yes or a no.

    Raises:
        Unreadable: no attempt, or a ``success`` that is no boolean.
    """
    result = record.get("execution_result", record) if isinstance(record, dict) else None
    if not isinstance(result, dict) or not isinstance(result.get("success"), bool):
        raise Unreadable("no MCPMark attempt: a JSON object whose success is true or false was expected")
    agent = text(result.get("error_message"))
    kind = _kind(agent) if agent else None
    if result["success"]:
        return Reading("passed", None, kind, agent)
    verified = isinstance(result.get("verification_output"), str)
    crashed = text(result.get("verification_error")) if not verified else None
    if agent and not verified:
        return Reading("errored", None, kind, agent)
    if crashed:
        return Reading("errored", None, "verification_error", crashed)
    return Reading("wrong", None, kind, agent)


def _kind(message: str) -> str:
    found = _CLASS.match(message)
    return found.group() if found else "agent_error"
