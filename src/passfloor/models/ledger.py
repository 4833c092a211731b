"""The lines of a ledger: a run or a stage of it starts, it ends, or one of elsewhere is sealed."""

from typing import Literal

from pydantic import Field

from passfloor.models.base import Document, RunId, Timestamp
from passfloor.models.plan import Subject

LEDGER_CHAIN = "passfloor/ledger/v1"
"""What the chain of a ledger is begun with."""

LedgerStatus = Literal["completed", "aborted"]


class RunStart(Document):
    """A run started. ``run_seq`` counts from 1; ``prev_receipt_hash`` is of the last run completed before.

    ``suite_hash`` is of the tasks that are run; lines that are older than this member have none.
    """

    event: Literal["start"] = "start"
    run: RunId
    run_seq: int = Field(ge=1)
    plan_hash: str
    subject: Subject
    at: Timestamp
    prev_receipt_hash: str | None
    suite_hash: str | None = None


class RunStage(Document):
    """More attempts of a sealed run begin: its next stage, as its receipt will have it.

    ``at`` is when that was decided, ``after_receipt_hash`` is of the receipt that it goes on from.
    """

    event: Literal["stage"] = "stage"
    run: RunId
    plan_hash: str
    after_receipt_hash: str
    at: Timestamp


class RunEnd(Document):
    """A run ended; it may end again, where it was resumed. ``receipt_hash`` is null where it was aborted."""

    event: Literal["end"] = "end"
    run: RunId
    status: LedgerStatus
    receipt_hash: str | None
    at: Timestamp


class RunSeal(Document):
    """A run that was started elsewhere was sealed here.

    ``run_seq`` (null: it has none), ``prev_receipt_hash`` and ``at`` are those of its start, as its receipt
    has them; they count in the ledger of the machine that ran it, and in this one for nothing.
    """

    event: Literal["seal"] = "seal"
    run: RunId
    run_seq: int | None
    plan_hash: str
    subject: Subject
    at: Timestamp
    prev_receipt_hash: str | None
    suite_hash: str
    receipt_hash: str
    sealed_at: Timestamp


LedgerEntry = RunStart | RunStage | RunEnd | RunSeal
