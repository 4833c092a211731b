"""Honest receipts of a given size, sealed as a run would seal them, without running an agent.

``python tests/benchmarks/made.py small 1 receipt.json`` writes one file (made again, its suite is equal).
"""

import base64
import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from passfloor.adapters.interface import AttemptSpec
from passfloor.canonical import canonical, sha256_hex
from passfloor.grading import judge, versions_of
from passfloor.models.plan import Plan, Subject
from passfloor.models.receipt import RECEIPT_SCHEMA, Attempt
from passfloor.models.suite import Suite
from passfloor.receipts import Seal, write
from passfloor.running.completion import complete
from passfloor.running.runner import specify
from passfloor.running.sealing import task_result
from passfloor.running.session import OpenSession, open_session
from passfloor.scrubbing import Scrubber
from passfloor.signing.private_keys import SigningKey
from passfloor.signing.signers import Ed25519Signer

NOW = 1_780_000_000.0
KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
NOTHING = Scrubber()
N = 10
K = 5


@dataclass(frozen=True)
class Shape:
    """How much stands in a receipt: tasks of ``N`` attempts, each with tool calls, an answer and files."""

    tasks: int
    calls: int
    call_chars: int
    answer_chars: int
    file_chars: tuple[int, ...]


SHAPES = {
    "small": Shape(1000, 3, 90, 300, (330, 120)),
    "large": Shape(50, 24, 1900, 50_000, (900, 900, 600)),
}
"""About 2 KB of events an attempt (26 MB in all), and about 100 KB (53 MB)."""


def suite_of(shape: Shape, times: int = 1) -> Suite:
    """The suite that a receipt of this shape answers, ``times`` as long."""
    tasks = [
        {
            "id": f"task-{position}",
            "description": f"Write the answer to question {position}.",
            "assertions": [
                {"kind": "completed"},
                {"kind": "output_contains", "text": f"answer {position}"},
                {"kind": "file_exists", "path": "out/0.txt"},
            ],
            "files": {"question.txt": f"What is {position}?\n"},
        }
        for position in range(shape.tasks * times)
    ]
    return Suite.model_validate({"version": f"bench-{times}", "tasks": tasks})


def save(shape: Shape, path: Path, times: int = 1) -> None:
    """Write a signed receipt of ``times`` the shape's tasks, holding one task at a time."""
    suite = suite_of(shape, times)
    plan = _plan(suite)
    session = open_session(plan, clock=lambda: NOW, random_bytes=lambda size: bytes(size))
    head = _head(suite, plan, session)
    seal = Seal(head)
    with path.open("wb") as stream, path.with_suffix(".tasks").open("w+b") as lines:
        for position in range(len(suite.tasks)):
            value = _result(shape, suite, session, position)
            seal.add(canonical(value))
            lines.write((b",\n" if position else b"") + canonical(value))
        head["receipt_hash"] = seal.hex()
        signer = Ed25519Signer(KEY)
        head["signature"] = signer.sign_hash(head["receipt_hash"])
        head["signer_fingerprint"] = signer.fingerprint
        *before, end = write({**head, "task_results": []})
        stream.writelines(before)
        lines.seek(0)
        stream.writelines(lines)
        stream.write(b"\n" + end)
    path.with_suffix(".tasks").unlink()


def _result(shape: Shape, suite: Suite, session: OpenSession, position: int) -> dict[str, Any]:
    task = suite.tasks[position]
    attempts = []
    for index in range(N):
        spec = specify(session, task, position, index, 0)
        receipt, moved, _ = complete(
            {"events": list(_events(shape, suite, position, spec))}, task, spec, NOTHING
        )
        assert not moved
        verdict = judge(None, task, receipt, completion_only=False)
        attempts.append(
            Attempt(
                task_id=task.id,
                task_hash=task.task_hash,
                index=index,
                attempt_id=spec.attempt_id,
                receipt=receipt,  # type: ignore[arg-type]
                receipt_hash=sha256_hex(canonical(receipt)),
                outcome=verdict.outcome,
                passed=verdict.passed,
                score=verdict.score,
                harness_output=verdict.harness_output,
                error=None,
            )
        )
    return task_result(task, attempts, "identical").model_dump()


def _events(shape: Shape, suite: Suite, position: int, spec: AttemptSpec) -> Iterator[dict[str, Any]]:
    """Tool calls alike in every attempt; an answer and files of its own, wrong in one attempt of five."""
    task = suite.tasks[position]
    yield {"seq": 0, "kind": "task.started", "task_hash": task.task_hash, "seed": spec.seed}
    for call in range(shape.calls):
        words = _words(f"{position} {call}", shape.call_chars)
        yield {
            "seq": 1 + call,
            "kind": "tool.call",
            "tool": "search",
            "lane": "main",
            "arguments": {"q": words},
        }
    wrong = (position + spec.index) % 5 == 0
    stdout = "no idea\n" if wrong else f"answer {position}\n"
    stdout += _words(f"{position} {spec.index}", shape.answer_chars)
    sample = {"stdout": stdout, "exit_code": 0, "stderr_tail": ""}
    yield {"seq": 1 + shape.calls, "kind": "model.output", "sample": sample}
    texts = [
        _words(f"{position} {spec.index} {number}", size) for number, size in enumerate(shape.file_chars)
    ]
    files = {
        f"out/{number}.txt": {"sha256": sha256_hex(text.encode()), "size": len(text), "text": text}
        for number, text in enumerate(texts)
    }
    yield {"seq": 2 + shape.calls, "kind": "model.artifact", "sample": files}
    yield {"seq": 3 + shape.calls, "kind": "task.completed"}


def _words(seed: str, characters: int) -> str:
    """ASCII text in lines, with quotes to escape, that differs from seed to seed."""
    letters = base64.b32encode(hashlib.sha256(seed.encode()).digest()).decode().lower()
    line = f'{letters[:14]} "{letters[14:30]}" {letters[30:]}\n'
    return (line * (characters // len(line) + 1))[:characters]


def _plan(suite: Suite) -> Plan:
    return Plan(
        suite_hash=suite.suite_hash,
        selection=None,
        n=N,
        k=K,
        k_reason=None,
        coordination_rule="identical",
        identity_fields=[],
        scheduler_config={},
        subject=Subject(
            name=None,
            version=None,
            adapter="process",
            adapter_digest="0" * 64,
            model=None,
            config_digest="0" * 64,
        ),
        gate=None,
        completion_only=False,
        graders=versions_of(suite.tasks),
    )


def _head(suite: Suite, plan: Plan, session: OpenSession) -> dict[str, Any]:
    """Every member but the task results; one attempt in five of each task is wrong, so two of ten are."""
    tasks = len(suite.tasks)
    return {
        "schema": RECEIPT_SCHEMA,
        "tool": {"name": "passfloor", "version": "0.0.0"},
        **plan.model_dump(),
        "suite_version": suite.version,
        "session": session.close(NOW).model_dump(),
        "emitted_at": NOW,
        "pass_at_1": 1.0,
        "pass_caret_k": 2 / 9,
        "coordination_ok": True,
        "counts": {
            "tasks": tasks,
            "attempts": tasks * N,
            "passed": tasks * 8,
            "wrong": tasks * 2,
            "errored": 0,
            "tasks_any": tasks,
            "tasks_all": 0,
        },
        "environment": [{"platform": "bench", "limits": {}, "concurrency": 1}],
        "blobs": {},
    }


if __name__ == "__main__":
    name, times, target = sys.argv[1:]
    save(SHAPES[name], Path(target), int(times))
    json.dump({"bytes": Path(target).stat().st_size}, sys.stdout)
