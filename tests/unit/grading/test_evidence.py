"""What graders get to see of an attempt's events."""

from types import MappingProxyType

import pytest

from passfloor.grading import CapturedFile, evidence_of
from passfloor.models.suite import Task

TASK = Task.model_validate({"id": "t", "description": "", "files": {"a": "before"}})


def test_the_last_output_and_artifact_and_every_tool_call_are_taken():
    evidence = evidence_of(
        TASK,
        [
            {"kind": "task.started"},
            {"kind": "tool.call", "tool": "one"},
            {"kind": "model.output", "sample": {"stdout": "early", "exit_code": 1}},
            {"kind": "tool.result", "tool": "no call"},
            {"kind": "tool.call", "tool": "two"},
            {"kind": "model.output", "sample": {"stdout": "late", "exit_code": 0, "stderr_tail": ""}},
            {
                "kind": "model.artifact",
                "sample": {
                    "a": {"sha256": "", "size": 1, "text": "ü"},
                    "b": {"sha256": "", "size": 9, "base64": "/w==", "cut": 8},
                },
            },
            {"kind": "task.completed"},
        ],
    )
    assert evidence.stdout == "late"
    assert not evidence.stdout_cut
    assert evidence.exit_code == 0
    assert evidence.files == {"a": CapturedFile("ü".encode()), "b": CapturedFile(b"\xff", cut=True)}
    assert evidence.tool_calls == ("one", "two")
    assert evidence.starting == {"a": b"before"}


def test_the_agents_own_answer_goes_before_the_replies_of_its_model():
    evidence = evidence_of(
        TASK,
        [
            {"kind": "agent.output", "value": {"stdout": "answer", "exit_code": 0, "cut": 3}},
            {"kind": "agent.artifact", "value": {"x": {"text": ""}}},
            {
                "kind": "model.output",
                "sample": {"status": 200, "said": {}, "text": "reply", "complete": True},
            },
        ],
    )
    assert (evidence.stdout, evidence.stdout_cut, list(evidence.files)) == ("answer", True, ["x"])


@pytest.mark.parametrize(("cut", "expected"), [(0, False), (1, True), (-1, False)])
def test_what_was_cut_by_a_byte_is_cut(cut, expected):
    events = [
        {"kind": "model.output", "sample": {"stdout": "x", "cut": cut}},
        {"kind": "model.artifact", "sample": {name: {name: "", "cut": cut} for name in ("text", "base64")}},
    ]
    evidence = evidence_of(TASK, events)
    assert evidence.stdout_cut is expected
    assert [file.cut for file in evidence.files.values()] == [expected, expected]


def test_events_are_read_whatever_mappings_they_are():
    output = MappingProxyType({"stdout": "x", "exit_code": 3})
    files = MappingProxyType({"a": MappingProxyType({"text": "y"})})
    evidence = evidence_of(
        TASK,
        [
            MappingProxyType({"kind": "model.output", "sample": output}),
            MappingProxyType({"kind": "model.artifact", "sample": files}),
        ],
    )
    assert (evidence.stdout, evidence.exit_code) == ("x", 3)
    assert evidence.files == {"a": CapturedFile(b"y")}


@pytest.mark.parametrize(
    ("assertion", "tools"),
    [
        ({"kind": "tool_called", "tool": "a"}, ("b", "a")),
        ({"kind": "tool_not_called", "tool": "a"}, ("b", "a")),
        ({"kind": "call_count", "tool": "a"}, ("b", "a")),
        ({"kind": "python", "grader": "checks:ok", "files": {"checks.py": ""}}, ("b", "a")),
        ({"kind": "completed"}, ("a",)),
    ],
)
def test_requests_are_read_for_tools_where_an_assertion_looks_at_them(assertion, tools):
    call = {"id": "@0123456789abcdef/0", "function": {"name": "b"}}
    events = [
        {"kind": "tool.call", "tool": "a"},
        {"kind": "model.request", "request": {"messages": [{"tool_calls": [call]}]}},
    ]
    assertions = [{"kind": "completed"}, assertion]
    task = Task.model_validate({"id": "t", "description": "", "assertions": assertions})
    assert evidence_of(task, events).tool_calls == tools


def test_a_plain_text_sample_is_the_output():
    assert evidence_of(TASK, [{"kind": "model.output", "sample": "yes"}]).stdout == "yes"


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"kind": 1},
        {"kind": []},
        "text",
        None,
        {"kind": "model.output"},
        {"kind": "model.output", "sample": 7},
        {"kind": "model.output", "sample": {"stdout": 1, "exit_code": True, "cut": "3"}},
        {"kind": "model.output", "sample": {"exit_code": "1", "cut": True}},
        {"kind": "model.artifact", "sample": []},
        {"kind": "model.artifact", "sample": {"a": "text", "b": {}, "c": {"text": 1}, "d": {"base64": "*"}}},
        {"kind": "model.artifact", "sample": {"a": {"text": "\ud800"}, "b": {"text": "", "base64": ""}}},
        {"kind": "model.artifact", "sample": {"a": {"base64": "ü"}, 3: {"text": ""}}},
        {"kind": "tool.call"},
        {"kind": "tool.call", "tool": 1},
    ],
)
def test_what_has_an_unexpected_shape_counts_as_absent(event):
    evidence = evidence_of(TASK, [event])
    assert (evidence.stdout, evidence.stdout_cut, evidence.exit_code) == ("", False, None)
    assert (evidence.files, evidence.tool_calls) == ({}, ())
