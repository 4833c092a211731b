from typing import Any

import pytest

from passfloor.errors import SuiteError
from passfloor.suites.assertions import KINDS, check_assertions
from passfloor.suites.places import Place

PLACE = Place("s.yaml", "tasks[3].assertions", "a")

GOOD: list[dict[str, Any]] = [
    {"kind": "completed"},
    {"kind": "exit_code", "expected": 3},
    {"kind": "output_equals", "expected": "", "exact": True},
    {"kind": "output_contains", "text": "x"},
    {"kind": "output_not_contains", "text": "x"},
    {"kind": "output_matches", "pattern": "^a+$"},
    {"kind": "number_close", "value": 1.5, "abs_tol": 1},
    {"kind": "json_equals", "expected": None},
    {"kind": "json_path", "pointer": "/a~1b/0/", "expected": [1]},
    {"kind": "json_schema", "schema": True},
    {"kind": "file_exists", "path": "a/b"},
    {"kind": "file_absent", "path": "a"},
    {"kind": "content_eq", "path": "a", "expected": ""},
    {"kind": "contains", "path": "a", "text": "x"},
    {"kind": "file_sha256", "path": "a", "expected": "0" * 64},
    {"kind": "line_count_delta", "path": "a", "max_delta": -3},
    {"kind": "syntax_valid"},
    {"kind": "symbol_present", "symbol": "f", "path": "a.py"},
    {"kind": "no_symbol", "symbol": "f"},
    {"kind": "no_unused_import", "path": None},
    {"kind": "has_docstring", "function": "f"},
    {"kind": "docstring_contains", "function": "f", "text": "x"},
    {"kind": "tool_called", "tool": "t"},
    {"kind": "tool_not_called", "tool": "t"},
    {"kind": "call_count", "tool": "t", "min": 1, "max": 1},
    {
        "kind": "command",
        "argv": ["sh", "t.sh"],
        "files": {"t.sh": "exit 0"},
        "answer_file": "a",
        "timeout_s": 1.5,
    },
    {"kind": "python", "grader": "checks.units:ok"},
    {"kind": "imported", "importer": "rows", "rule": {"outcome": "outcome"}},
]


def refusal(entry: object) -> str:
    with pytest.raises(SuiteError) as caught:
        check_assertions([{"kind": "completed"}, entry], PLACE)
    message = str(caught.value)
    assert message.startswith("s.yaml: tasks[3].assertions[1]")
    assert '(task "a"): ' in message
    assert "\n" not in message
    assert message.isascii()
    assert len(message) < 900
    return message


def test_every_kind_has_a_good_example_here() -> None:
    assert [entry["kind"] for entry in GOOD] == list(KINDS)
    check_assertions(GOOD, PLACE)


def test_an_unknown_kind_is_refused_with_the_nearest() -> None:
    assert 'unknown assertion kind "output_contain" (did you mean "output_contains"?)' in refusal(
        {"kind": "output_contain", "text": "x"}
    )


@pytest.mark.parametrize("kind", [5, None, [], "", "zzzz"])
def test_a_kind_that_is_none_lists_the_kinds(kind: object) -> None:
    message = refusal({"kind": kind})
    assert "unknown assertion kind" in message
    assert "(known: call_count, command, completed," in message


def test_an_unknown_member_is_refused_with_the_nearest() -> None:
    assert 'assertion content_eq has no member "expect" (did you mean "expected"?)' in refusal(
        {"kind": "content_eq", "path": "a", "expect": "x"}
    )


def test_the_inner_name_of_a_member_is_not_its_name() -> None:
    assert 'no member "schema_" (did you mean "schema"?)' in refusal({"kind": "json_schema", "schema_": True})


def test_a_missing_member_is_named() -> None:
    assert "assertion content_eq needs the member 'expected'" in refusal({"kind": "content_eq", "path": "a"})
    assert "the member 'kind' is missing" in refusal({"path": "a"})


@pytest.mark.parametrize("entry", [None, "completed", [], 5])
def test_an_assertion_is_a_mapping(entry: object) -> None:
    assert "write a mapping with 'kind'" in refusal(entry)


@pytest.mark.parametrize(
    ("entry", "member", "words"),
    [
        (
            {"kind": "content_eq", "path": "a", "expected": 5},
            "expected",
            "5 is not allowed here: write a text",
        ),
        ({"kind": "number_close", "value": "5"}, "value", "write a number"),
        ({"kind": "number_close", "value": True}, "value", "write a number"),
        ({"kind": "number_close", "value": 1, "abs_tol": -1}, "abs_tol", "greater than or equal to 0"),
        ({"kind": "exit_code", "expected": True}, "expected", "write a whole number"),
        ({"kind": "exit_code", "expected": 256}, "expected", "less than or equal to 255"),
        ({"kind": "output_contains", "text": ""}, "text", "at least 1 character"),
        ({"kind": "json_schema", "schema": []}, "schema", "write a mapping"),
        ({"kind": "file_sha256", "path": "a", "expected": "A" * 64}, "expected", "pattern"),
        ({"kind": "call_count", "tool": "t", "max": -1}, "max", "greater than or equal to 0"),
        ({"kind": "file_exists", "path": "../x"}, "path", "leaves the working directory"),
        ({"kind": "file_exists", "path": "/x"}, "path", "is absolute"),
        ({"kind": "syntax_valid", "path": "a//b.py"}, "path", "plainest form"),
    ],
)
def test_a_bad_member_is_refused_at_its_place(entry: dict[str, Any], member: str, words: str) -> None:
    message = refusal(entry)
    assert f"assertions[1].{member} (task" in message
    assert words in message


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"(a)\1", "[", "a{2000}", "*"])
def test_a_pattern_that_is_not_re2_is_refused(pattern: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert "the pattern is not RE2" in refusal({"kind": "output_matches", "pattern": pattern})
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("pointer", ["a", "#/a", "/~", "/a~2", "/~1~"])
def test_a_pointer_that_is_not_rfc_6901_is_refused(pointer: str) -> None:
    assert "RFC 6901" in refusal({"kind": "json_path", "pointer": pointer, "expected": 1})


@pytest.mark.parametrize("pointer", ["", "/", "//", "/~0~1", "/a b/\n/é"])
def test_every_rfc_6901_pointer_is_accepted(pointer: str) -> None:
    check_assertions([{"kind": "json_path", "pointer": pointer, "expected": 1}], PLACE)


def test_a_call_count_without_a_bound_is_refused() -> None:
    assert "needs 'min' or 'max'" in refusal({"kind": "call_count", "tool": "t"})
    assert "needs 'min' or 'max'" in refusal({"kind": "call_count", "tool": "t", "max": None})


def test_a_call_count_that_no_number_satisfies_is_refused() -> None:
    assert "min 3 is above max 2" in refusal({"kind": "call_count", "tool": "t", "min": 3, "max": 2})


@pytest.mark.parametrize("bounds", [{"min": 0}, {"max": 0}, {"min": 2, "max": 2}, {"min": 1, "max": None}])
def test_a_call_count_with_a_bound_is_accepted(bounds: dict[str, Any]) -> None:
    check_assertions([{"kind": "call_count", "tool": "t", **bounds}], PLACE)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "strng"}, "draft 2020-12"),
        ({"properties": {"a": {"minLength": -1}}}, "$.properties.a.minLength"),
        ({"$ref": "https://example.com/x"}, "leads out of the schema"),
        ({"properties": {"a": {"$ref": "other.json#/a"}}}, "leads out of the schema"),
        ({"$dynamicRef": "x"}, "leads out of the schema"),
        ({"$ref": "#/$defs/a"}, "leads nowhere"),
        ({"$ref": "#anchor"}, "leads nowhere"),
        ({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"b": True}}, "leads nowhere"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "$schema is not"),
        ({"pattern": "(?=a)"}, "RE2"),
        ({"items": {"properties": {"const": {"pattern": "(?=a)"}}}}, "RE2"),
        ({"patternProperties": {"(": {}}}, "RE2"),
        ({"$defs": {"a": {"$id": "b"}}}, "$id"),
    ],
)
def test_a_schema_that_could_not_be_judged_is_refused(schema: dict[str, Any], words: str) -> None:
    assert words in refusal({"kind": "json_schema", "schema": schema})


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"},
        {"$id": "urn:x", "$ref": "#/$defs/a", "$defs": {"a": {"type": "string", "pattern": "^a"}}},
        {"$defs": {"a": {"$anchor": "here"}}, "items": {"$ref": "#here"}},
        {"properties": {"next": {"$ref": "#"}}},
        {"enum": [{"type": 5}]},
        {"pattern": r"\pL\z", "patternProperties": {"[[a]": {}}},
        {"properties": {"pattern": {"type": "string"}, "$ref": {"type": "string"}}},
    ],
)
def test_a_sound_schema_is_accepted(schema: Any) -> None:
    check_assertions([{"kind": "json_schema", "schema": schema}], PLACE)


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({}, "needs exactly one of 'argv' (words) and 'run'"),
        ({"argv": ["a"], "run": "a"}, "needs exactly one of 'argv' (words) and 'run'"),
        ({"argv": []}, "argv"),
        ({"argv": "pytest -q"}, "argv"),
        ({"argv": ["a\0b"]}, "argv"),
        ({"run": "a", "timeout_s": 0}, "timeout_s"),
        ({"run": "a", "timeout_s": 3601}, "timeout_s"),
        ({"run": "a", "answer_file": "../a"}, "leaves the working directory"),
        ({"run": "a", "answer_file": "a", "files": {"a": ""}}, "is one of 'files' as well"),
        ({"run": "a", "comand": "b"}, "has no member"),
    ],
)
def test_a_command_that_could_not_be_run_is_refused(members: dict[str, Any], said: str) -> None:
    assert said in refusal({"kind": "command", **members})


@pytest.mark.parametrize(
    ("grader", "said"),
    [
        ("checks", "grader"),
        ("checks:", "grader"),
        ("checks:a:b", "grader"),
        ("che cks:a", "grader"),
        (".checks:a", "grader"),
        ("json:loads", "is a module of Python's own; rename the file"),
        ("os.path:exists", "is a module of Python's own; rename the file"),
    ],
)
def test_a_function_that_could_not_be_called_is_refused(grader: str, said: str) -> None:
    assert said in refusal({"kind": "python", "grader": grader})
