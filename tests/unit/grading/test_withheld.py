"""Evidence of which a part was taken out: what is about that part is somebody's word, the rest is judged."""

import pytest
from pydantic import TypeAdapter

from passfloor.grading import Attested, evidence_of, grade
from passfloor.grading.withheld import check_held
from passfloor.models.assertions import Assertion
from passfloor.models.suite import Task

ASSERTION = TypeAdapter(Assertion)
GONE, OTHER = "a" * 64, "b" * 64
TASK = {"id": "t", "description": ""}


def task(*assertions):
    return Task.model_validate({**TASK, "assertions": list(assertions)})


def left(**texts):
    files = {name.replace("_", "."): {"text": text} for name, text in texts.items()}
    return {"kind": "model.artifact", "sample": files}


def asked(*messages, **members):
    return {"kind": "model.request", "request": {"messages": list(messages), **members}}


def evidence(*events, removed=(GONE,)):
    return evidence_of(task({"kind": "tool_called", "tool": "a"}), list(events), frozenset(removed))


def held(found, **members):
    try:
        check_held(ASSERTION.validate_python(members), found)
    except Attested:
        return False
    return True


def test_a_file_that_was_taken_out_stands_there_without_content():
    found = evidence(left(a_py={"blob": GONE}, b_py="b", c_py={"blob": OTHER}))
    assert found.withheld
    assert found.withheld_files == {"a.py"}
    assert set(found.files) == {"a.py", "b.py"}
    assert found.files["a.py"].data == b""
    assert not found.withheld_calls


def test_where_nothing_was_taken_out_nothing_is_withheld():
    events = [left(a_py={"blob": GONE}), asked({"blob": GONE})]
    for found in (evidence(*events, removed=()), evidence(*events, removed=[OTHER])):
        assert not found.withheld
        assert (found.withheld_files, found.withheld_calls, found.files) == (frozenset(), False, {})


@pytest.mark.parametrize("artifact", [None, "x", [{"text": {"blob": GONE}}], {"a": {"blob": GONE}, "b": "c"}])
def test_an_artifact_of_another_shape_withholds_no_file(artifact):
    assert not evidence({"kind": "model.artifact", "sample": artifact}).withheld


@pytest.mark.parametrize(
    "event",
    [asked({"role": "user"}, {"blob": GONE}), asked(tools={"blob": GONE}), asked(system={"blob": GONE})],
)
def test_a_part_of_a_request_that_was_taken_out_withholds_calls(event):
    found = evidence(asked(), event, {"kind": "task.completed"})
    assert (found.withheld, found.withheld_calls, found.withheld_files) == (True, True, frozenset())


def test_what_looks_like_a_request_elsewhere_withholds_nothing():
    assert not evidence(
        {"kind": "tool.call", "request": {"messages": [{"blob": GONE}]}}, "text", None
    ).withheld


def test_assertions_on_a_file_are_judged_where_it_is_at_hand():
    found = evidence(left(a_txt={"blob": GONE}, b_txt="b"))
    assert not held(found, kind="contains", path="a.txt", text="b")
    assert held(found, kind="contains", path="b.txt", text="b")
    assert not held(found, kind="file_sha256", path="a.txt", expected="0" * 64)
    assert held(found, kind="output_equals", expected="")
    assert held(found, kind="completed")


def test_that_a_file_was_cut_is_told_without_its_content():
    cut = {"kind": "model.artifact", "sample": {"a.py": {"text": {"blob": GONE}, "cut": 3}}}
    assert held(evidence(cut), kind="contains", path="a.py", text="b")
    assert held(evidence(cut), kind="syntax_valid")
    whole = {**cut["sample"], "b.py": {"text": {"blob": GONE}}}
    assert not held(evidence({**cut, "sample": whole}), kind="syntax_valid")
    judged = task({"kind": "contains", "path": "a.py", "text": "b"})
    verdict = grade(judged, [cut, {"kind": "task.completed"}], removed=frozenset({GONE}))
    assert (verdict.outcome, verdict.error) == ("errored", {"type": "grader", "detail": "assertions[0]"})


@pytest.mark.parametrize("kind", ["file_exists", "file_absent"])
def test_that_a_file_exists_is_told_without_its_content(kind):
    assert held(evidence(left(a_txt={"blob": GONE})), kind=kind, path="a.txt")


def test_the_only_source_is_at_hand_unless_a_python_file_was_taken_out():
    assert held(evidence(left(a_txt={"blob": GONE}, b_py="b")), kind="syntax_valid")
    assert not held(evidence(left(a_py={"blob": GONE}, b_py="b")), kind="syntax_valid")
    assert held(evidence(left(a_py={"blob": GONE}, b_py="b")), kind="syntax_valid", path="b.py")


@pytest.mark.parametrize(
    "members",
    [
        {"kind": "tool_called", "tool": "a"},
        {"kind": "tool_not_called", "tool": "a"},
        {"kind": "call_count", "tool": "a"},
        {"kind": "python", "grader": "checks:ok"},
    ],
)
def test_assertions_on_calls_need_the_whole_conversation(members):
    assert held(evidence(left(a_txt={"blob": GONE})), **members)
    assert not held(evidence(asked({"blob": GONE})), **members)
    assert held(evidence(asked({"blob": GONE})), kind="contains", path="a", text="b")


def test_somebody_is_asked_about_what_was_taken_out_and_about_nothing_else():
    asked_about = []

    def elsewhere(index, assertion, found):
        asked_about.append((index, assertion.kind, found.withheld_files))
        return True

    judged = task(
        {"kind": "contains", "path": "b.txt", "text": "b"}, {"kind": "contains", "path": "a.txt", "text": "z"}
    )
    events = [left(a_txt={"blob": GONE}, b_txt="b"), {"kind": "task.completed"}]
    removed = frozenset({GONE})
    assert grade(judged, events, elsewhere=elsewhere, removed=removed).outcome == "passed"
    assert asked_about == [(1, "contains", {"a.txt"})]
    with pytest.raises(Attested):
        grade(judged, events, removed=removed)
