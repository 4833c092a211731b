"""A ledger in which runs stand that were made elsewhere and only sealed here."""

import io

import casework
import pytest

from passfloor import chains
from passfloor.canonical import text
from passfloor.errors import JournalError
from passfloor.ledgers import Count, entry_of, read
from passfloor.models.ledger import LEDGER_CHAIN, RunSeal
from passfloor.models.receipt import ReceiptHead
from passfloor.receipts import LineReader
from passfloor.verification.account import judge

OTHER = "20260102T030405Z-0a1b2c"


@pytest.fixture
def head():
    reader = LineReader(io.BytesIO(casework.written(casework.honest())), max_bytes=2**40, max_nodes=2**40)
    return ReceiptHead.model_validate(reader.head.value)


def line_of(head, run, **members):
    line = {
        "run": run,
        "run_seq": None,
        "plan_hash": head.session.stages[0].plan_hash,
        "subject": head.subject,
        "at": head.session.started_at,
        "prev_receipt_hash": None,
        "suite_hash": head.suite_hash,
        "receipt_hash": "0" * 64,
        "sealed_at": head.session.ended_at,
    }
    return RunSeal(**{**line, **members})


def ledger(*entries):
    value, lines = chains.start(LEDGER_CHAIN), []
    for number, entry in enumerate(entries):
        body = text(entry.model_dump())
        value = chains.link(value, body)
        lines.append(chains.line(number, value, body))
    return b"".join(lines)


def test_a_seal_alone_does_not_answer_for_the_runs_that_were_never_brought(head):
    own = line_of(head, head.session.run, receipt_hash=head.receipt_hash)
    account = judge(ledger(own), head, head.receipt_hash)
    assert account.runs == 1
    [problem] = account.problems
    assert "sealed here and started elsewhere" in problem


def test_what_was_sealed_here_is_one_more_run_to_choose_from(head):
    sibling = line_of(head, OTHER, run_seq=7)
    account = judge(ledger(sibling), head, head.receipt_hash)
    assert account.runs == 1
    assert "holds 1 runs" in account.problems[0]
    own = line_of(head, head.session.run)
    account = judge(ledger(sibling, own), head, head.receipt_hash)
    [other] = account.others
    assert (other.run, other.run_seq, other.status, other.receipt_hash) == (OTHER, 7, "sealed", "0" * 64)
    unnumbered = judge(ledger(line_of(head, OTHER), own), head, head.receipt_hash)
    assert unnumbered.others[0].run_seq is None


def test_a_seal_reads_back_and_moves_the_receipt_made_last_on(head):
    seal = line_of(head, OTHER)
    assert entry_of(seal.model_dump()) == seal
    assert list(read(ledger(seal, seal))) == [seal, seal]
    count = Count()
    count.add(seal)
    assert (count.started, count.last_receipt) == (set(), "0" * 64)


def test_a_run_that_started_here_is_not_one_of_elsewhere(head):
    count = Count()
    count.started.add(OTHER)
    with pytest.raises(JournalError, match=f"seals the run {OTHER} as one of elsewhere, and it started here"):
        count.add(line_of(head, OTHER))
