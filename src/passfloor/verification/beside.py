"""What is given beside a receipt: a check statement, a commitment, a ledger. What is each worth for it?"""

from collections.abc import Collection
from dataclasses import dataclass

from passfloor.models.receipt import ReceiptHead
from passfloor.verification import account, commitment, statement
from passfloor.verification.account import Account
from passfloor.verification.inputs import Inputs
from passfloor.verification.result import Committed, Vouched


@dataclass(frozen=True)
class Beside:
    """What each of them is worth; None where it was not given.

    Attributes:
        vouched: The check statement.
        unreplayed: Why the replay that is demanded is not vouched for; empty where it is, or none is.
        committed: The commitment.
        account: The ledger.
    """

    vouched: Vouched | None
    unreplayed: str
    committed: Committed | None
    account: Account | None


def judge(head: ReceiptHead, receipt_hash: str, slots: Collection[statement.Slot], inputs: Inputs) -> Beside:
    """Hold what was given against the receipt.

    Args:
        head: Its members but the task results.
        receipt_hash: As recomputed.
        slots: Task id and index of each of its attempts.
        inputs: What was given, and what of it is demanded. A statement that is given and refused is as good
            as one that is demanded and absent.
    """
    demands, trust = inputs.demands, inputs.trust
    subject = statement.Subject(head, receipt_hash, slots)
    vouched = committed = told = None
    if inputs.statement is not None:
        vouched = statement.judge(inputs.statement, subject, trust, inputs.now)
    if demands.commitment is not None:
        committed = commitment.judge(demands.commitment, head, trust)
    if demands.ledger is not None:
        told = account.judge(demands.ledger, head, receipt_hash)
    demanded = inputs.require_replayed or (vouched is not None and vouched.document is None)
    return Beside(vouched, statement.lacks(vouched, subject) if demanded else "", committed, told)
