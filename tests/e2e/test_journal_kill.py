"""A process that is killed at any moment loses nothing that it had called finished; many share one ledger."""

import multiprocessing
import os
import random
import threading
from pathlib import Path

import pytest

from passfloor.journal.header import RunHeader
from passfloor.journal.ledger import Ledger
from passfloor.journal.run_folder import RunFolder
from passfloor.models.ledger import RunEnd, RunStart
from passfloor.models.plan import Opening, Plan, Subject
from passfloor.models.receipt import Environment

ROUNDS = 60
THREADS = 3
PROCESSES = 20
AT = "2026-01-31T09:30:00.000Z"
SUBJECT = Subject(
    name=None, version=None, adapter="process", adapter_digest="a" * 64, model=None, config_digest="b" * 64
)
PLAN = Plan(
    suite_hash="c" * 64,
    selection=None,
    n=1_000_000,
    k=1,
    k_reason=None,
    coordination_rule="identical",
    identity_fields=[],
    scheduler_config={},
    subject=SUBJECT,
    gate=None,
    completion_only=False,
    graders={},
)
OPENING = Opening(
    nonce="A" * 43, challenge=None, precommit_hash=None, run_seq=None, prev_receipt_hash=None, started_at=AT
)
# Forked, not started anew: sixty interpreters would take a minute to come up.
PROCESS = multiprocessing.get_context("fork")


def text(index: int) -> str:
    return "é" * (index * 97 % 3000)


def run(path: Path, side: Path) -> None:
    """Finish attempts without end, taking a note in ``side`` of each that is finished."""
    notes = os.open(side, os.O_WRONLY | os.O_APPEND)

    def work(task_id: str) -> None:
        for index in range(journal.state.n):
            if (task_id, index) not in journal.state.finished:
                journal.begin(task_id, index)
                journal.finish({"task_id": task_id, "index": index, "text": text(index)}, {})
                os.write(notes, f"{task_id} {index}\n".encode())

    with RunFolder.open(path).write() as journal:
        threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def enter(path: Path, number: int, together, numbers) -> None:
    """Start a run in the ledger at the same time as all others; every other one ends, too."""
    ledger, run_id = Ledger(path), f"20260131T093000Z-{number:06x}"
    together.wait(60)
    entry = ledger.start(run_id, "c" * 64, SUBJECT, AT)
    if number % 2:
        ledger.end(run_id, "completed", f"{number:064x}", AT)
    numbers.put(entry.run_seq)


def noted(side: Path) -> set[tuple[str, int]]:
    return {(task_id, int(index)) for task_id, index in map(str.split, side.read_text().splitlines())}


@pytest.mark.slow
def test_what_was_finished_before_a_kill_is_always_read_back(tmp_path: Path) -> None:
    header = RunHeader(
        run="20260131T093000Z-0a1b2c",
        suite_version="v",
        plan=PLAN,
        opening=OPENING,
        seed=0,
        out=None,
        environment=Environment(platform="Linux", limits={}, concurrency=1),
    )
    folder = RunFolder.create(tmp_path, header)
    journal, side = folder.path / "journal.jsonl", tmp_path / "side"
    side.touch()
    moments = random.Random(7)
    starts: dict[tuple[str, int], int] = {}
    for number in range(1, ROUNDS + 1):
        # The moment is a random size, not a random time: a slow machine is stopped as a fast one is.
        moment = journal.stat().st_size + moments.randrange(1, 30_000)
        process = PROCESS.Process(target=run, args=(folder.path, side))
        process.start()
        while journal.stat().st_size < moment:
            assert process.is_alive()
        process.kill()
        process.join()
        state = folder.state()
        assert noted(side) <= set(state.finished)
        # A kill between finish() and the note of it: at most one a thread.
        assert len(state.finished) <= len(noted(side)) + THREADS * number
        assert all(state.starts[slot] >= times for slot, times in starts.items())
        starts = dict(state.starts)
    assert len(state.finished) > ROUNDS
    assert state.interrupted()
    for slot, offset in state.finished.items():
        task_id, index = slot
        assert folder.read(offset) == ({"task_id": task_id, "index": index, "text": text(index)}, {})


def test_processes_that_start_at_once_share_one_ledger(tmp_path: Path) -> None:
    path = tmp_path / "identity" / "ledger.jsonl"
    together, results = PROCESS.Barrier(PROCESSES), PROCESS.SimpleQueue()
    processes = [
        PROCESS.Process(target=enter, args=(path, number, together, results)) for number in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * PROCESSES
    numbers = sorted(results.get() for _ in processes)
    assert numbers == list(range(1, PROCESSES + 1))
    entries = list(Ledger(path).entries())
    assert [entry.run_seq for entry in entries if isinstance(entry, RunStart)] == numbers
    assert sum(isinstance(entry, RunEnd) for entry in entries) == PROCESSES // 2
