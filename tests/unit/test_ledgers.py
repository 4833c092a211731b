"""Reading a ledger that somebody shows."""

import json

import pytest

from passfloor import chains
from passfloor.errors import JournalError
from passfloor.journal.ledger import Ledger
from passfloor.ledgers import read
from passfloor.models.ledger import RunStage
from passfloor.models.plan import Subject

AT = "2026-01-31T09:30:00.000Z"
RUNS = ("20260131T093000Z-0a1b2c", "20260131T094000Z-0a1b2d")
SUBJECT = Subject(
    name="bot", version=None, adapter="process", adapter_digest="a" * 64, model=None, config_digest="b" * 64
)


@pytest.fixture
def kept(tmp_path):
    """A ledger as it is kept: two runs, the first sealed."""
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.start(RUNS[0], "p" * 64, SUBJECT, AT, suite_hash="c" * 64)
    ledger.end(RUNS[0], "completed", "d" * 64, AT)
    ledger.stage(RunStage(run=RUNS[0], plan_hash="q" * 64, after_receipt_hash="d" * 64, at=AT))
    ledger.start(RUNS[1], "p" * 64, SUBJECT, AT)
    return ledger, (tmp_path / "ledger.jsonl").read_bytes()


def chained(*bodies):
    head, lines = chains.start("passfloor/ledger/v1"), []
    for seq, body in enumerate(bodies):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        head = chains.link(head, data)
        lines.append(chains.line(seq, head, data))
    return b"".join(lines)


def test_a_ledger_reads_alike_for_whoever_keeps_it_and_whoever_is_shown_it(kept):
    ledger, data = kept
    assert list(read(data)) == list(ledger.entries())
    assert [entry.event for entry in read(data)] == ["start", "end", "stage", "start"]


def test_no_ledger_and_an_empty_one_hold_nothing():
    assert list(read(b"")) == []


def test_a_last_line_that_was_never_finished_does_not_count(kept):
    _, data = kept
    assert len(list(read(data + b'{"body":'))) == 4
    assert len(list(read(data[:-1]))) == 3
    assert len(list(read(data + b"half\n"))) == 4


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda data: data.replace(b"bot", b"bat", 1), "line 1 does not follow"),
        (lambda data: b"".join(data.splitlines(keepends=True)[::2]), "line 2 says seq 2 where 1 is due"),
        (lambda data: b"half\n" + data, "line 1 is not a line of a chain"),
        (lambda data: chained(b'{"event":}'), "line 1 holds no JSON"),
        (lambda data: chained({"event": "pause"}), "line 1 holds no event of a ledger"),
        (lambda data: chained({"event": "end", "run": "x"}), "line 1 has 'run'"),
        (
            lambda data: chained(
                {"event": "end", "run": RUNS[0], "status": "aborted", "receipt_hash": None, "at": AT}
            ),
            "line 1 ends the run",
        ),
        (
            lambda data: chained(
                {
                    "event": "stage",
                    "run": RUNS[0],
                    "plan_hash": "p" * 64,
                    "after_receipt_hash": "d" * 64,
                    "at": AT,
                }
            ),
            "line 1 adds attempts to the run",
        ),
    ],
)
def test_a_line_that_is_wrong_is_named(kept, edit, why):
    with pytest.raises(JournalError, match=why):
        list(read(edit(kept[1])))
