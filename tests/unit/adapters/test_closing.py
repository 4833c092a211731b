import pytest

from passfloor.adapters.agent_journal import JournalLines
from passfloor.adapters.closing import Leavings, close
from passfloor.canonical import parse
from passfloor.models.suite import Task
from passfloor.workspaces.capture import CapturedFiles
from passfloor.workspaces.groups import Ended
from passfloor.workspaces.streams import StreamText

QUIET = StreamText("", None, 0)
TASK = Task.model_validate({"id": "t", "description": "d", "assertions": [{"kind": "completed"}]})
EXPECTS_3 = Task.model_validate(
    {"id": "t", "description": "d", "assertions": [{"kind": "exit_code", "expected": 3}]}
)


def ended(exit_code=0, *, number=None, timed_out=False, stdout=QUIET, stderr=QUIET):
    return Ended(exit_code, number, timed_out, stdout, stderr)


def left(process, *, spawn="", capture=None, journal=None, events=()):
    files = CapturedFiles({"a": {"sha256": "0", "size": 0, "text": ""}}, capture)
    return Leavings(process, spawn, files, JournalLines(list(events), journal), 300.0)


def test_a_finished_attempt_has_output_and_artifact_after_its_journal_and_ends_completed():
    events = close(TASK, 5, left(ended(), events=[{"kind": "x", "p": "/f/work"}]), {"/f": "${attempt}"})
    assert events == [
        {"seq": 0, "kind": "task.started", "task_hash": TASK.task_hash, "seed": 5},
        {"seq": 1, "kind": "x", "p": "${attempt}/work"},
        {"seq": 2, "kind": "model.output", "sample": {"stdout": "", "exit_code": 0, "stderr_tail": ""}},
        {"seq": 3, "kind": "model.artifact", "sample": {"a": {"sha256": "0", "size": 0, "text": ""}}},
        {"seq": 4, "kind": "task.completed"},
    ]


@pytest.mark.parametrize(
    ("leavings", "error", "exit_code"),
    [
        (left(None, spawn="no"), {"type": "spawn", "detail": "no"}, None),
        (left(ended(None, timed_out=True)), {"type": "timeout", "detail": "not finished after 300 s"}, None),
        (left(ended(None, number=9)), {"type": "signal", "detail": "signal 9"}, None),
        (left(ended(3)), {"type": "exit", "detail": "exit status 3"}, 3),
        (left(ended(), capture="c"), {"type": "capture", "detail": "c"}, 0),
        (left(ended(), journal="j"), {"type": "journal", "detail": "j"}, 0),
    ],
)
def test_each_way_to_err_is_named(leavings, error, exit_code):
    events = close(TASK, 0, leavings, {})
    assert [event["kind"] for event in events[-3:]] == ["model.output", "model.artifact", "attempt.errored"]
    assert events[-1] == {
        "seq": len(events) - 1,
        "kind": "attempt.errored",
        "error": error,
        "exit_code": exit_code,
    }
    assert events[-3]["sample"]["exit_code"] == exit_code


@pytest.mark.parametrize(
    ("leavings", "kind"),
    [
        (left(None, spawn="s", capture="c", journal="j"), "spawn"),
        (left(ended(None, timed_out=True), capture="c", journal="j"), "timeout"),
        (left(ended(None, number=9), capture="c", journal="j"), "signal"),
        (left(ended(3), capture="c", journal="j"), "exit"),
        (left(ended(), capture="c", journal="j"), "capture"),
    ],
)
def test_the_first_reason_wins(leavings, kind):
    assert close(TASK, 0, leavings, {})[-1]["error"]["type"] == kind


def test_an_exit_status_is_no_error_where_the_task_asserts_one():
    events = close(EXPECTS_3, 0, left(ended(3)), {})
    assert events[-1]["kind"] == "task.completed"
    assert events[-3]["sample"]["exit_code"] == 3


def test_a_signal_is_an_error_though_the_task_asserts_an_exit_status():
    assert close(EXPECTS_3, 0, left(ended(None, number=15)), {})[-1]["error"]["type"] == "signal"


def test_replaced_and_cut_stand_in_the_sample_only_where_they_apply():
    streams = {"stdout": StreamText("�", "aa", 4), "stderr": StreamText("e", None, 9)}
    assert close(TASK, 0, left(ended(**streams)), {})[-3]["sample"] == {
        "stdout": "�",
        "exit_code": 0,
        "stderr_tail": "e",
        "replaced": {"stdout": "aa"},
        "cut": 4,
    }


def test_a_time_out_of_part_of_a_second_is_written_without_noise():
    leavings = Leavings(ended(None, timed_out=True), "", CapturedFiles(), JournalLines(), 0.1 + 0.2)
    assert close(TASK, 0, leavings, {})[-1]["error"]["detail"] == "not finished after 0.3 s"


def test_no_event_of_ours_holds_a_float():
    def floats(value):
        if isinstance(value, dict):
            return [found for item in value.values() for found in floats(item)]
        if isinstance(value, list):
            return [found for item in value for found in floats(item)]
        return [value] if isinstance(value, float) else []

    assert floats(close(TASK, 0, left(ended(None, timed_out=True)), {})) == []
    assert parse(b"1.5").value == floats([1.5])[0]
