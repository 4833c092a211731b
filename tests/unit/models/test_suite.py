"""What a task hash and a suite hash cover, recomputed with hashlib and rfc8785 alone."""

import base64
import hashlib

import pytest
import rfc8785
from pydantic import ValidationError

from passfloor.models.suite import Suite, Task, hash_suite

TASK = {
    "id": "t",
    "description": "do it\r\n",
    "assertions": [{"kind": "output_equals", "expected": "x"}],
    "files": {"b.txt": "é\n", "a.bin": {"base64": base64.b64encode(b"\xff\0").decode()}},
}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def task(**changed) -> Task:
    return Task.model_validate({**TASK, **changed})


def test_the_task_hash_is_over_the_task_as_read_with_its_files_by_digest():
    plain = {**TASK, "files": {"b.txt": sha("é\n".encode()), "a.bin": sha(b"\xff\0")}}
    assert task().task_hash == sha(rfc8785.dumps(plain))
    assert task().file_bytes == {"b.txt": "é\n".encode(), "a.bin": b"\xff\0"}


def test_members_left_unset_are_absent_and_an_explicit_empty_list_stays():
    bare = {"id": "t", "description": "d"}
    assert Task.model_validate(bare).task_hash == sha(rfc8785.dumps(bare))
    for name, value in [("steps", []), ("tags", []), ("assertions", []), ("category", None), ("files", {})]:
        explicit = {**bare, name: value}
        assert Task.model_validate(explicit).task_hash == sha(rfc8785.dumps(explicit))


def test_defaults_of_an_assertion_do_not_enter_the_hash():
    explicit = task(assertions=[{"kind": "output_equals", "expected": "x", "exact": False}])
    assert explicit.assertions == task().assertions
    assert explicit.task_hash != task().task_hash


def test_a_member_whose_name_is_taken_in_python_keeps_its_own():
    schema = [{"kind": "json_schema", "schema": {"type": "object"}}]
    plain = {"id": "t", "description": "d", "assertions": schema}
    assert Task.model_validate(plain).document() == plain
    assert Task.model_validate(plain).task_hash == sha(rfc8785.dumps(plain))


def test_the_order_of_members_and_files_does_not_count():
    turned = {name: TASK[name] for name in reversed(TASK)}
    turned["files"] = dict(reversed(TASK["files"].items()))
    assert Task.model_validate(turned).task_hash == task().task_hash


def test_text_and_the_same_bytes_in_base64_are_one_file():
    one, other = task(files={"a": "x"}), task(files={"a": {"base64": "eA=="}})
    assert one.task_hash == other.task_hash


def test_one_number_has_one_hash_however_it_is_written():
    assert task(timeout_s=60).task_hash == task(timeout_s=60.0).task_hash != task(timeout_s=60.5).task_hash


@pytest.mark.parametrize(
    "change",
    [
        {"id": "T"},
        {"description": "do it\n"},
        {"steps": ["one"]},
        {"assertions": [{"kind": "output_equals", "expected": "y"}]},
        {"assertions": [{"kind": "output_contains", "text": "x"}]},
        {"assertions": TASK["assertions"] * 2},
        {"category": "c"},
        {"files": {"b.txt": "é\n"}},
        {"files": {**TASK["files"], "b.txt": "é"}},
        {"timeout_s": 1},
        {"tags": ["x"]},
        {"cluster": "c"},
    ],
)
def test_whatever_is_changed_changes_the_hash(change):
    assert task(**change).task_hash != task().task_hash


@pytest.mark.parametrize(
    "change",
    [
        {"id": 1},
        {"steps": "one"},
        {"steps": [1]},
        {"timeout_s": 0},
        {"timeout_s": -1},
        {"timeout_s": True},
        {"timeout_s": float("inf")},
        {"timeout_s": float("nan")},
        {"files": {"a": 1}},
        {"files": {"a": {"base64": "eA==", "text": "x"}}},
        {"assertions": [{"kind": "unheard_of"}]},
        {"assertions": [{"kind": "completed", "more": 1}]},
        {"assertions": [{"kind": "exit_code", "expected": True}]},
        {"assertions": [{"kind": "exit_code", "expected": 256}]},
        {"assertions": [{"kind": "number_close", "value": float("nan")}]},
        {"assertions": [{"kind": "number_close", "value": 1, "abs_tol": -1}]},
        {"assertions": [{"kind": "output_contains", "text": ""}]},
        {"assertions": [{"kind": "file_sha256", "path": "a", "expected": "A" * 64}]},
        {"assertions": [{"kind": "call_count", "tool": "t", "min": -1}]},
        {"unknown": 1},
    ],
)
def test_what_is_no_task_is_refused(change):
    with pytest.raises(ValidationError):
        task(**change)


def test_the_suite_hash_is_over_the_version_and_the_task_hashes_in_order():
    tasks = [TASK, {**TASK, "id": "u"}]
    suite = Suite.model_validate({"version": "v1", "tasks": tasks})
    hashes = [entry.task_hash for entry in suite.tasks]
    assert suite.suite_hash == sha(rfc8785.dumps({"version": "v1", "task_hashes": hashes}))
    assert suite.suite_hash == hash_suite("v1", iter(hashes))
    assert list(suite.by_id) == ["t", "u"]


def test_a_suite_with_another_version_order_or_number_of_tasks_is_another_suite():
    hashes = ["a", "b"]
    suites = [
        ("v1", hashes),
        ("v2", hashes),
        ("v1", hashes[::-1]),
        ("v1", hashes[:1]),
        ("v1", [*hashes, "b"]),
    ]
    assert len({hash_suite(version, tasks) for version, tasks in suites}) == len(suites)


def test_a_suite_is_read_from_its_own_document_with_the_same_hashes():
    suite = Suite.model_validate({"version": "v1", "tasks": [TASK, {**TASK, "id": "u", "steps": []}]})
    again = Suite.model_validate(suite.document())
    assert again.suite_hash == suite.suite_hash
    assert again == suite


@pytest.mark.parametrize("change", [{"version": ""}, {"tasks": []}, {"version": 1}, {"more": 1}])
def test_what_is_no_suite_is_refused(change):
    with pytest.raises(ValidationError):
        Suite.model_validate({"version": "v1", "tasks": [TASK], **change})
