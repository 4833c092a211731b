"""Which tools the agent called."""

from passfloor.grading.evidence import Evidence
from passfloor.models.assertions import CallCount, ToolCalled, ToolNotCalled


def tool_called(assertion: ToolCalled, evidence: Evidence) -> bool:
    """Whether the tool was called."""
    return assertion.tool in evidence.tool_calls


def tool_not_called(assertion: ToolNotCalled, evidence: Evidence) -> bool:
    """Whether the tool was never called."""
    return assertion.tool not in evidence.tool_calls


def call_count(assertion: CallCount, evidence: Evidence) -> bool:
    """Whether the tool was called at least ``min`` and at most ``max`` times."""
    count = evidence.tool_calls.count(assertion.tool)
    return assertion.min <= count and (assertion.max is None or count <= assertion.max)
