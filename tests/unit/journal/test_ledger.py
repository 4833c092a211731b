"""The ledger: numbers each run, links each receipt to the one before, and is never rewritten."""

import os
from pathlib import Path

import pytest

from passfloor.chains import start
from passfloor.errors import EnvironmentFault, JournalError
from passfloor.journal.ledger import Ledger
from passfloor.journal.writer import ChainWriter
from passfloor.models.ledger import RunEnd, RunStart

AT = "2026-01-31T09:30:00.000Z"
RUNS = [f"20260131T09300{number}Z-0a1b2c" for number in range(4)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "passfloor" / "ledger.jsonl"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return Ledger(path)


@pytest.fixture
def begin(ledger: Ledger, subject):
    return lambda number: ledger.start(RUNS[number], "c" * 64, subject, AT)


def test_runs_are_numbered_from_one_and_name_the_receipt_before(ledger: Ledger, begin) -> None:
    numbers = []
    for number, receipt in enumerate(["d" * 64, None, "e" * 64, None]):
        entry = begin(number)
        numbers.append((entry.run_seq, entry.prev_receipt_hash))
        if receipt is not None:
            ledger.end(RUNS[number], "completed", receipt, AT)
        elif number == 1:
            ledger.end(RUNS[number], "aborted", None, AT)
    assert numbers == [(1, None), (2, "d" * 64), (3, "d" * 64), (4, "e" * 64)]


def test_the_lines_are_read_back_in_order(ledger: Ledger, begin, subject) -> None:
    assert list(ledger.entries()) == []
    begin(0)
    ledger.end(RUNS[0], "aborted", None, AT)
    assert list(ledger.entries()) == [
        RunStart(
            run=RUNS[0], run_seq=1, plan_hash="c" * 64, subject=subject, at=AT, prev_receipt_hash=None
        ),
        RunEnd(run=RUNS[0], status="aborted", receipt_hash=None, at=AT),
    ]  # fmt: skip


def test_reading_makes_nothing(ledger: Ledger, path: Path, tmp_path: Path) -> None:
    assert list(ledger.entries()) == []
    with pytest.raises(JournalError, match="there is no ledger"):
        ledger.end(RUNS[0], "aborted", None, AT)
    assert os.listdir(tmp_path) == []


def test_it_is_of_this_user_alone(begin, path: Path) -> None:
    begin(0)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert sorted(os.listdir(path.parent)) == ["ledger.jsonl", "ledger.jsonl.lock"]
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in path.parent.iterdir())


def test_a_run_that_was_resumed_ends_again(ledger: Ledger, begin) -> None:
    begin(0)
    ledger.end(RUNS[0], "aborted", None, AT)
    ledger.end(RUNS[0], "completed", "d" * 64, AT)
    ledger.end(RUNS[0], "completed", "e" * 64, AT)
    assert begin(1).prev_receipt_hash == "e" * 64


def test_what_cannot_be_is_refused_and_not_written(ledger: Ledger, begin, path: Path) -> None:
    begin(0)
    before = path.read_bytes()
    with pytest.raises(JournalError, match="which has started already"):
        begin(0)
    with pytest.raises(JournalError, match="which never started"):
        ledger.end(RUNS[1], "aborted", None, AT)
    with pytest.raises(JournalError, match="needs a receipt_hash"):
        ledger.end(RUNS[0], "completed", None, AT)
    with pytest.raises(JournalError, match="needs a receipt_hash"):
        ledger.end(RUNS[0], "aborted", "d" * 64, AT)
    assert path.read_bytes() == before


def test_a_damaged_ledger_is_named_by_line_and_never_rewritten(ledger: Ledger, begin, path: Path) -> None:
    for number in range(3):
        begin(number)
    damaged = path.read_bytes().replace(RUNS[1].encode(), RUNS[3].encode())
    path.write_bytes(damaged)
    for use in (
        lambda: list(ledger.entries()),
        lambda: begin(3),
        lambda: ledger.end(RUNS[0], "aborted", None, AT),
    ):
        with pytest.raises(JournalError, match=r"ledger\.jsonl' line 2 does not follow"):
            use()
    assert path.read_bytes() == damaged


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"run_seq": 3}, "says run_seq 3 where 2 is due"),
        ({"run": RUNS[0]}, "which has started already"),
        ({"prev_receipt_hash": "d" * 64}, "names another receipt than the last one"),
        ({"run_seq": "2"}, "has 'run_seq': Input should be a valid integer"),
        ({"event": "pause"}, "holds no event of a ledger"),
        ({"event": []}, "holds no event of a ledger"),
        ({"more": 1}, "has 'more': Extra inputs"),
    ],
)
def test_a_line_that_cannot_follow_is_named_though_its_chain_holds(
    ledger: Ledger, begin, path: Path, change, what: str
) -> None:
    body = {**begin(0).model_dump(), "run": RUNS[1], "run_seq": 2}
    before = path.read_bytes()
    chain = start("passfloor/ledger/v1")
    for changed, wrong in (({}, False), (change, True)):
        path.write_bytes(before)
        with ChainWriter.open(path, chain, create=False) as writer:
            try:
                writer.append({**body, **changed}, sync=True)
            finally:
                writer.close()
        if not wrong:
            assert len(list(ledger.entries())) == 2
            continue
        with pytest.raises(JournalError, match=f"line 2 .*{what}"):
            list(ledger.entries())
        with pytest.raises(JournalError, match=f"line 2 .*{what}"):
            begin(3)


def test_a_torn_last_line_is_set_aside_by_the_next_run(ledger: Ledger, begin, path: Path) -> None:
    begin(0)
    begin(1)
    torn = path.read_bytes()[:-20]
    path.write_bytes(torn)
    assert [entry.run for entry in ledger.entries()] == [RUNS[0]]
    assert path.read_bytes() == torn
    assert begin(2).run_seq == 2
    assert [entry.run for entry in ledger.entries()] == [RUNS[0], RUNS[2]]
    assert path.with_name("ledger.jsonl.torn-1").exists()


def test_no_link_is_followed(begin, path: Path, tmp_path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(JournalError, match="symbolic link"):
        begin(0)
    path.unlink()
    path.with_name("ledger.jsonl.lock").unlink()
    path.with_name("ledger.jsonl.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(JournalError, match="symbolic link"):
        begin(0)
    assert not (tmp_path / "elsewhere").exists()


def test_a_full_disk_is_a_fault_of_the_machine_and_enters_nothing(begin, path: Path, full_after) -> None:
    begin(0)
    with full_after(path.stat().st_size + 10), pytest.raises(EnvironmentFault, match="cannot be written"):
        begin(1)
    assert begin(2).run_seq == 2
