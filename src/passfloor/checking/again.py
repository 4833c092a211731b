"""What a recorded attempt is made again with: its own identity, plan and events."""

from collections.abc import Mapping
from typing import Any

from passfloor.adapters.interface import AttemptSpec
from passfloor.digests import attempt_seed
from passfloor.models.plan import Plan
from passfloor.models.receipt import ReceiptHead
from passfloor.verification.inputs import VerifiedTask


def specify(head: ReceiptHead, verified: VerifiedTask, index: int) -> AttemptSpec:
    """The attempt's identity as recorded, so that folders, ids and seeds come out the same."""
    receipt, task = recorded_receipt(verified, index), verified.task
    seed = receipt["events"][0].get("seed")
    seed = seed if type(seed) is int else 0
    return AttemptSpec(
        index=index,
        attempt_id=receipt["attempt_id"],
        run_id=f"{head.session.run}/{verified.position}/{index}",
        seed=seed,
        attempt_seed=attempt_seed(seed, task.task_hash, index),
    )


def recorded_receipt(verified: VerifiedTask, index: int) -> Mapping[str, Any]:
    """The run receipt of an attempt."""
    receipt: Mapping[str, Any] = verified.result["attempts"][index]["receipt"]
    return receipt


def plan_of(head: ReceiptHead) -> Plan:
    """The plan of a receipt."""
    return Plan.model_validate({name: getattr(head, name) for name in Plan.model_fields})
