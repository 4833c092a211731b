"""Writing down what a check or an audit found, for its signer to put a name to."""

from pathlib import Path
from typing import Any

from passfloor import __version__
from passfloor.canonical import canonical
from passfloor.checking.audit import Audit, claimed_agent
from passfloor.checking.outcome import Check
from passfloor.models.audit import AUDIT_SCHEMA, AUDIT_TYP, AuditedTask, AuditStatement
from passfloor.models.check import CHECK_SCHEMA, CHECK_TYP, CheckedAttempt, CheckStatement, count
from passfloor.models.receipt import ReceiptHead
from passfloor.running.saving import save_bytes
from passfloor.running.session import timestamp
from passfloor.signing.signers import Signer
from passfloor.verification.statement import statement_hash


def state(outcome: Check, head: ReceiptHead, receipt_hash: str, signer: Signer, now: float) -> CheckStatement:
    """The signed statement of a check that made attempts again.

    Args:
        outcome: What it found.
        head: Of the receipt it was about.
        receipt_hash: As recomputed.
        signer: Whose word it becomes.
        now: Seconds since the epoch.
    """
    attempts = [
        CheckedAttempt(
            task_id=each.task_id,
            index=each.attempt,
            coordination_identical=each.coordination_identical,
            byte_identical=each.byte_identical and each.coordination_identical,
            undecided=each.inconclusive,
        )
        for each in outcome.attempts
    ]
    document = {
        "schema": CHECK_SCHEMA,
        "tool": {"name": "passfloor", "version": __version__},
        "receipt_hash": receipt_hash,
        "suite_hash": head.suite_hash,
        "mode": str(outcome.mode),
        "rule": head.coordination_rule,
        "attempts": [each.model_dump() for each in attempts],
        "counts": count(attempts).model_dump(),
        "checked_at": timestamp(now),
    }
    return CheckStatement.model_validate(_signed(document, signer, CHECK_TYP))


def state_audit(
    outcome: Audit, head: ReceiptHead, receipt_hash: str, signer: Signer, now: float
) -> AuditStatement:
    """The signed statement of an audit that made fresh attempts; arguments as for ``state``."""
    found, agent, power, sampling = outcome.comparison, outcome.agent, outcome.power, outcome.sampling
    if found is None or agent is None or power is None:
        raise ValueError("an audit that made no attempt has nothing to state")
    tasks = [
        AuditedTask(
            task_id=each.task_id,
            n=each.spot.n,
            claimed=each.spot.c,
            attempts=each.spot.r,
            passed=each.spot.s,
            errored=each.errored,
            p_value=each.p_value,
        )
        for each in outcome.tasks
    ]
    document = {
        "schema": AUDIT_SCHEMA,
        "tool": {"name": "passfloor", "version": __version__},
        "receipt_hash": receipt_hash,
        "suite_hash": head.suite_hash,
        "k": head.k,
        "claimed_agent": claimed_agent(head).model_dump(),
        "agent": agent.model_dump(),
        "seed": sampling.seed,
        "budget": sampling.budget,
        "alpha": str(sampling.alpha),
        "tasks": [each.model_dump() for each in tasks],
        "p_value": found.overall,
        "power": power.model_dump(),
        "decision": outcome.decision,
        "audited_at": timestamp(now),
    }
    return AuditStatement.model_validate(_signed(document, signer, AUDIT_TYP))


def _signed(document: dict[str, Any], signer: Signer, typ: str) -> dict[str, Any]:
    hashed = statement_hash(document)
    signature = signer.sign_hash(hashed, typ=typ)
    seal = {"statement_hash": hashed, "signature": signature, "signer_fingerprint": signer.fingerprint}
    return {**document, **seal}


def save(statement: CheckStatement | AuditStatement, path: Path, *, replace: bool) -> None:
    """Write a statement whole or not at all.

    Args:
        statement: Signed.
        path: Its place.
        replace: Replace what stands there.

    Raises:
        EnvironmentFault: The place is taken, or cannot be written to.
    """
    save_bytes(canonical(statement.document()) + b"\n", path, replace=replace)
