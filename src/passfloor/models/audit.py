"""The audit statement: somebody's signed word that fresh attempts were made, and what they say of a claim."""

from typing import Literal

from pydantic import Field

from passfloor.models.base import Count, Document, Sha256, Statement, Timestamp
from passfloor.models.receipt import Tool

AUDIT_SCHEMA = "passfloor/audit/v1"
AUDIT_TYP = "passfloor-audit+jws"
"""The artefact type of its signature."""

Decision = Literal["consistent", "inconsistent", "undecided"]


class AuditedAgent(Document):
    """What was run: an adapter by its key, and the SHA-256 of what it is made of."""

    adapter: str
    adapter_digest: Sha256


class AuditedTask(Document):
    """One task: ``claimed`` of ``n`` attempts passed in the receipt, of fresh ``attempts`` ``passed``."""

    task_id: str
    n: int = Field(ge=1)
    claimed: Count
    attempts: Count
    passed: Count
    errored: Count
    p_value: float | None


class AuditPower(Document):
    """What the audit could have found; each a rate, 0 to 1.

    ``least_drop`` is the smallest fall of the success rate found with a chance of 80% (null: none is);
    ``best_of_20`` the chance that the best of twenty runs, picked by pass^k, is found inconsistent.
    """

    least_drop: float | None
    best_of_20: float


class AuditStatement(Statement):
    """The statement. Everything in it but the figures of the receipt is its signer's word."""

    schema_: Literal["passfloor/audit/v1"] = Field(alias="schema")
    tool: Tool
    receipt_hash: Sha256
    suite_hash: Sha256
    k: int = Field(ge=1)
    claimed_agent: AuditedAgent
    agent: AuditedAgent
    seed: Count
    budget: int = Field(ge=1)
    alpha: str
    tasks: list[AuditedTask] = Field(min_length=1)
    p_value: float | None
    power: AuditPower
    decision: Decision
    audited_at: Timestamp
    statement_hash: Sha256
    signature: str = ""
    signer_fingerprint: str = ""
