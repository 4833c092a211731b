"""The outcome rule."""

import pytest

from passfloor.errors import UsageError
from passfloor.grading import Verdict, grade
from passfloor.models.suite import Task

HAS = {"kind": "output_contains", "text": "yes"}
HAS_NOT = {"kind": "output_not_contains", "text": "Traceback"}
NUMBER = {"kind": "number_close", "value": 1}


def task(*assertions):
    return Task.model_validate({"id": "t", "description": "", "assertions": list(assertions)})


def events(stdout="", *, exit_code=0, error=None):
    last = {"kind": "task.completed"} if error is None else {"kind": "attempt.errored", "error": error}
    return [
        {"kind": "task.started"},
        {"kind": "model.output", "sample": {"stdout": stdout, "exit_code": exit_code}},
        last,
    ]


def erred(kind, detail):
    return Verdict("errored", False, None, {}, {"type": kind, "detail": detail})


def test_all_assertions_hold():
    assert grade(task(HAS, HAS_NOT), events("yes")) == Verdict(
        "passed",
        True,
        1.0,
        {
            "assertions": [
                {"kind": "output_contains", "passed": True},
                {"kind": "output_not_contains", "passed": True},
            ]
        },
        None,
    )


def test_the_score_is_the_double_nearest_to_the_part_that_holds():
    verdict = grade(task(HAS, HAS_NOT, {"kind": "completed"}), events("no"))
    assert (verdict.outcome, verdict.passed, verdict.score) == ("wrong", False, 2 / 3)
    assert [entry["passed"] for entry in verdict.harness_output["assertions"]] == [False, True, True]


def test_the_empty_output_of_a_crashed_agent_does_not_pass_must_not_contain():
    assert grade(task(HAS_NOT), events("", exit_code=1)) == erred("exit", "exit status 1")
    error = {"type": "signal", "detail": "signal 9"}
    assert grade(task(HAS_NOT), events("", exit_code=None, error=error)) == erred("signal", "signal 9")


def test_an_agent_that_ends_well_with_empty_output_passes_must_not_contain():
    assert grade(task(HAS_NOT), events("")).outcome == "passed"


def test_a_declared_exit_code_is_judged_and_no_error():
    assert grade(task({"kind": "exit_code", "expected": 3}), events(exit_code=3)).outcome == "passed"
    assert grade(task({"kind": "exit_code", "expected": 3}), events(exit_code=1)).outcome == "wrong"
    # True is no exit status.
    assert grade(task({"kind": "completed"}), events(exit_code=True)).outcome == "passed"


def test_only_the_last_event_ends_an_attempt():
    early = [{"kind": "attempt.errored", "error": {"type": "exit", "detail": ""}}, *events("yes")]
    assert grade(task(HAS), early).outcome == "passed"


@pytest.mark.parametrize(
    "error",
    ["text", 5, ["type", "detail"],
     {}, {"type": "exit"}, {"type": "odd", "detail": ""}, {"type": "exit", "detail": 1},
     {"type": [], "detail": ""}, {"type": "timeout", "detail": "", "more": 1}],
)  # fmt: skip
def test_an_error_of_another_shape_becomes_a_plain_one(error):
    assert grade(task(HAS), events("yes", error=error)) == erred("exit", "")


def test_the_first_assertion_that_cannot_be_judged_errs_the_attempt_whatever_the_others_say():
    assert grade(task(HAS, NUMBER, NUMBER), events("NaN")) == erred("grader", "assertions[1]")
    assert grade(task(HAS, NUMBER), events("no")).outcome == "wrong"


def test_completion_alone_passes_without_consulting_assertions():
    expected = Verdict("passed", True, 1.0, {"assertions": []}, None)
    assert grade(task(HAS), events("no"), completion_only=True) == expected
    assert grade(task(), events("no"), completion_only=True) == expected
    crashed = events("no", exit_code=2)
    assert grade(task(), crashed, completion_only=True) == erred("exit", "exit status 2")
    declared = task({"kind": "exit_code", "expected": 0})
    assert grade(declared, crashed, completion_only=True) == erred("exit", "exit status 2")


def test_a_task_without_assertions_is_not_graded():
    with pytest.raises(ValueError, match="no assertions"):
        grade(task(), events("yes"))


def test_a_grader_version_that_is_not_there_is_not_replaced_by_another():
    assert grade(task(HAS), events("yes"), graders={"output_contains": "1"}).passed
    with pytest.raises(UsageError, match="output_contains/7"):
        grade(task(HAS), events("yes"), graders={"output_contains": "7"})
