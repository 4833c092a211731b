"""The record of another tool, read again for what it says."""

from passfloor.grading.evidence import Evidence
from passfloor.grading.imported import READERS, Reading, Unreadable, read_record
from passfloor.grading.unjudged import Attested, CannotJudge, DidNotFinish
from passfloor.models.assertions import Imported

SLIM = "its record is kept as a digest alone"
"""Why the sealed verdict is its signer's word."""

_LONGEST_DETAIL = 300


def imported(assertion: Imported, evidence: Evidence) -> bool:
    """Whether the record says that the attempt passed.

    Raises:
        DidNotFinish: it says that the attempt errored, or was cancelled.
        CannotJudge: it gives no verdict.
        Attested: the record is not at hand.
    """
    if not evidence.stdout:
        raise Attested(SLIM)
    if assertion.importer not in READERS:
        raise CannotJudge(f"no importer is called {assertion.importer!a}")
    try:
        reading = read_record(assertion.importer, assertion.rule, evidence.stdout)
    except Unreadable as reason:
        raise CannotJudge(str(reason)) from None
    error = error_of(reading)
    if error is not None:
        raise DidNotFinish(error)
    return reading.outcome == "passed"


def error_of(reading: Reading) -> dict[str, str] | None:
    """The error of an attempt that did not finish: its type, and the source's own words; else None."""
    if reading.outcome not in {"errored", "cancelled"}:
        return None
    words = ": ".join(text for text in (reading.error_type, reading.error_text) if text)
    detail = words.encode(errors="backslashreplace").decode()[:_LONGEST_DETAIL]
    return {"type": "source" if reading.outcome == "errored" else "cancelled", "detail": detail}
