"""What the adapters of named attempts share."""

import json
import secrets
from collections.abc import Mapping
from typing import Any

from passfloor.adapters.calls import CallCounter
from passfloor.adapters.interface import AttemptSpec
from passfloor.digests import attempt_seed
from passfloor.errors import UsageError
from passfloor.grading import DeclaredScorer
from passfloor.models.suite import MAX_TIMEOUT_S, Task

DEFAULT_TIMEOUT_S = 300.0
"""Seconds an attempt has where neither its task nor the operator says."""


class NamedAttempts(DeclaredScorer):
    """Judges by the task's assertions, and runs call i as attempt i where no attempt is named."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = CallCounter()

    def run_attempt(
        self, task: Task, attempt: AttemptSpec, scheduler_config: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Run one attempt, as ``AttemptAdapter`` promises."""
        raise NotImplementedError

    def run_task(self, task: Task, scheduler_config: Mapping[str, Any]) -> dict[str, Any]:
        """Run call i as attempt i, under a random id; raises as ``run_attempt`` does."""
        index = self._calls.take(task.task_hash)
        seed = attempt_seed(0, task.task_hash, index)
        attempt = AttemptSpec(index, secrets.token_hex(32), "", 0, seed)
        return self.run_attempt(task, attempt, scheduler_config)


def check_timeout(timeout_s: float) -> float:
    """The time-out where it is more than 0 and at most ``MAX_TIMEOUT_S`` seconds.

    Raises:
        UsageError: It is not.
    """
    if isinstance(timeout_s, bool) or not 0 < timeout_s <= MAX_TIMEOUT_S:
        raise UsageError(f"the time-out is {timeout_s} s; give more than 0 and at most {MAX_TIMEOUT_S} s")
    return timeout_s


def task_document(task: Task) -> bytes:
    """The task as the agent may know it: without its assertions, files as path -> SHA-256."""
    document = {name: value for name, value in task.document().items() if name != "assertions"}
    if "files" in document:
        document["files"] = task.file_hashes
    return json.dumps(document, ensure_ascii=False, sort_keys=True).encode() + b"\n"
