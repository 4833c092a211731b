"""Judging a signer's ledger: does it hold this very run, and which runs beside it?

A ledger is its signer's own file. Whole and consistent it says what its signer's account is, and that this
receipt is not at odds with it; it cannot say that there is no second one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from passfloor import ledgers
from passfloor.errors import JournalError
from passfloor.models.ledger import RunEnd, RunSeal, RunStage, RunStart
from passfloor.models.receipt import ReceiptHead


@dataclass(frozen=True)
class OtherRun:
    """A run of the same suite and agent as the receipt's.

    Attributes:
        run: Its id.
        run_seq: Its number; None where it has none.
        at: When it started.
        status: ``sealed`` with a receipt; ``aborted``; or ``open``: nothing is said of its end.
        receipt_hash: Of the receipt made of it last; None where there is none.
        same_plan: It was under the same plan, k and n included.
    """

    run: str
    run_seq: int | None
    at: str
    status: str
    receipt_hash: str | None
    same_plan: bool


@dataclass(frozen=True)
class Account:
    """What a ledger says of a receipt.

    Attributes:
        runs: How many runs it holds.
        same_suite: How many of them are of the receipt's suite, and neither its own nor in ``others``.
        others: Further runs of the same suite and agent, in order of their numbers.
        interruptions: How often it says that the receipt's own run was aborted, to be gone on with later.
        problems: Why it does not bear the receipt out.
    """

    runs: int = 0
    same_suite: int = 0
    others: tuple[OtherRun, ...] = ()
    interruptions: int = 0
    problems: tuple[str, ...] = ()


@dataclass
class _Run:
    start: RunStart | RunSeal
    ends: list[RunEnd | RunSeal] = field(default_factory=list)
    stages: list[RunStage] = field(default_factory=list)

    @property
    def receipts(self) -> list[str]:
        return [end.receipt_hash for end in self.ends if end.receipt_hash is not None]

    @property
    def aborted(self) -> int:
        return sum(isinstance(end, RunEnd) and end.status == "aborted" for end in self.ends)


def judge(data: bytes, head: ReceiptHead, receipt_hash: str) -> Account:
    """Judge a ledger. Total: any bytes get a verdict.

    Args:
        data: The file.
        head: Of the receipt that it has to bear out.
        receipt_hash: As recomputed.
    """
    runs: dict[str, _Run] = {}
    try:
        for entry in ledgers.read(data):
            if isinstance(entry, RunStart):
                runs[entry.run] = _Run(entry)
            elif isinstance(entry, RunSeal):
                # A run of elsewhere: all that is known of it stands in the line.
                runs.setdefault(entry.run, _Run(entry)).ends.append(entry)
            elif isinstance(entry, RunStage):
                runs[entry.run].stages.append(entry)
            else:
                runs[entry.run].ends.append(entry)
    except JournalError as error:
        return Account(len(runs), problems=(f"the ledger is broken: {error}",))
    own = runs.pop(head.session.run, None)
    if own is None:
        said = "says that it is in none" if head.session.run_seq is None else "says that it is in one"
        problem = f"the ledger holds {len(runs)} runs, and not {head.session.run}; the receipt {said}"
        return Account(len(runs), problems=(problem,))
    others = [run for run in runs.values() if _is_sibling(run.start, head)]
    same_suite = sum(run.start.suite_hash == head.suite_hash for run in runs.values() if run not in others)
    return Account(
        runs=len(runs) + 1,
        same_suite=same_suite,
        others=tuple(_other(run, head) for run in others),
        interruptions=own.aborted,
        problems=tuple(_problems(own, head, receipt_hash)),
    )


def _is_sibling(start: RunStart | RunSeal, head: ReceiptHead) -> bool:
    """Whether a run is one that the receipt's could have been chosen from."""
    if start.plan_hash in {stage.plan_hash for stage in head.session.stages}:
        return True
    same_agent = _identity(start) == _identity(head)
    return same_agent and start.suite_hash in {None, head.suite_hash}


def _identity(of: RunStart | RunSeal | ReceiptHead) -> tuple[str, str, str]:
    return of.subject.adapter, of.subject.adapter_digest, of.subject.config_digest


def _other(run: _Run, head: ReceiptHead) -> OtherRun:
    start = run.start
    last = "aborted" if run.ends else "open"
    return OtherRun(
        run=start.run,
        run_seq=start.run_seq,
        at=start.at,
        status="sealed" if run.receipts else last,
        receipt_hash=run.receipts[-1] if run.receipts else None,
        same_plan=start.plan_hash in {stage.plan_hash for stage in head.session.stages},
    )


def _problems(own: _Run, head: ReceiptHead, receipt_hash: str) -> Iterator[str]:
    session, start = head.session, own.start
    if isinstance(start, RunSeal):
        yield (
            "the ledger says that the run was sealed here and started elsewhere, so that runs which were "
            "never brought are not in it; a challenge or a commitment says more of such a run"
        )
        return
    pairs = (
        ("run_seq", session.run_seq, start.run_seq),
        ("prev_receipt_hash", session.prev_receipt_hash, start.prev_receipt_hash),
        ("started_at", session.started_at, start.at),
        ("plan_hash", session.stages[0].plan_hash, start.plan_hash),
    )
    for name, sealed, entered in pairs:
        if sealed != entered:
            yield f"the receipt has {name} {sealed} for its run, the ledger {entered}"
    if not own.receipts:
        yield "the ledger says of the run that it started, and of no receipt"
    elif receipt_hash not in own.receipts:
        yield f"the ledger says that the run was sealed as {own.receipts[-1]}, which is another receipt"
    elif further := _further(own, head, receipt_hash):
        yield (
            f"the ledger says that the run was sealed as {further} as well, which this receipt does not "
            "go on from (ask for that one too)"
        )
    else:
        yield from _stages(own, head)


def _stages(own: _Run, head: ReceiptHead) -> Iterator[str]:
    """Stages that the ledger and the receipt do not both have: each of them was entered when it began."""
    sealed = {(each.plan_hash, each.after_receipt_hash, each.decided_at) for each in head.session.stages[1:]}
    entered = {(each.plan_hash, each.after_receipt_hash, each.at) for each in own.stages}
    if entered - sealed or own.ends[-1].receipt_hash is None:
        yield "the ledger says that more attempts of the run were begun once it was sealed, and broken off"
    for _, after, at in sorted(sealed - entered):
        yield f"the receipt has attempts begun at {at} after the receipt {after}, the ledger has not"


def _further(own: _Run, head: ReceiptHead, receipt_hash: str) -> str | None:
    """A receipt of the same run that could have been shown in this one's place; stages name those before."""
    known = {receipt_hash, *(stage.after_receipt_hash for stage in head.session.stages)}
    return next((each for each in reversed(own.receipts) if each not in known), None)
