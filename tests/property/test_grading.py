"""Graders and the outcome rule are total: whatever the evidence, nothing but a verdict comes out."""

import string

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from passfloor.grading import CannotJudge, CapturedFile, Evidence, Verdict, evaluate, grade
from passfloor.grading.registry import GRADERS
from passfloor.models.assertions import CODE_KINDS, Assertion
from passfloor.models.suite import Task

PATHS = ("a.py", "b.py", "notes.txt")
SCHEMA = {"type": ["object", "array", "string"], "pattern": "^(a+)+$", "uniqueItems": True,
          "additionalProperties": {"$ref": "#"}, "items": {"$ref": "#"}}  # fmt: skip
MEMBERS = [
    {"kind": "completed"},
    {"kind": "exit_code", "expected": 0},
    {"kind": "output_equals", "expected": "1"},
    {"kind": "output_contains", "text": "a"},
    {"kind": "output_not_contains", "text": "a"},
    {"kind": "output_matches", "pattern": "^(a|b)*$"},
    {"kind": "number_close", "value": 1.5, "abs_tol": 0.25, "rel_tol": 1e300},
    {"kind": "json_equals", "expected": [1, None, {"a": True}]},
    {"kind": "json_path", "pointer": "/0/a", "expected": 1},
    {"kind": "json_schema", "schema": SCHEMA},
    {"kind": "file_exists", "path": "a.py"},
    {"kind": "file_absent", "path": "a.py"},
    {"kind": "content_eq", "path": "a.py", "expected": "a"},
    {"kind": "contains", "path": "a.py", "text": "a"},
    {"kind": "file_sha256", "path": "a.py", "expected": "0" * 64},
    {"kind": "line_count_delta", "path": "a.py", "max_delta": 0},
    {"kind": "syntax_valid"},
    {"kind": "symbol_present", "symbol": "a.b", "path": "a.py"},
    {"kind": "no_symbol", "symbol": "a", "path": "a.py"},
    {"kind": "no_unused_import", "path": "a.py"},
    {"kind": "has_docstring", "function": "a", "path": "a.py"},
    {"kind": "docstring_contains", "function": "a", "text": "a", "path": "a.py"},
    {"kind": "tool_called", "tool": "a"},
    {"kind": "tool_not_called", "tool": "a"},
    {"kind": "call_count", "tool": "a", "max": 1},
]
ASSERTIONS = TypeAdapter(list[Assertion]).validate_python(MEMBERS)
TASK = Task(id="t", description="", assertions=ASSERTIONS, files={"a.py": "a\n"})

any_text = st.text(st.characters())
json_like = st.text(st.sampled_from('[]{}",:0123456789.eE+-truefalsn NaInfity\\u\n'), max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)
PIECES = ("import a", "from a import b as c", "def a(x: 'B'): 'a'", "class A:", "    ", "\n", "a.b", "=",
          "'\\d'", "global a", "__all__ = ['a']", "(", ")", "lambda: ", "\x00", "@", "async ",
          "match a:", "é", "\ud800")  # fmt: skip
python_like = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
data = st.binary(max_size=40) | python_like.map(lambda text: text.encode(errors="replace"))
evidences = st.builds(
    Evidence,
    stdout=any_text | json_like | st.text(string.digits + "eE.-+ \n", max_size=25),
    stdout_cut=st.booleans(),
    exit_code=st.none() | st.integers(),
    files=st.dictionaries(
        st.sampled_from(PATHS) | any_text, st.builds(CapturedFile, data, st.booleans()), max_size=3
    ),
    tool_calls=st.lists(st.sampled_from("ab") | any_text, max_size=3).map(tuple),
    starting=st.dictionaries(st.sampled_from(PATHS), data, max_size=2),
)

files = st.fixed_dictionaries(
    {},
    optional={
        "text": any_text | python_like | values,
        "base64": json_like | values,
        "cut": values,
        "sha256": values,
    },
)
payloads = (
    values
    | st.fixed_dictionaries({}, optional={"stdout": json_like | values, "exit_code": values, "cut": values})
    | st.dictionaries(st.sampled_from(PATHS), files | values, max_size=3)
)
kinds = st.sampled_from(
    ("task.started", "model.output", "model.artifact", "agent.output", "agent.artifact", "tool.call",
     "task.completed", "attempt.errored")
)  # fmt: skip
errors = values | st.fixed_dictionaries({"type": st.sampled_from(("exit", "odd")), "detail": values})
events = values | st.fixed_dictionaries(
    {"kind": kinds | values},
    optional={"sample": payloads, "value": payloads, "tool": values, "error": errors},
)


def test_the_assertions_tried_here_are_of_every_kind():
    # Those that run code, or read another tool's record, are tried with what they run and read.
    elsewhere = {*CODE_KINDS, "imported"}
    assert {assertion.kind for assertion in ASSERTIONS} == set(GRADERS) - elsewhere


def answer_of(assertion, evidence):
    try:
        return evaluate(assertion, evidence)
    except CannotJudge:
        return "cannot judge"


@settings(max_examples=200, deadline=None)
@given(evidences)
def test_every_grader_answers_yes_or_no_or_that_it_cannot_judge(evidence):
    for assertion in ASSERTIONS:
        answer = answer_of(assertion, evidence)
        assert type(answer) is bool or answer == "cannot judge"
        assert answer_of(assertion, evidence) == answer


@settings(max_examples=200, deadline=None)
@given(
    st.lists(events, max_size=6), st.booleans(), st.sets(st.sampled_from(range(len(ASSERTIONS))), min_size=1)
)
def test_grading_any_events_gives_a_verdict_that_is_consistent(sequence, completion_only, chosen):
    task = TASK.model_copy(update={"assertions": [ASSERTIONS[index] for index in sorted(chosen)]})
    verdict = grade(task, sequence, completion_only=completion_only)
    assert isinstance(verdict, Verdict)
    assert verdict.passed is (verdict.outcome == "passed")
    assert (verdict.error is not None) is (verdict.outcome == "errored")
    if verdict.outcome == "errored":
        assert (verdict.score, verdict.harness_output) == (None, {})
    else:
        assert type(verdict.score) is float
        assert (verdict.score == 1.0) is verdict.passed
