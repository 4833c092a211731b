import hashlib
from typing import Any

import pytest

from passfloor.suites import builtin_names, lint, load_suite, read_suite

WORK = {"kind": "content_eq", "path": "out", "expected": "42x"}


def warnings(*assertions: dict[str, Any], **members: Any) -> list[str]:
    task = {"id": "a", "description": "Do it.", "assertions": list(assertions), **members}
    found = lint(read_suite({"version": "v", "tasks": [task]}, folder=None, source="s"))
    assert all("\n" not in warning and warning.startswith("tasks[0]") for warning in found)
    return found


def test_a_task_that_asks_for_work_has_no_warnings() -> None:
    assert warnings(WORK) == []


def test_a_task_that_an_idle_agent_passes_is_warned_about_once() -> None:
    for idle in (
        {"kind": "completed"},
        {"kind": "exit_code", "expected": 0},
        {"kind": "file_absent", "path": "x"},
    ):
        (warning,) = warnings(idle)
        assert "every assertion holds for an agent that does nothing" in warning
        assert warnings(idle, WORK) == []
    assert len(warnings({"kind": "contains", "path": "f", "text": "x"}, files={"f": "x"})) == 1


def test_an_assertion_that_the_starting_file_satisfies_is_warned_about() -> None:
    (warning,) = warnings(WORK, {"kind": "contains", "path": "f", "text": "xyz"}, files={"f": "xyz"})
    assert warning.startswith(
        'tasks[0].assertions[1] (task "a"): contains holds in the starting file "f" already'
    )
    assert warning.endswith("file_sha256")


def test_an_assertion_that_says_what_a_change_must_leave_alone_is_fine() -> None:
    keep = {"kind": "contains", "path": "f", "text": "keep"}
    change = {"kind": "contains", "path": "f", "text": "new"}
    assert warnings(keep, change, files={"f": "keep"}) == []
    assert len(warnings(keep, {**change, "path": "g"}, files={"f": "keep"})) == 1


def test_kinds_that_protect_are_fine() -> None:
    protecting = [
        {"kind": "file_absent", "path": "x"},
        {"kind": "syntax_valid", "path": "f.py"},
        {"kind": "no_symbol", "path": "f.py", "symbol": "g"},
        {"kind": "line_count_delta", "path": "f.py", "max_delta": 0},
        {"kind": "file_sha256", "path": "f.py", "expected": hashlib.sha256(b"x = 1\n").hexdigest()},
        {"kind": "output_not_contains", "text": "no"},
        {"kind": "tool_not_called", "tool": "t"},
        {"kind": "call_count", "tool": "t", "max": 3},
    ]
    assert warnings(WORK, *protecting, files={"f.py": "x = 1\n"}) == []


def test_a_python_assertion_without_a_path_is_about_the_only_python_file() -> None:
    present = {"kind": "symbol_present", "symbol": "f"}
    files = {"m.py": "def f(): pass\n"}
    assert len(warnings(WORK, present, files=files)) == 1
    assert warnings(present, {"kind": "has_docstring", "function": "f", "path": "m.py"}, files=files) == []


@pytest.mark.parametrize(
    "assertion",
    [
        {"kind": "output_equals", "expected": "Paris"},
        {"kind": "output_equals", "expected": "Paris\n"},
        {"kind": "output_contains", "text": "Paris"},
        {"kind": "content_eq", "path": "f", "expected": "Paris\n"},
        {"kind": "json_equals", "expected": "Paris"},
        {"kind": "json_equals", "expected": 1234},
        {"kind": "json_equals", "expected": 12.5},
    ],
)
def test_an_expected_text_that_stands_in_the_prompt_is_warned_about(assertion: dict[str, Any]) -> None:
    (warning,) = warnings(assertion, description="Not Paris, 1234 or 12.5?")
    assert "stands in the prompt" in warning
    assert len(warnings(assertion, steps=["Say Paris, 1234 or 12.5."])) == 1
    assert warnings(assertion) == []


@pytest.mark.parametrize(
    "assertion",
    [
        {"kind": "output_equals", "expected": "yes"},
        {"kind": "json_equals", "expected": True},
        {"kind": "json_equals", "expected": ["yes or true, no or null"]},
        {"kind": "output_not_contains", "text": "or true"},
    ],
)
def test_short_answers_and_truth_values_may_stand_in_the_prompt(assertion: dict[str, Any]) -> None:
    assert not any(
        "prompt" in warning for warning in warnings(assertion, description="yes or true, no or null")
    )


def test_a_grader_that_cannot_judge_the_start_is_no_warning() -> None:
    assert warnings({"kind": "number_close", "value": 0}, {"kind": "json_equals", "expected": ""}) == []


@pytest.mark.parametrize("name", builtin_names())
def test_the_built_in_suites_have_no_warnings(name: str) -> None:
    assert lint(load_suite(name)) == []
