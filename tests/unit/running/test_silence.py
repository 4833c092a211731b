"""A run that is to record model calls and records none is stopped after its first task."""

import pytest

from passfloor.errors import UsageError
from passfloor.models.receipt import Attempt
from passfloor.models.suite import Task
from passfloor.running.silence import Silence

TASK = Task.model_validate({"id": "t", "description": "d"})


def attempt(*kinds, task_id="t", error=None):
    events = [{"seq": seq, "kind": kind} for seq, kind in enumerate(kinds)]
    return Attempt.model_construct(
        task_id=task_id, error=error, receipt=type("Receipt", (), {"events": events})
    )


def test_silence_through_all_attempts_of_the_first_task_is_told():
    silence = Silence(TASK, 3)
    for _ in range(2):
        silence.note(attempt("task.started", "agent.output", "task.completed"))
    with pytest.raises(UsageError, match="no model call reached the proxy in 3 attempts of task 't'"):
        silence.note(attempt("task.started"))


@pytest.mark.parametrize("kind", ["model.request", "model.output"])
def test_one_call_is_enough(kind):
    silence = Silence(TASK, 2)
    silence.note(attempt("task.started", kind))
    silence.note(attempt("task.started"))
    silence.note(attempt("task.started"))


def test_attempts_that_errored_say_nothing_by_themselves():
    silence = Silence(TASK, 2)
    for _ in range(2):
        silence.note(attempt("task.started", error={"type": "exit"}))
    mixed = Silence(TASK, 2)
    mixed.note(attempt("task.started", error={"type": "exit"}))
    with pytest.raises(UsageError):
        mixed.note(attempt("task.started"))


def test_other_tasks_and_runs_that_record_nothing_are_not_watched():
    for silence, task_id in ((Silence(TASK, 1), "other"), (Silence(TASK, 1, off=True), "t")):
        silence.note(attempt("task.started", task_id=task_id))
