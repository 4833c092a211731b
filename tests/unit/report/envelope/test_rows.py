"""Bare rows in place of a receipt."""

import json

import pytest

from passfloor.errors import UsageError
from passfloor.report.envelope import read_rows


def row(task="a", attempt=0, outcome="passed", **more):
    return json.dumps({"task": task, "attempt": attempt, "outcome": outcome, **more}).encode()


def outcomes(lines):
    return {task.task_id: [attempt.outcome for attempt in task.attempts] for task in read_rows(lines)}


def test_rows_may_come_in_any_order_with_blank_lines_between():
    lines = [row("b", 1, "wrong"), b"", row("a", 0), b"  \r\n", row("b", 0), row("a", 1, "errored") + b"\r\n"]
    assert outcomes(lines) == {"b": ["passed", "wrong"], "a": ["passed", "errored"]}


def test_tasks_stand_where_they_first_appear():
    assert [task.position for task in read_rows([row("b"), row("a")])] == [0, 1]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "no rows"),
        ([b"\n", b"\n"], "no rows"),
        ([row(), b"{"], "line 2 is no JSON object"),
        ([b'{"task":"a","task":"a","attempt":0,"outcome":"passed"}'], "line 1 is no JSON object"),
        ([b"[]"], "line 1: this is no object"),
        ([b'{"task":"a","attempt":0}'], "line 1: 'outcome' is missing"),
        ([row(score=1)], "line 1: 'score' is not known"),
        ([row(task=1)], "line 1: a task is a text of 1 to 200 characters"),
        ([row(task="")], "line 1: a task is a text"),
        ([row(task="x" * 201)], "line 1: a task is a text"),
        ([row(attempt=True)], "line 1: attempt 'True' is no whole number from 0 to 9999"),
        ([row(attempt=-1)], "line 1: attempt '-1' is no whole number"),
        ([row(attempt=1.0)], "line 1: attempt '1.0' is no whole number"),
        ([row(attempt=10_000)], "line 1: attempt '10000' is no whole number"),
        ([row(outcome="P")], "line 1: outcome 'P': say passed, wrong, errored"),
        ([row(outcome=None)], "line 1: outcome 'None': say passed, wrong, errored"),
        ([row(), row(attempt=1), row()], "line 3: attempt 0 of task 'a' is there twice"),
        ([row("b"), row(attempt=0), row(attempt=2)], "line 2: task 'a' lacks attempt 1"),
        ([row(attempt=1)], "line 1: task 'a' lacks attempt 0"),
        ([row(), row("b"), row(attempt=1)], "line 2: task 'b' has 1 attempts, 'a' has 2"),
    ],
)
def test_what_is_no_whole_set_of_attempts_is_refused_with_its_line(lines, words):
    with pytest.raises(UsageError) as caught:
        read_rows(lines)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unhashable_outcome_is_refused_like_any_other():
    with pytest.raises(UsageError, match="line 1"):
        read_rows([row(outcome=["passed"])])


def test_too_many_tasks_are_refused():
    with pytest.raises(UsageError, match=r"line 10001: more than 10000 tasks"):
        read_rows(row(f"t{i}") for i in range(10_001))
