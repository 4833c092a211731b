from fractions import Fraction
from typing import Any

import pytest

from passfloor.grading.imported.vally import read
from passfloor.grading.imported.verdicts import Reading, Unreadable


def trial(status: Any, grade: Any = None, **members: Any) -> dict[str, Any]:
    return {"type": "trial-result", "status": status, "gradeResult": grade, **members}


def test_the_grade_of_a_trial_that_ended_decides() -> None:
    assert read(trial("success", {"passed": True, "score": 1}), {}) == Reading("passed", Fraction(1))
    assert read(trial("success", {"passed": False, "score": Fraction(9, 10)}), {}).outcome == "wrong"


def test_an_error_and_a_skipped_trial_are_told_apart() -> None:
    assert read(trial("error", None, error="executor failed"), {}) == Reading(
        "errored", None, "error", "executor failed"
    )
    assert read(trial("skipped"), {}) == Reading("cancelled", None, "skipped")


def test_a_threshold_judges_the_score() -> None:
    record = trial("success", {"passed": True, "score": Fraction(1, 2)})
    assert read(record, {"threshold": "0.6"}).outcome == "wrong"
    with pytest.raises(Unreadable, match="no number"):
        read(trial("success", {"passed": True}), {"threshold": "0.6"})


@pytest.mark.parametrize("grade", [None, {}, {"passed": None}, {"passed": 1}, []])
def test_a_trial_that_was_not_graded_is_refused(grade: Any) -> None:
    with pytest.raises(Unreadable, match="has no grade"):
        read(trial("success", grade), {})


@pytest.mark.parametrize("status", [None, "running", 3, []])
def test_a_status_unknown_here_is_refused(status: Any) -> None:
    with pytest.raises(Unreadable, match="none of success, error, skipped"):
        read(trial(status), {})


@pytest.mark.parametrize("record", [None, [], {}, {"type": "run-summary"}])
def test_what_is_no_trial_is_refused(record: Any) -> None:
    with pytest.raises(Unreadable, match="no Vally trial"):
        read(record, {})


def test_values_that_pass_are_compared_with_the_score() -> None:
    record = trial("success", {"passed": False, "score": Fraction(1, 2)})
    assert read(record, {"pass_values": ["0.5"]}).outcome == "passed"
