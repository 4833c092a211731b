"""Task results that wait on disk: the bytes of a receipt file, and the hash over them."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from passfloor.canonical import canonical
from passfloor.errors import EnvironmentFault, JsonError
from passfloor.receipts import Seal, write
from passfloor.running.spool import Spool

HEAD = {"k": 1, "tool": {"name": "x"}}
TASKS = [
    {"attempts": [{"score": 0.5, "b": "\n"}, {"score": None}], "task_id": "b", "coordination_hash": None},
    {"attempts": [{"x": {"\ufb33": 1e17}}], "task_id": "a", "coordination_hash": "0"},
    {"attempts": [{"x": 2.0**60}, {"x": 1e-7}, {}], "task_id": "é", "coordination_hash": "1"},
]


def fill(spool, tasks):
    for task in tasks:
        for attempt in task["attempts"]:
            spool.add(attempt)
        spool.end({name: value for name, value in task.items() if name != "attempts"})


@pytest.mark.parametrize("tasks", [TASKS, TASKS[:1], TASKS[1:2]])
def test_what_was_written_stands_in_a_receipt_file_and_is_hashed_in_its_canonical_form(tmp_path, tasks):
    seal, other = Seal(HEAD), Seal(HEAD)
    with Spool(tmp_path) as spool:
        fill(spool, tasks)
        spool.feed(seal)
        content = b"".join(spool.content())
        assert content == b"".join(spool.content())
    assert content + b"\n]}\n" in b"".join(write({**HEAD, "task_results": tasks}))
    for task in tasks:
        other.add(canonical(task))
    assert seal.hex() == other.hex()


def test_task_results_past_a_mebibyte_come_in_pieces_and_are_hashed_alike(tmp_path):
    tasks = [{"attempts": [{"x": "y" * 700_000} for _ in range(4)], "task_id": "a"}] * 2
    seal, other = Seal(HEAD), Seal(HEAD)
    with Spool(tmp_path) as spool:
        fill(spool, tasks)
        spool.feed(seal)
        pieces = list(spool.content())
    assert max(map(len, pieces)) <= 1024 * 1024 < len(b"".join(pieces)) / 5
    for task in tasks:
        other.add(canonical(task))
    assert seal.hex() == other.hex()


def test_its_file_has_no_name_and_nobody_else_may_read_it(tmp_path):
    with Spool(tmp_path) as spool:
        fill(spool, TASKS)
        assert list(tmp_path.iterdir()) == []
        assert os.fstat(spool._file.fileno()).st_mode & 0o077 == 0
    assert spool._file.closed


def test_an_attempt_without_canonical_form_is_refused(tmp_path):
    with Spool(tmp_path) as spool, pytest.raises(JsonError):
        spool.add({"x": float("nan")})


def test_a_folder_that_is_not_there_is_a_fault_of_the_machine(tmp_path):
    with pytest.raises(EnvironmentFault, match=r"No such file.*free the disk"):
        Spool(tmp_path / "missing")


def test_a_disk_that_fills_up_is_a_fault_of_the_machine_and_leaves_nothing(tmp_path):
    program = (
        "import pathlib, sys\n"
        "from passfloor.running.spool import Spool\n"
        "with Spool(pathlib.Path(sys.argv[1])) as spool:\n"
        "    for _ in range(100): spool.add({'x': 'y' * 100_000})\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
    )
    assert "EnvironmentFault: the receipt cannot be put together" in ended.stderr
    assert list(tmp_path.iterdir()) == []
