"""A test case of a JUnit report, turned into JSON, read as a verdict.

A case that was run again until it passed counts as what its first try came to: a wrong answer that is tried
again is best-of-n, whatever the report calls it.
"""

from collections.abc import Mapping
from typing import Any

from passfloor.grading.imported.verdicts import Reading, Said, Unreadable, text

NAME = "junit"

OUTCOMES: Mapping[str, Said] = {
    "passed": "passed",
    "failure": "wrong",
    "error": "errored",
    "skipped": "cancelled",
}
"""What a case's child element, or its absence, says."""

RETRIED: Mapping[str, Said] = {
    "flakyFailure": "wrong",
    "flakyError": "errored",
    "rerunFailure": "wrong",
    "rerunError": "errored",
}
"""What the elements say that a runner writes for a try after which it tried again."""


def read(record: Any, rule: Mapping[str, Any]) -> Reading:
    """Read one case.

    Args:
        record: ``{"name", "classname", "result", "type", "message", "retries"}``: ``result`` one of
            ``OUTCOMES``, ``retries`` a list of ``{"kind", "type", "message"}``, in the report's order.
        rule: Nothing is read of it.

    Raises:
        Unreadable: it is no such record.
    """
    del rule
    if not isinstance(record, dict) or record.get("result") not in OUTCOMES:
        raise Unreadable("no test case with a result of passed, failure, error or skipped")
    outcome, kind, message = OUTCOMES[record["result"]], record.get("type"), record.get("message")
    retries = record.get("retries")
    if isinstance(retries, list) and retries and isinstance(retries[0], dict) and outcome == "passed":
        first = retries[0]
        outcome = RETRIED.get(str(first.get("kind")), "wrong")
        kind, message = first.get("type") or first.get("kind"), first.get("message")
    if outcome == "passed":
        return Reading("passed")
    if outcome == "wrong":
        # A failure's type is that of the assertion, and no error beside the verdict.
        return Reading("wrong", None, None, text(message) or text(kind))
    return Reading(outcome, None, text(kind) or str(record["result"]), text(message))
