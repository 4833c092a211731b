"""A test double that runs no agent: a fixed schedule, a sampled value, a verdict that is always a pass."""

import hashlib
from collections.abc import Mapping
from typing import Any

from passfloor.adapters.calls import CallCounter
from passfloor.models.suite import Task


def drawn(seed: int, task_hash: str, call: int) -> int:
    """The 53 bits a call samples: SHA-256 over decimal seed, task hash and decimal call, joined by 0x00."""
    text = "\0".join((str(seed), task_hash, str(call)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big") >> 3


def schedule(task: Task, seed: int, stdout: str) -> dict[str, Any]:
    """A run receipt whose events depend on task and seed alone, but for ``sample`` of ``model.output``."""
    kinds: list[dict[str, Any]] = [
        {"kind": "task.started", "task_hash": task.task_hash, "seed": seed},
        {"kind": "scheduler.tick", "step": 0},
        {"kind": "tool.call", "tool": "think", "id": "0"},
        {"kind": "tool.result", "id": "0", "ok": True},
        {"kind": "model.output", "sample": {"stdout": stdout, "exit_code": 0, "stderr_tail": ""}},
        {"kind": "model.artifact", "sample": {}},
        {"kind": "task.completed"},
    ]
    return {"events": [{"seq": seq, **event} for seq, event in enumerate(kinds)]}


class MockScorer:
    """Passes whatever it is shown. Its receipts are synthetic: signed by the stub only."""

    def score_task(
        self,
        task: Task,  # noqa: ARG002
        receipt: Mapping[str, Any],  # noqa: ARG002
    ) -> tuple[bool, float, dict[str, Any]]:
        """Return ``(True, 1.0, {})``."""
        return True, 1.0, {}


class MockReplayAdapter(MockScorer):
    """A hermetic adapter: the same events in every attempt but for the sampled value; every attempt passes.

    Call i on a fresh instance is attempt i, and gives the same events on every machine.
    """

    key = "mock"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._calls = CallCounter()

    def run_task(self, task: Task, scheduler_config: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """The fixed schedule with the value sampled by this call."""
        value = drawn(self.seed, task.task_hash, self._calls.take(task.task_hash))
        return schedule(task, self.seed, f"{value:014x}\n")
