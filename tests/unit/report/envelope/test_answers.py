"""What assertions read, and what they are told to expect."""

import pytest

from passfloor.canonical import digest
from passfloor.grading import evidence_of
from passfloor.grading.registry import GRADERS
from passfloor.models.suite import Task
from passfloor.report.envelope.answers import as_text, capped, failures, label, samples, texts_read

FILES = {"a.txt": {"text": "hello"}, "b.bin": {"base64": "/w=="}, "m.py": {"text": "x = 1\n"}}


def task(*assertions):
    return Task.model_validate({"id": "t", "description": "d", "assertions": list(assertions)})


def evidence(of, stdout="out\n", files=FILES, exit_code=0, tools=()):
    events = [
        *({"kind": "tool.call", "tool": tool} for tool in tools),
        {"kind": "model.output", "sample": {"stdout": stdout, "exit_code": exit_code}},
        {"kind": "model.artifact", "sample": files},
    ]
    return evidence_of(of, events)


def read(*assertions, **given):
    of = task(*assertions)
    return texts_read(of, evidence(of, **given))


def test_texts_are_read_in_the_order_of_the_assertions_each_once():
    contains = {"kind": "contains", "path": "a.txt", "text": "h"}
    output = {"kind": "output_equals", "expected": "out"}
    assert list(read(contains, output, contains).items()) == [("a.txt", "hello"), ("output", "out\n")]
    assert list(read(output, contains)) == ["output", "a.txt"]


def test_where_no_text_is_read_it_is_the_output():
    assert read({"kind": "completed"}, {"kind": "tool_called", "tool": "x"}) == {"output": "out\n"}


def test_a_file_that_is_missing_is_none_and_one_that_is_no_text_is_base64():
    assert read({"kind": "file_exists", "path": "none"}) == {"none": None}
    assert read({"kind": "file_exists", "path": "b.bin"}) == {"b.bin": "/w=="}


def test_the_one_python_file_is_found_and_of_several_none():
    assert read({"kind": "syntax_valid"}) == {"m.py": "x = 1\n"}
    two = {**FILES, "n.py": {"text": ""}}
    assert read({"kind": "syntax_valid"}, files=two) == {"output": "out\n"}


def test_every_kind_of_assertion_reads_the_output_a_file_or_neither():
    from passfloor.report.envelope import answers
    from passfloor.suites.assertions import KINDS

    reads_files = {kind for kind, model in KINDS.items() if "path" in model.model_fields}
    neither = {"completed", "exit_code", "command", "python", "imported"} | answers._READ_TOOLS
    assert reads_files | answers._READ_OUTPUT | neither == set(GRADERS)


def test_the_label_is_the_digest_of_the_canonical_list():
    assert label(["out", None]) == digest(["out", None])
    assert label([1]) != label(["1"])


def test_samples_are_those_of_the_model_alone():
    events = [{"kind": "model.output", "sample": 1}, {"kind": "x", "sample": 2}, {"kind": "model.artifact"}]
    assert samples(events) == [1, None]
    assert [as_text(value) for value in ("a", 1, {"b": None})] == ["a", "1", '{"b": null}']


@pytest.mark.parametrize(
    ("assertion", "given", "expected", "got"),
    [
        ({"kind": "output_equals", "expected": "yes"}, {}, '"yes"', '"out"'),
        ({"kind": "output_equals", "expected": "yes", "exact": True}, {}, None, '"out\\n"'),
        ({"kind": "contains", "path": "a.txt", "text": "x"}, {}, '"x"', 'a.txt: "hello"'),
        ({"kind": "file_exists", "path": "none"}, {}, "", "none: no such file"),
        ({"kind": "exit_code", "expected": 3}, {}, "3", "0"),
        ({"kind": "tool_called", "tool": "search"}, {}, '"search"', "no tool call"),
        ({"kind": "call_count", "tool": "a", "max": 1}, {"tools": "aa"}, 'tool "a", max 1', "calls a, a"),
        ({"kind": "json_path", "pointer": "/a", "expected": 1}, {}, 'pointer "/a", expected 1', '"out"'),
        ({"kind": "syntax_valid"}, {"files": {}}, "", "not one Python file alone"),
    ],
)
def test_a_failing_assertion_says_expected_and_got(assertion, given, expected, got):
    of = task(assertion)
    seen = evidence(of, **given)
    verdicts = {"assertions": [{"kind": assertion["kind"], "passed": False}]}
    (failure,) = failures(of, seen, verdicts)
    assert failure.kind == assertion["kind"]
    assert failure.got == got
    if expected is not None:
        assert failure.expected == expected


def test_assertions_that_held_and_output_of_another_shape_give_no_failure():
    of = task({"kind": "completed"})
    for verdicts in ({"assertions": [{"passed": True}]}, {}, {"assertions": [1]}, {"assertions": []}):
        assert list(failures(of, evidence(of), verdicts)) == []


def test_long_texts_are_capped_and_say_by_how_much():
    assert capped("x" * 5, 5) == "xxxxx"
    assert capped("x" * 7, 5) == "xxxxx... (2 more characters)"
