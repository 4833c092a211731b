"""Attempts judged by code that the suite brings."""

import pytest

from passfloor.errors import UsageError
from passfloor.grading import Attested, CannotJudge
from passfloor.running.plan import make_plan
from passfloor.running.runner import Runner, require_graders

CODE = [{"kind": "completed"}, {"kind": "command", "run": "true"}]


@pytest.fixture
def declared(scripted):
    class Declared(type(scripted())):
        """Judged by the task's assertions."""

        declared = True

    return Declared


@pytest.fixture
def coded(suite_of, task_of):
    suite = suite_of("a")
    return suite.model_copy(update={"tasks": [task_of("a", assertions=CODE)]})


def test_a_grader_that_may_run_judges_each_attempt(coded, declared):
    asked = []

    def run_grader(task, attempt, index, evidence):
        asked.append((task.id, attempt, index, evidence.exit_code))
        return attempt == 0

    adapter = declared()
    receipt = Runner(coded, adapter, make_plan(coded, adapter, k=2), run_grader=run_grader).run()
    assert asked == [("a", 0, 1, None), ("a", 1, 1, None)]
    attempts = receipt.task_results[0].attempts
    assert [attempt.outcome for attempt in attempts] == ["passed", "wrong"]
    assert attempts[1].harness_output == {
        "assertions": [{"kind": "completed", "passed": True}, {"kind": "command", "passed": False}]
    }
    assert receipt.graders == {"command": "1", "completed": "1"}


def test_a_grader_without_an_answer_makes_the_attempt_errored(coded, declared):
    def run_grader(task, attempt, index, evidence):
        raise CannotJudge("two answers")

    adapter = declared()
    receipt = Runner(coded, adapter, make_plan(coded, adapter, k=1), run_grader=run_grader).run()
    (attempt,) = receipt.task_results[0].attempts
    assert attempt.outcome == "errored"
    assert attempt.error.model_dump() == {"type": "grader", "detail": "assertions[1]"}


def test_nothing_runs_where_nobody_may_run_the_graders(coded, declared):
    adapter = declared()
    with pytest.raises(UsageError, match="allow it with --run-graders"):
        Runner(coded, adapter, make_plan(coded, adapter, k=1)).run()
    assert adapter.seen == []


def test_a_plan_that_consults_no_assertion_needs_no_grader(coded, declared, scripted):
    Runner(coded, declared(), make_plan(coded, declared(), k=1, completion_only=True)).run()
    require_graders(make_plan(coded, scripted(), k=1), allowed=False)


def test_what_is_neither_pure_nor_code_is_judged_by_nobody(coded, declared, monkeypatch):
    monkeypatch.setattr("passfloor.running.worker.CODE_KINDS", frozenset())
    adapter = declared()
    with pytest.raises(Attested):
        Runner(coded, adapter, make_plan(coded, adapter, k=1), run_grader=lambda *_: True).run()
