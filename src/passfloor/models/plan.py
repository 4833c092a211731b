"""What is fixed before the first attempt (the plan) and at its start (the opening), and who was measured."""

from typing import Any, Literal

from pydantic import Field

from passfloor.models.base import Count, Decimal, Document, RunId, Sha256, Timestamp

PLAN_SCHEMA = "passfloor/plan/v1"

SYNTHETIC = frozenset({"mock", "stochastic-mock"})
"""Keys of the adapters that run no agent; a receipt of theirs is signed by the stub only."""

ENDPOINTS = frozenset({"chat", "http"})
"""Keys of the adapters that call an agent which runs elsewhere."""

ADAPTER_OBJECTS = SYNTHETIC | {"custom"}
"""Keys of the adapters that make their run receipts themselves, as Python objects."""

IMPORTED = "import:"
"""Before the importer's name, the adapter of a receipt made of another tool's log: nobody ran anything."""

CoordinationRule = Literal["identical", "causal", "unrecorded"]


class Subject(Document):
    """The agent under test. ``name``, ``version`` and ``model`` are the signer's claims, null where absent.

    ``adapter_digest`` covers the adapter and how it was invoked, ``config_digest`` the options that reach the
    agent. Code that the agent itself imports is covered by neither.
    """

    name: str | None
    version: str | None
    adapter: str
    adapter_digest: str
    model: str | None
    config_digest: str


class Selection(Document):
    """The part of a suite that was run: ``of`` is the hash of the whole, ``tasks`` ids in suite order."""

    of: str
    tasks: list[str] = Field(min_length=1, fail_fast=True)


class Plan(Document):
    """Everything fixed before the first attempt; its hash enters every attempt id."""

    suite_hash: str
    selection: Selection | None
    n: int
    k: int
    k_reason: str | None
    coordination_rule: CoordinationRule
    identity_fields: list[str] = Field(fail_fast=True)
    scheduler_config: dict[str, Any]
    subject: Subject
    gate: dict[str, Decimal] | None
    completion_only: bool
    graders: dict[str, str]


class Opening(Document):
    """Fixed when a run starts. ``nonce`` is 32 random bytes in base64url without padding."""

    nonce: str = Field(pattern=r"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$")
    challenge: str | None
    precommit_hash: Sha256 | None
    run_seq: Count | None
    prev_receipt_hash: Sha256 | None
    started_at: Timestamp


class Stage(Document):
    """A plan under which attempts were made: attempt i belongs to the first stage with i < its n."""

    n: int
    plan_hash: str
    decided_at: Timestamp
    after_receipt_hash: str | None


class Interrupted(Document):
    """An attempt that was begun more than once because the run died under it."""

    task_id: str
    index: Count
    starts: int = Field(ge=2)


class Session(Opening):
    """One run: its opening, its stages and its end."""

    run: RunId
    plan_hash: str
    stages: list[Stage] = Field(min_length=1, fail_fast=True)
    interrupted: list[Interrupted] = Field(fail_fast=True)
    ended_at: Timestamp

    @property
    def opening(self) -> Opening:
        """The members that were fixed at the start."""
        return Opening.model_validate({name: getattr(self, name) for name in Opening.model_fields})
