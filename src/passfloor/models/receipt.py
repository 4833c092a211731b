"""The reliability receipt: the sealed record of every attempt and the two figures they support."""

from typing import Any, Literal

from pydantic import Field

from passfloor.models.base import Count, Document
from passfloor.models.plan import Plan, Session
from passfloor.models.run_receipt import RunReceipt

RECEIPT_SCHEMA = "passfloor/reliability-receipt/v1"

Outcome = Literal["passed", "wrong", "errored"]
ErrorType = Literal[
    "exit",
    "signal",
    "timeout",
    "spawn",
    "worker",
    "provider",
    "stream",
    "capture",
    "journal",
    "missing",
    "grader",
    "source",
    "cancelled",
]


class AttemptError(Document):
    """Why an attempt did not finish, or could not be judged (``grader``)."""

    type: ErrorType
    detail: str


class Attempt(Document):
    """One attempt with its evidence. ``score`` is 0.0 to 1.0, null when errored."""

    task_id: str
    task_hash: str
    index: Count
    attempt_id: str
    receipt: RunReceipt
    receipt_hash: str
    outcome: Outcome
    passed: bool
    score: float | None
    harness_output: dict[str, Any]
    error: AttemptError | None


class TaskResult(Document):
    """All attempts of one task, in order, and what they had in common."""

    task_id: str
    task_hash: str
    coordination_hash: str | None
    coordination_identical: bool | None
    attempts: list[Attempt] = Field(fail_fast=True)


class Counts(Document):
    """Whole numbers over the receipt; ``tasks_any`` had a passing attempt, ``tasks_all`` no other."""

    tasks: Count
    attempts: Count
    passed: Count
    wrong: Count
    errored: Count
    tasks_any: Count
    tasks_all: Count


class Tool(Document):
    """The program that sealed the receipt."""

    name: str
    version: str


class Environment(Document):
    """Where a stage ran, as its signer says: nothing here is derived."""

    platform: str
    limits: dict[str, Any]
    concurrency: int = Field(ge=1)


class ReceiptHead(Plan):
    """Every member of a receipt but the task results."""

    schema_: Literal["passfloor/reliability-receipt/v1"] = Field(alias="schema")
    tool: Tool
    suite_version: str
    session: Session
    emitted_at: float
    pass_at_1: float
    pass_caret_k: float
    coordination_ok: bool | None
    counts: Counts
    environment: list[Environment] = Field(min_length=1, fail_fast=True)
    blobs: dict[str, Any]
    suite: dict[str, Any] | None = None
    ext: dict[str, Any] | None = None
    receipt_hash: str
    signature: str = ""
    signer_fingerprint: str = ""

    def document(self) -> dict[str, Any]:
        """These members as JSON data; ``suite`` and ``ext`` are absent where they are not set."""
        document = self.model_dump(by_alias=True)
        for name in ("suite", "ext"):
            if document[name] is None:
                del document[name]
        return document


class ReliabilityReceipt(ReceiptHead):
    """The receipt. ``pass_at_1`` is the ceiling (any of k: pass@k), ``pass_caret_k`` the floor (all of k)."""

    task_results: list[TaskResult] = Field(min_length=1)
