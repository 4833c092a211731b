"""The worked example of the format: one task, one attempt; nonce, clock and key fixed, and so every value.

The key is the published one of RFC 8037, appendix A.1: it signs examples and must never be trusted for
anything else.
"""

from dataclasses import dataclass
from typing import Any

from passfloor import digests, receipts
from passfloor.canonical import canonical, digest, sha256_hex
from passfloor.models.plan import Opening, Plan, Session, Stage, Subject
from passfloor.models.receipt import ReliabilityReceipt
from passfloor.models.suite import Suite
from passfloor.projection import AttemptView, compare
from passfloor.signing.private_keys import read_private_key
from passfloor.signing.signers import Ed25519Signer
from passfloor.suites import read_suite

KEY = (
    b'{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",'
    b'"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'
)
NOW = 1774000000.0
"""When the example is to be judged, in seconds since the epoch."""

_RUN = "20260314T092653Z-5a3f0c"
_STARTED = "2026-03-14T09:26:53.589Z"
_ENDED = "2026-03-14T09:26:53.971Z"
_EMITTED = 1773480414.25


@dataclass(frozen=True)
class Example:
    """The suite as JSON data, the receipt file, and the page's text between its two comments."""

    suite: dict[str, Any]
    receipt: str
    values: str


def make() -> Example:
    """Compute everything from the code that seals and verifies."""
    suite = _suite()
    plan, opening = _plan(suite), _opening()
    task = suite.tasks[0]
    ids = digests.opening_hash(opening), digests.plan_hash(plan)
    attempt_id = digests.attempt_id(*ids, task.task_hash, 0)
    run_receipt = _run_receipt(suite, attempt_id)
    document = _document(suite, plan, opening, run_receipt)
    receipt = Ed25519Signer(read_private_key(KEY, password=None, source="the example")).sign(
        ReliabilityReceipt.model_validate(document)
    )
    whole = receipt.document()
    return Example(
        suite.document(), b"".join(receipts.write(whole)).decode(), _values(suite, plan, opening, whole)
    )


def _suite() -> Suite:
    task = {
        "id": "count",
        "description": "How many lines has `list.txt`? Answer with the number alone.\n",
        "files": {"list.txt": "ash\nelm\noak\n"},
        "assertions": [{"kind": "output_equals", "expected": "3"}],
    }
    return read_suite({"version": "example-v1", "tasks": [task]}, folder=None, source="the example")


def _plan(suite: Suite) -> Plan:
    identity = {"adapter": "process", "argv": ["counter"], "env": []}
    return Plan(
        suite_hash=suite.suite_hash,
        selection=None,
        n=1,
        k=1,
        k_reason=None,
        coordination_rule="identical",
        identity_fields=[],
        scheduler_config={"scheduler": "default"},
        subject=Subject(
            name="counter",
            version="1",
            adapter="process",
            adapter_digest=digest(identity),
            model=None,
            config_digest=digest({"timeout_s": 300.0}),
        ),
        gate=None,
        completion_only=False,
        graders={"output_equals": "1"},
    )


def _opening() -> Opening:
    return Opening(
        nonce="AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        challenge=None,
        precommit_hash=None,
        run_seq=None,
        prev_receipt_hash=None,
        started_at=_STARTED,
    )


def _run_receipt(suite: Suite, attempt_id: str) -> dict[str, Any]:
    task = suite.tasks[0]
    kept = {"sha256": task.file_hashes["list.txt"], "size": 12, "text": "ash\nelm\noak\n"}
    events: list[dict[str, Any]] = [
        {"kind": "task.started", "seed": 0, "seq": 0, "task_hash": task.task_hash},
        {"kind": "tool.call", "seq": 1, "tool": "wc"},
        {"kind": "model.output", "sample": {"exit_code": 0, "stderr_tail": "", "stdout": "3\n"}, "seq": 2},
        {"kind": "model.artifact", "sample": {"list.txt": kept}, "seq": 3},
        {"kind": "task.completed", "seq": 4},
    ]
    return {
        "run_id": f"{_RUN}/0/0",
        "attempt_id": attempt_id,
        "journal_head": digests.journal_head(attempt_id, map(canonical, events)),
        "spine_head": digests.spine_head(task.task_hash, task.file_hashes, digests.files_out(events)),
        "events": events,
    }


def _document(suite: Suite, plan: Plan, opening: Opening, run_receipt: dict[str, Any]) -> dict[str, Any]:
    task = suite.tasks[0]
    attempt = {
        "task_id": task.id,
        "task_hash": task.task_hash,
        "index": 0,
        "attempt_id": run_receipt["attempt_id"],
        "receipt": run_receipt,
        "receipt_hash": digest(run_receipt),
        "outcome": "passed",
        "passed": True,
        "score": 1.0,
        "harness_output": {"assertions": [{"kind": "output_equals", "passed": True}]},
        "error": None,
    }
    plan_hash = digests.plan_hash(plan)
    stage = Stage(n=1, plan_hash=plan_hash, decided_at=_STARTED, after_receipt_hash=None)
    session = Session(
        **opening.model_dump(),
        run=_RUN,
        plan_hash=plan_hash,
        stages=[stage],
        interrupted=[],
        ended_at=_ENDED,
    )
    result = {
        "task_id": task.id,
        "task_hash": task.task_hash,
        "coordination_hash": compare([AttemptView(run_receipt["events"])]).hash,
        "coordination_identical": True,
        "attempts": [attempt],
    }
    counts = dict.fromkeys(("tasks", "attempts", "passed", "tasks_any", "tasks_all"), 1)
    document = {
        "schema": "passfloor/reliability-receipt/v1",
        "tool": {"name": "passfloor", "version": "0.1.0"},
        **plan.model_dump(),
        "suite_version": suite.version,
        "session": session.model_dump(),
        "emitted_at": _EMITTED,
        "pass_at_1": 1.0,
        "pass_caret_k": 1.0,
        "coordination_ok": True,
        "counts": {**counts, "wrong": 0, "errored": 0},
        "environment": [{"platform": "example", "limits": {}, "concurrency": 1}],
        "blobs": {},
        "task_results": [result],
    }
    return {**document, "receipt_hash": receipts.receipt_hash(document)}


def _values(suite: Suite, plan: Plan, opening: Opening, receipt: dict[str, Any]) -> str:
    task = suite.tasks[0]
    task_form = canonical({**task.document(), "files": task.file_hashes}).decode()
    suite_form = canonical({"version": suite.version, "task_hashes": [task.task_hash]}).decode()
    opening_form = canonical(opening.model_dump()).decode()
    plan_form = canonical({"schema": "passfloor/plan/v1", **plan.model_dump()}).decode()
    attempt = receipt["task_results"][0]["attempts"][0]
    run_receipt = attempt["receipt"]
    last_event = canonical(run_receipt["events"][-1])
    lines = [
        ("the task's form", task_form),
        ("task_hash", task.task_hash),
        ("the suite's form", suite_form),
        ("suite_hash", suite.suite_hash),
        ("the plan's form", plan_form),
        ("plan_hash", digests.plan_hash(plan)),
        ("the opening's form", opening_form),
        ("opening_hash", digests.opening_hash(opening)),
        ("attempt_id", attempt["attempt_id"]),
        ("the last event's form", last_event.decode()),
        ("its SHA-256, as it enters the chain", sha256_hex(last_event)),
        ("journal_head", run_receipt["journal_head"]),
        ("spine_head", run_receipt["spine_head"]),
        ("receipt_hash of the attempt", attempt["receipt_hash"]),
        ("coordination_hash", receipt["task_results"][0]["coordination_hash"]),
        ("receipt_hash of the receipt", receipt["receipt_hash"]),
        ("signature", receipt["signature"]),
        ("signer_fingerprint", receipt["signer_fingerprint"]),
    ]
    return "".join(f"{name}:\n\n```text\n{value}\n```\n\n" for name, value in lines)
