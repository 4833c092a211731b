from typing import Any

import pytest

from passfloor.grading.imported.mcpmark import read
from passfloor.grading.imported.verdicts import Reading, Unreadable

BAD_REQUEST = "litellm.BadRequestError: Input tokens exceed the limit"


def meta(success: Any, **members: Any) -> dict[str, Any]:
    return {"task_name": "a__b", "execution_result": {"success": success, **members}}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"success": True, "error_message": None}, Reading("passed")),
        ({"success": False, "error_message": None}, Reading("wrong")),
        (
            {"success": True, "error_message": BAD_REQUEST},
            Reading("passed", None, "litellm.BadRequestError", BAD_REQUEST),
        ),
        (
            {"success": False, "error_message": BAD_REQUEST},
            Reading("errored", None, "litellm.BadRequestError", BAD_REQUEST),
        ),
        (
            {"success": False, "error_message": "Github Authentication failed"},
            Reading("errored", None, "agent_error", "Github Authentication failed"),
        ),
    ],
)
def test_a_run_of_a_published_file(record: dict[str, Any], expected: Reading) -> None:
    assert read(record, {}) == expected


def test_a_verification_that_ran_makes_a_failure_a_wrong_answer() -> None:
    record = meta(False, error_message=BAD_REQUEST, verification_output="no page found")
    assert read(record, {}).outcome == "wrong"
    assert read(record, {}).error_type == "litellm.BadRequestError"
    assert read(meta(False, error_message=BAD_REQUEST, verification_output=None), {}).outcome == "errored"


def test_a_verification_that_broke_is_errored() -> None:
    record = meta(False, error_message=None, verification_error="timed out", verification_output=None)
    assert read(record, {}) == Reading("errored", None, "verification_error", "timed out")
    judged = meta(False, error_message=None, verification_error="assert 1 == 2", verification_output="")
    assert read(judged, {}).outcome == "wrong"


@pytest.mark.parametrize(
    "record", [None, [], {}, {"success": None}, {"success": "true"}, meta(1), {"execution_result": 3}]
)
def test_what_is_no_verdict_is_refused(record: Any) -> None:
    with pytest.raises(Unreadable, match="no MCPMark attempt"):
        read(record, {})
