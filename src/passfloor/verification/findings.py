"""What verification can say: the closed list of codes, the status each carries, and which one comes first."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The verdict on a receipt, as it stands in reports and machine output."""

    MATCH = "MATCH"
    RESOURCE_LIMIT = "RESOURCE_LIMIT"
    UNSUPPORTED = "UNSUPPORTED"
    MALFORMED_RECEIPT = "MALFORMED_RECEIPT"
    HASH_MISMATCH = "HASH_MISMATCH"
    MISSING_RECEIPT = "MISSING_RECEIPT"
    DUPLICATE_ATTEMPT = "DUPLICATE_ATTEMPT"
    FABRICATED_SCORE = "FABRICATED_SCORE"
    COORDINATION_DIVERGED = "COORDINATION_DIVERGED"
    FABRICATED_FLOOR = "FABRICATED_FLOOR"
    DIVERGED = "DIVERGED"
    UNSIGNED = "UNSIGNED"
    POLICY_FAILED = "POLICY_FAILED"


PRECEDENCE: tuple[tuple[Status, tuple[str, ...]], ...] = (
    (Status.RESOURCE_LIMIT, ("size", "nodes", "attempts", "tasks", "stages")),
    (Status.UNSUPPORTED, ("version", "grader", "scorer")),
    (Status.MALFORMED_RECEIPT, ("parse", "schema", "type", "order", "clock")),
    (
        Status.HASH_MISMATCH,
        ("attempt_hash", "chain", "task", "suite", "suite_version", "plan", "blob", "said", "symbol"),
    ),
    (Status.MISSING_RECEIPT, ("attempt_count", "task_missing", "empty_events", "blob_unused")),
    (Status.DUPLICATE_ATTEMPT, ("attempt_identity",)),
    (Status.FABRICATED_SCORE, ("outcome", "passed", "score", "harness_output")),
    (
        Status.COORDINATION_DIVERGED,
        ("diverged", "coordination_hash", "coordination_identical", "coordination_ok"),
    ),
    (Status.FABRICATED_FLOOR, ("counts", "pass_at_1", "pass_caret_k")),
    (Status.DIVERGED, ("scorer_failed",)),
    (Status.HASH_MISMATCH, ("receipt_hash",)),
    (
        Status.UNSIGNED,
        (
            *("unsigned", "header", "sig_encoding", "sig_invalid", "key_unknown", "key_outside_window"),
            *("key_revoked", "stub_not_allowed", "synthetic"),
        ),
    ),
    (
        Status.POLICY_FAILED,
        (
            *("challenge", "precommit", "ledger", "floor", "k", "expected_suite", "subject", "age"),
            *("distinct_outputs", "coordination_unrecorded", "attested_verdict", "replayed_coordination"),
        ),
    ),
)
"""Statuses in the order in which they decide, each with its codes. A mismatch of the evidence comes before
one of the seal, so that an edit is named alike whether or not its author could seal the receipt again."""

MOST_ALIKE = 100
"""How many findings of one kind a single list of the receipt may give; more would only cost memory."""

_RANK = {code: rank for rank, (_, codes) in enumerate(PRECEDENCE) for code in codes}
STATUS_OF = {code: status for status, codes in PRECEDENCE for code in codes}
"""Finding code -> status."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the receipt does not support.

    Attributes:
        step: Number of the verification step that found it, 0 to 16.
        code: One of ``STATUS_OF``.
        detail: What was expected and what stands there; may hold text of the receipt, unescaped.
        task_id: The task it is about, or None.
        attempt: The attempt's position, or None.
        path: Where in the receipt, such as ``task_results[2].attempts[0].receipt.events[3].kind``.
    """

    step: int
    code: str
    detail: str
    task_id: str | None = None
    attempt: int | None = None
    path: str = ""

    @property
    def status(self) -> Status:
        """The status this finding alone would give."""
        return STATUS_OF[self.code]


def overall(findings: Iterable[Finding]) -> Status:
    """The first status, in order of precedence, that any finding carries; MATCH where there is none."""
    rank = min((_RANK[finding.code] for finding in findings), default=None)
    return Status.MATCH if rank is None else PRECEDENCE[rank][0]
