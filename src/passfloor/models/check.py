"""The check statement: somebody's signed word that attempts were made again, and what came out."""

from typing import Literal

from pydantic import Field

from passfloor.models.base import Count, Document, Sha256, Statement, Timestamp
from passfloor.models.receipt import Tool

CHECK_SCHEMA = "passfloor/check/v1"
CHECK_TYP = "passfloor-check+jws"
"""The artefact type of its signature."""

OUTSIDE_THE_HASH = frozenset({"statement_hash", "signature", "signer_fingerprint"})
"""What the seal itself adds, and so cannot cover."""


class CheckedAttempt(Document):
    """One attempt that was made again."""

    task_id: str
    index: Count
    coordination_identical: bool
    byte_identical: bool
    undecided: bool


class CheckCounts(Document):
    """Whole numbers over the statement."""

    attempts: Count
    coordination_identical: Count
    byte_identical: Count
    undecided: Count


class CheckStatement(Statement):
    """The statement. ``mode`` is ``replay`` where model calls were answered with what was recorded."""

    schema_: Literal["passfloor/check/v1"] = Field(alias="schema")
    tool: Tool
    receipt_hash: Sha256
    suite_hash: Sha256
    mode: Literal["replay", "rerun"]
    rule: Literal["identical", "causal", "unrecorded"]
    attempts: list[CheckedAttempt] = Field(min_length=1)
    counts: CheckCounts
    checked_at: Timestamp
    statement_hash: Sha256
    signature: str = ""
    signer_fingerprint: str = ""


def count(attempts: list[CheckedAttempt]) -> CheckCounts:
    """The counts that a list of attempts has."""
    return CheckCounts(
        attempts=len(attempts),
        coordination_identical=sum(each.coordination_identical for each in attempts),
        byte_identical=sum(each.byte_identical for each in attempts),
        undecided=sum(each.undecided for each in attempts),
    )
