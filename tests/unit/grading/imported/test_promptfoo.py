from fractions import Fraction
from typing import Any

import pytest

from passfloor.grading.imported.promptfoo import read
from passfloor.grading.imported.verdicts import Reading, Unreadable


def row(success: Any, reason: Any, **members: Any) -> dict[str, Any]:
    return {"success": success, "failureReason": reason, "score": int(bool(success)), **members}


def test_passed_wrong_and_errored() -> None:
    assert read(row(True, 0), {}) == Reading("passed", Fraction(1))
    assert read(row(False, 1, error="expected ok"), {}) == Reading("wrong", Fraction(0), None, "expected ok")
    assert read(row(False, 2, error="503"), {}) == Reading("errored", None, "provider_error", "503")


def test_a_row_from_before_the_reason_tells_an_error_by_its_response() -> None:
    assert read({"success": True}, {}).outcome == "passed"
    assert read({"success": False, "response": {"output": "no"}, "error": "wrong"}, {}).outcome == "wrong"
    assert read({"success": False, "response": {"error": "503"}}, {}).outcome == "errored"


@pytest.mark.parametrize(("success", "reason"), [(True, 1), (True, 2), (False, 0)])
def test_a_row_that_contradicts_itself_is_refused(success: bool, reason: int) -> None:
    with pytest.raises(Unreadable, match="but failureReason is"):
        read(row(success, reason), {})


@pytest.mark.parametrize("reason", [3, -1, True, "0", [], Fraction(1, 2)])
def test_a_reason_unknown_here_is_refused(reason: Any) -> None:
    with pytest.raises(Unreadable, match="is none of 0, 1, 2"):
        read(row(False, reason), {})


def test_a_threshold_judges_the_score_in_place_of_success_and_no_error() -> None:
    record = row(False, 1, score=Fraction(2, 3))
    assert read(record, {"threshold": "0.5"}) == Reading("passed", Fraction(2, 3))
    assert read(record, {"threshold": "0.7"}).outcome == "wrong"
    assert read(row(False, 2, score=1), {"threshold": "0.5"}).outcome == "errored"
    with pytest.raises(Unreadable, match="no number"):
        read(row(False, 1, score="NaN"), {"threshold": "0.5"})


def test_a_named_score_is_judged_where_it_is_asked_for() -> None:
    record = row(True, 0, namedScores={"tone": 0, "facts": Fraction(1, 2)})
    assert read(record, {"scorer": "tone"}) == Reading("wrong", Fraction(0))
    assert read(record, {"scorer": "facts", "threshold": "0.5"}).outcome == "passed"
    with pytest.raises(Unreadable, match="is no verdict"):
        read(record, {"scorer": "facts"})
    with pytest.raises(Unreadable, match="there: 'facts', 'tone'"):
        read(record, {"scorer": "taste"})
    with pytest.raises(Unreadable, match="there: none"):
        read(row(True, 0), {"scorer": "taste"})


@pytest.mark.parametrize("record", [None, [], {}, {"success": 1}, {"success": None}])
def test_what_is_no_row_is_refused(record: Any) -> None:
    with pytest.raises(Unreadable, match="no promptfoo row"):
        read(record, {})


def test_a_message_beside_a_row_that_passed_is_not_kept() -> None:
    assert read(row(True, 0, error="a warning"), {}) == Reading("passed", Fraction(1))


def test_a_row_from_before_the_reason_that_succeeded_passed() -> None:
    assert read({"success": True, "response": {"error": "503, then well"}}, {}).outcome == "passed"


def test_values_that_pass_are_compared_with_the_score() -> None:
    assert read(row(False, 1, score=Fraction(1, 2)), {"pass_values": ["0.5"]}).outcome == "passed"


@pytest.mark.parametrize("named", [["tone"], "taste", {}, 3])
def test_a_row_without_named_scores_names_none(named: Any) -> None:
    with pytest.raises(Unreadable, match="there: none"):
        read(row(True, 0, namedScores=named), {"scorer": "odd"})


def test_a_message_names_eight_scores_and_forty_characters_of_each() -> None:
    named = {**{f"r{number}": 0 for number in range(9)}, "a" * 41: 0}
    with pytest.raises(Unreadable) as raised:
        read(row(True, 0, namedScores=named), {"scorer": "taste"})
    assert "'" + "a" * 40 + "', 'r0'" in str(raised.value)
    assert "'r6')" in str(raised.value)
