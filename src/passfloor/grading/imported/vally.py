"""A Vally ``trial-result`` row read as a verdict: the grade of a trial that ended, else its status."""

from collections.abc import Mapping
from typing import Any

from passfloor.grading.imported.scores import by_rule
from passfloor.grading.imported.verdicts import Reading, Unreadable, number, text, unit

NAME = "vally"


def read(record: Any, rule: Mapping[str, Any]) -> Reading:
    """Read one row.

    Args:
        record: The row.
        rule: ``threshold``: decimal text, the grade's score from which on the trial passed; without it the
            grade's ``passed`` decides.

    Raises:
        Unreadable: no row, a status unknown here, or a trial that ended and was not graded.
    """
    if not isinstance(record, dict) or record.get("type") != "trial-result":
        raise Unreadable("no Vally trial: a JSON object of type trial-result was expected")
    status = record.get("status")
    if status == "skipped":
        return Reading("cancelled", None, "skipped")
    message = text(record.get("error"))
    grade = record.get("gradeResult")
    if status == "error":
        return Reading("errored", None, "error", message)
    if status != "success":
        raise Unreadable(
            f"the status {str(status)[:40]!a} is none of success, error, skipped; correct the file"
        )
    if not isinstance(grade, dict) or not isinstance(grade.get("passed"), bool):
        raise Unreadable("the trial ended and has no grade (gradeResult.passed); grade the run first")
    score = number(grade.get("score"))
    passed = by_rule(grade.get("score"), score, rule)
    if passed is None:
        passed = grade["passed"]
    return Reading("passed" if passed else "wrong", unit(score))
