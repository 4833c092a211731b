"""What a ledger says, line by line: one reading for whoever keeps it and for whoever is shown it."""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from passfloor import chains
from passfloor.canonical import parse
from passfloor.errors import JournalError, JsonError
from passfloor.models.ledger import LEDGER_CHAIN, LedgerEntry, RunEnd, RunSeal, RunStage, RunStart


class Count:
    """What the lines so far add up to, and what may come next.

    Attributes:
        started: The ids of the runs that started.
        last_receipt: Hash of the receipt made last; None where there is none.
    """

    def __init__(self) -> None:
        """Nothing so far."""
        self.started: set[str] = set()
        self.last_receipt: str | None = None

    def check(self, entry: LedgerEntry) -> None:
        """Refuse a line that cannot come next.

        Raises:
            JournalError: says why, and not where.
        """
        if isinstance(entry, RunStart):
            if entry.run in self.started:
                raise JournalError(f"starts the run {entry.run}, which has started already")
            if entry.run_seq != len(self.started) + 1:
                raise JournalError(f"says run_seq {entry.run_seq} where {len(self.started) + 1} is due")
            if entry.prev_receipt_hash != self.last_receipt:
                raise JournalError("names another receipt than the last one")
            return
        if isinstance(entry, RunSeal):
            if entry.run in self.started:
                raise JournalError(f"seals the run {entry.run} as one of elsewhere, and it started here")
            return
        if entry.run not in self.started:
            does = "adds attempts to" if isinstance(entry, RunStage) else "ends"
            raise JournalError(f"{does} the run {entry.run}, which never started")
        if isinstance(entry, RunEnd) and (entry.status == "completed") is (entry.receipt_hash is None):
            raise JournalError("needs a receipt_hash where the run was completed, and only there")

    def add(self, entry: LedgerEntry) -> None:
        """Take a line in; raises as ``check``."""
        self.check(entry)
        if isinstance(entry, RunStart):
            self.started.add(entry.run)
        elif not isinstance(entry, RunStage) and entry.receipt_hash is not None:
            self.last_receipt = entry.receipt_hash


def entry_of(body: Any) -> LedgerEntry:
    """The line with this body.

    Raises:
        JournalError: it is none of a ledger; says why, and not where.
    """
    try:
        match body:
            case {"event": "start"}:
                return RunStart.model_validate(body)
            case {"event": "stage"}:
                return RunStage.model_validate(body)
            case {"event": "end"}:
                return RunEnd.model_validate(body)
            case {"event": "seal"}:
                return RunSeal.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise JournalError(f"has {'.'.join(map(str, first['loc']))!a}: {first['msg']}") from None
    raise JournalError("holds no event of a ledger")


def read(data: bytes) -> Iterator[LedgerEntry]:
    """The lines of a ledger that is held whole, each checked before it is given.

    A last line that was never finished does not count.

    Raises:
        JournalError: a line is wrong; names it.
    """
    chain, count = chains.Chain(chains.start(LEDGER_CHAIN)), Count()
    *ended, rest = data.split(b"\n")
    for number, text in enumerate(ended, start=1):
        try:
            body = chain.take(text + b"\n", is_last=number == len(ended) and not rest)
            if body is None:
                return
            entry = entry_of(parse(body, max_nodes=len(body) + 1).value)
            count.add(entry)
        except JsonError as error:
            raise JournalError(f"line {number} holds no JSON: {error}") from None
        except JournalError as error:
            raise JournalError(f"line {number} {error}") from None
        yield entry
