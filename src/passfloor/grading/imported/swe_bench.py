"""What a SWE-bench report lists of one instance."""

from collections.abc import Mapping
from typing import Any

from passfloor.grading.imported.scores import shown
from passfloor.grading.imported.verdicts import Reading, Unreadable

NAME = "swe-bench"

WRONG = ("unresolved_ids", "empty_patch_ids", "no_generation", "applied", "no_apply")
"""Lists whose instances were answered, or not answered, badly."""

BROKEN = ("error_ids", "no_logs", "install_fail", "reset_failed", "test_errored", "test_timeout")
"""Lists whose instances came to no verdict."""

RESOLVED = ("resolved_ids", "resolved")


def read(record: Any, rule: Mapping[str, Any]) -> Reading:  # noqa: ARG001 - the form of every reader
    """Read one instance of one report.

    Args:
        record: ``{"instance_id": ..., "listed": [names of the report's lists that hold it]}``, with
            ``implied`` for what being listed nowhere means there; or the report of one instance:
            ``{ID: {"resolved": bool, ...}}``.
        rule: Unused.

    Raises:
        Unreadable: it is neither.
    """
    if not isinstance(record, dict):
        raise Unreadable(f"an instance is a JSON object, here stands {shown(record)}")
    listed = record.get("listed")
    if not isinstance(listed, list):
        return _single(record)
    broken = next((name for name in BROKEN if name in listed), None)
    if any(name in listed for name in RESOLVED):
        return Reading("passed", None, broken)
    if broken is not None:
        return Reading("errored", None, broken)
    poor = next((name for name in WRONG if name in listed), None)
    if poor is None and record.get("implied") != "unresolved":
        raise Unreadable("the report lists the instance nowhere; name the instances with --universe FILE")
    return Reading("wrong", None, None if poor in (None, "unresolved_ids", "applied") else poor)


def _single(record: Mapping[str, Any]) -> Reading:
    found = [report for report in record.values() if isinstance(report, dict)]
    resolved = found[0].get("resolved") if len(found) == 1 else None
    if not isinstance(resolved, bool):
        raise Unreadable("no member 'resolved' that is true or false; give the report.json of one instance")
    return Reading("passed" if resolved else "wrong")
