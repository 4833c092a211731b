"""Machine output: the stable objects that ``--json`` prints."""

import dataclasses
from typing import TYPE_CHECKING, Any

from passfloor.aggregate import Numbers, nearest
from passfloor.models.plan import Plan
from passfloor.models.receipt import ReceiptHead
from passfloor.models.redaction import Redaction
from passfloor.report.rates import spelled
from passfloor.verification.account import Account
from passfloor.verification.result import Committed, Verification, Vouched

if TYPE_CHECKING:  # a verifier must not even load what can run an agent
    from passfloor.checking.audit import Audit
    from passfloor.checking.check import Check
    from passfloor.checking.doctor import Diagnosis


def run(
    head: ReceiptHead | None,
    numbers: Numbers | None,
    *,
    run: str,
    receipt: str | None,
    plan: Plan,
    suite_version: str,
    identity_created: bool,
    gate: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """What ``bench run`` did; ``receipt`` and the figures are null where nothing was sealed.

    ``gate`` is the decision on the thresholds that the plan seals, null where it seals none.
    """
    return {
        "receipt": receipt,
        "run": run,
        "identity_created": identity_created,
        "suite_version": suite_version,
        "suite_hash": plan.suite_hash,
        "k": plan.k,
        "n": plan.n,
        "pass_caret_k": None if numbers is None else nearest(numbers.pass_hat_k),
        "pass_at_1": None if numbers is None else nearest(numbers.pass_at_k),
        "success_rate": None if numbers is None else nearest(numbers.success_rate),
        "counts": None if numbers is None else numbers.counts.model_dump(),
        "coordination_ok": None if head is None else head.coordination_ok,
        "coordination_rule": plan.coordination_rule,
        "gate": gate,
    }


def verification(outcome: Verification) -> dict[str, Any]:
    """What ``bench reliability-verify`` found. The figures are the re-derived ones."""
    head, numbers = outcome.head, outcome.numbers
    return {
        "status": str(outcome.status),
        "assurance": str(outcome.assurance),
        "findings": [
            {
                "status": str(finding.status),
                "code": finding.code,
                "task_id": finding.task_id,
                "attempt": finding.attempt,
                "path": finding.path,
                "detail": finding.detail,
            }
            for finding in outcome.findings
        ],
        "receipt_hash": outcome.receipt_hash,
        "suite_hash": None if head is None else head.suite_hash,
        "k": None if head is None else head.k,
        "n": None if head is None else head.n,
        "pass_caret_k": None if numbers is None else nearest(numbers.pass_hat_k),
        "pass_at_1": None if numbers is None else nearest(numbers.pass_at_k),
        "signer_fingerprint": None if head is None else head.signer_fingerprint,
        "not_established": list(outcome.not_established),
        "coordination_rule": None if head is None else head.coordination_rule,
        "acts_compared": outcome.acts_compared,
        "identity_fields": [] if head is None else list(head.identity_fields),
        "identity_marks": outcome.identity_marks,
        "served": [
            {
                "task_id": served.task_id,
                "attempt": served.attempt,
                "models": served.models,
                "fingerprints": served.fingerprints,
            }
            for served in outcome.served
        ],
        "served_changes": [
            {
                "asked": change.asked,
                "task_id": change.task_id,
                "attempt": change.attempt,
                "first": {"model": change.first[0], "fingerprint": change.first[1]},
                "then": {"model": change.then[0], "fingerprint": change.then[1]},
            }
            for change in outcome.changed_models
        ],
        "attested": len(outcome.attested),
        "graders_run": outcome.graders_run,
        "check": None if outcome.vouched is None else _vouched(outcome.vouched),
        "redacted": None if outcome.redacted is None else _redacted(outcome.redacted.redaction),
        "challenge": None if outcome.answered is None else {"answered": outcome.answered},
        "commitment": None if outcome.committed is None else _committed(outcome.committed),
        "ledger": None if outcome.account is None else _account(outcome.account),
    }


def _committed(found: Committed) -> dict[str, Any]:
    """What a commitment is worth; all but ``problem`` is null where it is refused."""
    commitment = found.document
    return {
        "problem": found.problem or None,
        "assurance": str(found.assurance),
        "signer_fingerprint": None if commitment is None else commitment.signer_fingerprint,
        "committed_at": None if commitment is None else commitment.committed_at,
        "precommit_hash": None if commitment is None else commitment.precommit_hash,
    }


def _account(account: Account) -> dict[str, Any]:
    """What the signer's ledger says of the run and of those beside it."""
    return {
        "problems": list(account.problems),
        "runs": account.runs,
        "same_suite": account.same_suite,
        "interruptions": account.interruptions,
        "others": [dataclasses.asdict(other) for other in account.others],
    }


def _redacted(redaction: Redaction) -> dict[str, Any]:
    """What a redacted receipt says of its original."""
    return {
        "receipt_hash": redaction.receipt_hash,
        "signer_fingerprint": redaction.signer_fingerprint,
        "blobs": len(redaction.blobs),
    }


def _vouched(found: Vouched) -> dict[str, Any]:
    """What a check statement is worth; all but ``problem`` is null where it is refused."""
    statement = found.document
    return {
        "problem": found.problem or None,
        "assurance": str(found.assurance),
        "signer_fingerprint": None if statement is None else statement.signer_fingerprint,
        "mode": None if statement is None else statement.mode,
        "checked_at": None if statement is None else statement.checked_at,
        "counts": None if statement is None else statement.counts.model_dump(),
    }


def check(outcome: "Check") -> dict[str, Any]:
    """What ``bench reliability-check`` found."""
    return {
        "status": outcome.status,
        "passed": outcome.passed,
        "mode": str(outcome.mode),
        "repeated": outcome.repeated,
        "compared": sum(not attempt.inconclusive for attempt in outcome.attempts),
        "attempts": [
            {
                "task_id": attempt.task_id,
                "attempt": attempt.attempt,
                "coordination_identical": attempt.coordination_identical,
                "byte_identical": attempt.byte_identical,
                "divergent_field": attempt.divergent_field,
                "detail": attempt.detail,
                "undecided": attempt.inconclusive,
            }
            for attempt in outcome.attempts
        ],
    }


def audit(outcome: "Audit") -> dict[str, Any]:
    """What ``bench audit`` found; only the verification's part where the receipt was refused."""
    told = verification(outcome.verification)
    document = {name: told[name] for name in ("status", "findings", "receipt_hash", "suite_hash", "k", "n")}
    document |= {"decision": None, "seed": outcome.sampling.seed, "budget": outcome.sampling.budget}
    document |= spelled(alpha=outcome.sampling.alpha)
    found, power = outcome.comparison, outcome.power
    if found is None or power is None or outcome.agent is None:
        return document
    counts = {"attempts": outcome.attempts, "passed": outcome.passed, "errored": outcome.errored}
    return {
        **document,
        "decision": outcome.decision,
        "same_agent": outcome.same_agent,
        "agent": outcome.agent.model_dump(),
        "fresh": counts,
        "p_value": found.overall,
        "level": found.overall_level,
        "task_level": found.task_level,
        "power": power.model_dump(),
        "tasks": [
            {
                "task_id": each.task_id,
                "n": each.spot.n,
                "claimed": each.spot.c,
                "attempts": each.spot.r,
                "passed": each.spot.s,
                "errored": each.errored,
                "p_value": each.p_value,
                "against": each.against,
            }
            for each in outcome.tasks
        ],
    }


def doctor(outcome: "Diagnosis") -> dict[str, Any]:
    """What ``bench doctor`` saw."""
    return {
        "status": str(outcome.status),
        "suite_version": outcome.suite.version,
        "suite_hash": outcome.suite.suite_hash,
        "task_id": outcome.task.id,
        "runs": len(outcome.pair),
        "attempts": [
            {
                "outcome": each.attempt.outcome,
                "error": None if each.attempt.error is None else each.attempt.error.model_dump(),
                "elapsed_s": round(each.elapsed_s, 3),
            }
            for each in outcome.pair
        ],
        "checks": [
            {"name": check.name, "result": str(check.seen), "detail": check.detail}
            for check in outcome.checks
        ],
    }
