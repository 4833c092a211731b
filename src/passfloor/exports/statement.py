"""The in-toto Statement v1 about a verified receipt.

https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from passfloor import __version__
from passfloor.comparison.evidence import Evidence, TaskRow
from passfloor.errors import PolicyError
from passfloor.models.receipt import ReceiptHead
from passfloor.verification.result import Assurance, Verification

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
RELIABILITY = "urn:passfloor:attestation:reliability:v1"
"""The predicate of our own: floor, ceiling, counts and piles."""

TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
Predicate = Literal["reliability", "test-result"]
_PILES: tuple[Literal["always", "flaky", "never"], ...] = ("always", "flaky", "never")


def statement(
    evidence: Evidence, predicate: Predicate, *, name: str, sha256: str, verified_at: str
) -> dict[str, Any]:
    """The statement about a receipt that matches.

    Args:
        evidence: What verification found and derived.
        predicate: Ours, or that of in-toto's for tests.
        name: The receipt file's name.
        sha256: Of its bytes, in hex.
        verified_at: When it was verified, RFC 3339.

    Raises:
        PolicyError: the receipt is test-grade; or a test result is asked of a run that asked no assertion.
    """
    found, head = evidence.verification, evidence.verification.head
    if not found.matches or head is None:
        raise ValueError("only a receipt that verifies is exported")
    if found.assurance is not Assurance.SIGNED:
        raise PolicyError(
            "the receipt is test-grade: a signed export would lend it a name; sign runs with a key"
        )
    subjects = [
        {"name": name, "digest": {"sha256": sha256}},
        {"name": f"agent:{head.subject.name or head.subject.adapter}", "digest": _agent(head)},
    ]
    made = {
        "reliability": (RELIABILITY, _reliability),
        "test-result": (TEST_RESULT, _test_result),
    }[predicate]
    body = made[1](found, head, evidence.rows)
    if predicate == "reliability":
        body |= {"verifier": {"name": "passfloor", "version": __version__}, "verifiedAt": verified_at}
    return {"_type": STATEMENT, "subject": subjects, "predicateType": made[0], "predicate": body}


def _agent(head: ReceiptHead) -> dict[str, str]:
    return {"sha256": head.subject.adapter_digest}


def _reliability(found: Verification, head: ReceiptHead, rows: Sequence[TaskRow]) -> dict[str, Any]:
    derived = found.numbers
    if derived is None:
        raise ValueError("a receipt that matches has its numbers")
    return {
        "suite": _suite(head),
        "selection": None if head.selection is None else {"sha256": head.selection.of},
        "n": head.n,
        "k": head.k,
        "counts": derived.counts.model_dump(),
        "floor": _rate(derived.pass_hat_k),
        "ceiling": _rate(derived.pass_at_k),
        "successRate": _rate(derived.success_rate),
        "piles": {pile: [row.task_id for row in rows if row.pile == pile] for pile in _PILES},
        "completionOnly": head.completion_only,
        "coordination": {"rule": head.coordination_rule, "heldFixed": head.coordination_ok},
        "agent": {
            "name": head.subject.name,
            "version": head.subject.version,
            "model": head.subject.model,
            "adapter": head.subject.adapter,
            "configDigest": {"sha256": head.subject.config_digest},
        },
        "receipt": {"receiptHash": found.receipt_hash, "signer": head.signer_fingerprint},
        "run": head.session.run,
        "startedAt": head.session.started_at,
        "endedAt": head.session.ended_at,
        "attestedVerdicts": len(found.attested),
        "redactedFrom": None if found.redacted is None else found.redacted.redaction.receipt_hash,
        "notEstablished": list(found.not_established),
    }


def _test_result(_found: Verification, head: ReceiptHead, rows: Sequence[TaskRow]) -> dict[str, Any]:
    """A task passed where every attempt did: one that passes at times is a test that failed."""
    if head.completion_only:
        raise PolicyError(
            "no assertion was consulted (--completion-only), so that nothing was tested: "
            "export the predicate reliability"
        )
    failed = [row.task_id for row in rows if row.pile != "always"]
    return {
        "result": "FAILED" if failed else "PASSED",
        "configuration": [_suite(head)],
        "passedTests": [row.task_id for row in rows if row.pile == "always"],
        "warnedTests": [],
        "failedTests": failed,
    }


def _suite(head: ReceiptHead) -> dict[str, Any]:
    return {"name": head.suite_version, "digest": {"sha256": head.suite_hash}}


def _rate(rate: Fraction) -> dict[str, Any]:
    """Exact and in lowest terms, and the double nearest to it."""
    return {"fraction": str(rate), "float": float(rate)}
