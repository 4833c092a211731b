"""Judging a commitment: is it authentic, and the one that this very run was begun under?

It shows that plan and result were not chosen together only as far as its time is true, and that is its
signer's word. A timestamp that somebody else put under it makes it more.
"""

from collections.abc import Iterator

from passfloor import commitments
from passfloor.errors import UsageError
from passfloor.models.precommit import PRECOMMIT_TYP, Precommit
from passfloor.models.receipt import ReceiptHead
from passfloor.verification.inputs import Trust
from passfloor.verification.result import Committed
from passfloor.verification.steps.session import seconds_of
from passfloor.verification.steps.signature import check_signed


def judge(data: bytes, head: ReceiptHead, trust: Trust) -> Committed:
    """Judge a commitment. Total: any bytes get a verdict."""
    try:
        commitment = commitments.read(data)
    except UsageError as error:
        return Committed(problem=f"the commitment is refused: {error}")
    recomputed = commitment.precommit_hash
    at = seconds_of(commitment.committed_at)
    signed = check_signed(commitment, recomputed, trust, at=at, typ=PRECOMMIT_TYP, what="commitment")
    if signed.findings:
        return Committed(problem=f"the commitment is {signed.findings[0].code}: {signed.findings[0].detail}")
    problem = next(_problems(commitment, head), "")
    if problem:
        return Committed(problem=problem)
    return Committed(commitment, signed.assurance, signed.anchor)


def _problems(commitment: Precommit, head: ReceiptHead) -> Iterator[str]:
    session = head.session
    if session.precommit_hash is None:
        yield (
            f"asked for a run under the commitment {commitment.precommit_hash}, the receipt names none; "
            "have it run again with bench run --commitment FILE"
        )
    elif session.precommit_hash != commitment.precommit_hash:
        yield (
            f"asked for a run under the commitment {commitment.precommit_hash}, the receipt names "
            f"{session.precommit_hash}: ask for the receipt of this one"
        )
    first, *later = session.stages
    if first.plan_hash != commitment.plan_hash:
        yield f"committed to the plan {commitment.plan_hash}, the run was begun under {first.plan_hash}"
    if later:
        yield (
            f"committed to n={commitment.plan.n}, the receipt has n={head.n}: attempts were added once there "
            f"were results, which nobody committed to; ask for the receipt {later[0].after_receipt_hash}"
        )
    at, began = seconds_of(commitment.committed_at), seconds_of(session.started_at)
    if at is None or began is None or at > began:
        yield f"committed at {commitment.committed_at}, after the run began at {session.started_at}"
