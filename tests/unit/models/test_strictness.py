"""A sealed document is read as it stands: nothing is coerced, nothing unknown is let through."""

import copy

import pytest
from pydantic import ValidationError

from passfloor.canonical import canonical
from passfloor.models.receipt import ReliabilityReceipt
from passfloor.models.suite import Task

H = "0" * 64
ATTEMPT = {
    "task_id": "t",
    "task_hash": H,
    "index": 0,
    "attempt_id": H,
    "receipt": {
        "run_id": "20260131T093000Z-0a1b2c/0/0",
        "attempt_id": H,
        "journal_head": H,
        "spine_head": H,
        "events": [{"seq": 0, "kind": "task.started"}],
        "lane": {"adapter": ["own", 1.5]},
    },
    "receipt_hash": H,
    "outcome": "passed",
    "passed": True,
    "score": 1.0,
    "harness_output": {"assertions": []},
    "error": None,
}
RECEIPT = {
    "schema": "passfloor/reliability-receipt/v1",
    "tool": {"name": "passfloor", "version": "0"},
    "suite_hash": H,
    "selection": {"of": H, "tasks": ["t"]},
    "n": 1,
    "k": 1,
    "k_reason": None,
    "coordination_rule": "identical",
    "identity_fields": [],
    "scheduler_config": {"route": "r1"},
    "subject": {
        "name": None,
        "version": None,
        "adapter": "process",
        "adapter_digest": H,
        "model": None,
        "config_digest": H,
    },
    "gate": {"floor": "0.9"},
    "completion_only": False,
    "graders": {"completed": "1"},
    "suite_version": "v1",
    "session": {
        "nonce": "A" * 43,
        "challenge": None,
        "precommit_hash": None,
        "run_seq": 0,
        "prev_receipt_hash": None,
        "started_at": "2026-01-31T09:30:00.000Z",
        "run": "20260131T093000Z-0a1b2c",
        "plan_hash": H,
        "stages": [
            {
                "n": 1,
                "plan_hash": H,
                "decided_at": "2026-01-31T09:30:00.000Z",
                "after_receipt_hash": None,
            }
        ],
        "interrupted": [{"task_id": "t", "index": 0, "starts": 2}],
        "ended_at": "2026-01-31T09:31:00.000Z",
    },
    "emitted_at": 1769851861.5,
    "pass_at_1": 1.0,
    "pass_caret_k": 1.0,
    "coordination_ok": True,
    "counts": {
        "tasks": 1,
        "attempts": 1,
        "passed": 1,
        "wrong": 0,
        "errored": 0,
        "tasks_any": 1,
        "tasks_all": 1,
    },
    "environment": [{"platform": "p", "limits": {"cpus": 2}, "concurrency": 1}],
    "blobs": {},
    "receipt_hash": H,
    "signature": "s",
    "signer_fingerprint": "f",
    "task_results": [
        {
            "task_id": "t",
            "task_hash": H,
            "coordination_hash": H,
            "coordination_identical": True,
            "attempts": [ATTEMPT],
        }
    ],
}


def changed(way: str, value: object) -> dict:
    document = copy.deepcopy(RECEIPT)
    *before, last = [int(step) if step.isdecimal() else step for step in way.split("/")]
    inner = document
    for step in before:
        inner = inner[step]
    inner[last] = value
    return document


def read(document: dict) -> ReliabilityReceipt:
    return ReliabilityReceipt.model_validate(document)


def test_an_honest_receipt_is_read_and_given_back_unchanged():
    assert canonical(read(RECEIPT).document()) == canonical(RECEIPT)


def test_what_an_adapter_added_to_its_run_receipt_is_kept():
    extra = read(RECEIPT).task_results[0].attempts[0].receipt.model_extra
    assert extra == {"lane": {"adapter": ["own", 1.5]}}


def test_optional_members_are_absent_unless_set():
    assert not {"suite", "ext"} & set(read(RECEIPT).document())
    document = read({**RECEIPT, "ext": {"a": 1}, "suite": {}}).document()
    assert (document["ext"], document["suite"]) == ({"a": 1}, {})


def test_an_unsigned_receipt_is_read_with_empty_signature():
    unsigned = {name: value for name, value in RECEIPT.items() if not name.startswith("sign")}
    receipt = read(unsigned)
    assert (receipt.signature, receipt.signer_fingerprint) == ("", "")


COUNTS = ["n", "k", "session/run_seq", "counts/passed", "session/stages/0/n", "session/interrupted/0/index"]
INTEGERS = [*COUNTS, "environment/0/concurrency", "task_results/0/attempts/0/index"]
FLOATS = ["emitted_at", "pass_at_1", "pass_caret_k", "task_results/0/attempts/0/score"]
BOOLEANS = ["completion_only", "coordination_ok", "task_results/0/attempts/0/passed"]
TEXTS = ["suite_hash", "suite_version", "signature", "tool/name", "task_results/0/task_id"]
OBJECTS = ["", "tool", "subject", "selection", "session", "session/stages/0", "session/interrupted/0"]
OBJECTS += ["counts", "environment/0", "task_results/0", "task_results/0/attempts/0"]


@pytest.mark.parametrize("way", INTEGERS)
@pytest.mark.parametrize("value", [True, False, 1.0, 1.5, "1", [1]])
def test_a_whole_number_is_no_bool_no_float_and_no_text(way, value):
    with pytest.raises(ValidationError):
        read(changed(way, value))


@pytest.mark.parametrize("way", ["session/run_seq", "counts/passed", "task_results/0/attempts/0/index"])
def test_a_count_is_not_negative(way):
    assert read(changed(way, 0))
    with pytest.raises(ValidationError):
        read(changed(way, -1))


@pytest.mark.parametrize("way", FLOATS)
@pytest.mark.parametrize("value", [True, "1.0", float("nan"), float("inf"), float("-inf"), [1.0]])
def test_a_figure_is_a_finite_number(way, value):
    with pytest.raises(ValidationError):
        read(changed(way, value))


@pytest.mark.parametrize("way", FLOATS)
def test_a_figure_without_a_fraction_may_stand_as_an_integer(way):
    """RFC 8785 writes 1.0 as 1, so that the two are one number."""
    assert canonical(read(changed(way, 1)).document()) == canonical(changed(way, 1.0))


@pytest.mark.parametrize("way", BOOLEANS)
@pytest.mark.parametrize("value", [1, 0, "true", "false", [True]])
def test_a_truth_value_is_true_or_false(way, value):
    with pytest.raises(ValidationError):
        read(changed(way, value))


@pytest.mark.parametrize("way", TEXTS)
@pytest.mark.parametrize("value", [1, None, True, b"x", ["x"]])
def test_text_is_text(way, value):
    with pytest.raises(ValidationError):
        read(changed(way, value))


@pytest.mark.parametrize("way", OBJECTS)
def test_an_unknown_member_is_refused_everywhere(way):
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        read(changed(f"{way}/unknown".lstrip("/"), 1))


@pytest.mark.parametrize("way", OBJECTS[1:])
@pytest.mark.parametrize("value", [[], "x", 1])
def test_an_object_is_an_object(way, value):
    with pytest.raises(ValidationError):
        read(changed(way, value))


@pytest.mark.parametrize("name", sorted(set(RECEIPT) - {"signature", "signer_fingerprint"}))
def test_no_member_may_be_missing(name):
    with pytest.raises(ValidationError):
        read({other: value for other, value in RECEIPT.items() if other != name})


@pytest.mark.parametrize(
    ("way", "value"),
    [
        ("task_results", []),
        ("environment", []),
        ("session/stages", []),
        ("selection/tasks", []),
        ("environment/0/concurrency", 0),
        ("session/interrupted/0/starts", 1),
        ("schema", "passfloor/reliability-receipt/v2"),
        ("coordination_rule", "any"),
        ("gate", {"floor": 0.9}),
        ("task_results/0/attempts/0/outcome", "ok"),
        ("task_results/0/attempts/0/error", {"type": "bad luck", "detail": ""}),
        ("task_results/0/attempts/0/error", {"type": "exit", "detail": "", "more": 1}),
        ("task_results/0/attempts/0/receipt/events", [1]),
        ("task_results/0/attempts/0/receipt/events", {}),
        ("session/nonce", "A" * 42),
        ("session/nonce", "A" * 42 + "="),
        ("session/nonce", "A" * 42 + "B"),
        ("session/precommit_hash", "c"),
        ("session/prev_receipt_hash", "A" * 64),
        ("session/prev_receipt_hash", "0" * 64 + "\n"),
        ("gate", {"floor": "high"}),
        ("gate", {"floor": "1e-1"}),
        ("gate", {"floor": ""}),
        ("session/run", "20260230T093000Z-0a1b2c"),
        ("session/run", "20260131T246000Z-0a1b2c"),
        ("session/started_at", "2026-01-31T09:30:00Z"),
        ("session/started_at", "2026-01-31T09:30:00.000Z\n"),
        ("session/ended_at", "2026-01-31T09:30:00.000+01:00"),
        ("session/run", "20260131T093000Z-0A1B2C"),
        ("session/run", "20260131T093000Z-0a1b2c\n"),
    ],
)
def test_what_is_out_of_its_range_is_refused(way, value):
    with pytest.raises(ValidationError):
        read(changed(way, value))


def test_a_receipt_cannot_be_changed():
    receipt = read(RECEIPT)
    with pytest.raises(ValidationError, match="frozen"):
        receipt.k = 2
    with pytest.raises(ValidationError, match="frozen"):
        receipt.counts.passed = 2


def test_a_complaint_does_not_repeat_what_was_read():
    with pytest.raises(ValidationError) as caught:
        read(changed("suite_hash", ["sk-secret"]))
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("seconds", "fine"),
    [(1, True), (0.5, True), (2_592_000, True), (0, False), (2_592_001, False), (1e300, False)],
)
def test_a_task_has_more_than_no_time_and_at_most_thirty_days(seconds, fine):
    document = {"id": "t", "description": "d", "timeout_s": seconds}
    if fine:
        assert Task.model_validate(document).timeout_s == seconds
    else:
        with pytest.raises(ValidationError, match="timeout_s"):
            Task.model_validate(document)
