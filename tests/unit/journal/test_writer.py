"""Appending to a chain: one writer, whole lines, and one sync for all that wait."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from passfloor.chains import start
from passfloor.errors import EnvironmentFault, JournalError, JsonError, UsageError
from passfloor.journal.lines import ChainReader
from passfloor.journal.writer import ChainWriter

BEFORE = start("test/v1")
ENDLESS = 60
FullAfter = Callable[[int], AbstractContextManager[None]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chain.jsonl"


@pytest.fixture
def writer(path: Path) -> Iterator[ChainWriter]:
    with ChainWriter.open(path, BEFORE, create=True) as writer:
        yield writer


def bodies(path: Path) -> list[object]:
    return [body for _, body in ChainReader(path, BEFORE)]


def test_what_was_appended_is_read_back_across_reopening(path: Path) -> None:
    with ChainWriter.open(path, BEFORE, create=True) as writer:
        assert writer.append({"a": [1, 0.5, None, "\n"]}, sync=False) == 0
        second = writer.append(1e20, sync=True)
    with ChainWriter.open(path, BEFORE, create=False) as writer:
        third = writer.append("é", sync=True)
        assert writer.torn == 0
    assert list(ChainReader(path, BEFORE)) == [
        (0, {"a": [1, 0.5, None, "\n"]}), (second, 1e20), (third, "é")
    ]  # fmt: skip


def test_the_file_is_of_this_user_alone(writer: ChainWriter, path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_there_is_not_made_again(writer: ChainWriter, path: Path) -> None:
    with pytest.raises(UsageError, match="exists"):
        ChainWriter.open(path, BEFORE, create=True)


def test_a_missing_file_is_not_made_by_accident(path: Path) -> None:
    with pytest.raises(JournalError, match="is missing"):
        ChainWriter.open(path, BEFORE, create=False)
    assert not path.exists()


def test_no_link_is_followed(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "elsewhere")
    for create in (True, False):
        with pytest.raises(JournalError, match="symbolic link"):
            ChainWriter.open(path, BEFORE, create=create)
    assert not (tmp_path / "elsewhere").exists()


def test_a_torn_line_is_kept_beside_the_file_and_written_anew(path: Path) -> None:
    for number, tail in enumerate((b'{"body":"\xc3', b"nonsense\n"), start=1):
        with ChainWriter.open(path, BEFORE, create=number == 1) as writer:
            writer.append(number, sync=True)
        with path.open("ab") as file:
            file.write(tail)
        with ChainWriter.open(path, BEFORE, create=False) as writer:
            assert writer.torn == len(tail)
            writer.append("again", sync=True)
        kept = path.with_name(f"chain.jsonl.torn-{number}")
        assert kept.read_bytes() == tail
        assert kept.stat().st_mode & 0o777 == 0o600
    assert bodies(path) == [1, "again", 2, "again"]


def test_a_damaged_file_is_left_as_it_is(writer: ChainWriter, path: Path, tmp_path: Path) -> None:
    writer.append(1, sync=True)
    writer.append(2, sync=True)
    writer.close()
    damaged = path.read_bytes().replace(b'"body":1', b'"body":3')
    path.write_bytes(damaged + b"torn")
    with pytest.raises(JournalError, match="line 1 does not follow"):
        ChainWriter.open(path, BEFORE, create=False)
    assert path.read_bytes() == damaged + b"torn"
    assert os.listdir(tmp_path) == [path.name]


def test_what_is_no_json_is_refused_and_leaves_no_trace(writer: ChainWriter, path: Path) -> None:
    for body in (float("nan"), {1: 2}, "\ud800", object()):
        with pytest.raises(JsonError):
            writer.append(body, sync=True)
    writer.append("fine", sync=True)
    assert bodies(path) == ["fine"]


def test_a_second_writer_is_refused_in_one_line_until_the_first_is_done(path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from passfloor.journal.writer import ChainWriter\n"
        "from passfloor.chains import start; from passfloor.errors import UsageError\n"
        "try: ChainWriter.open(Path(sys.argv[1]), start('test/v1'), create=False).append(2, sync=True)\n"
        "except UsageError as error: sys.exit(str(error))"
    )
    other = [sys.executable, "-c", program, path]
    with ChainWriter.open(path, BEFORE, create=True) as writer:
        writer.append(1, sync=True)
        done = subprocess.run(other, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stderr.splitlines() == [
            f"{str(path)!a} is being written by another process; wait until it has ended, or stop it"
        ]
        with pytest.raises(UsageError, match="another process"):
            ChainWriter.open(path, BEFORE, create=False)
    assert subprocess.run(other, check=False).returncode == 0
    assert bodies(path) == [1, 2]


def test_a_full_disk_leaves_whole_lines_and_the_writer_usable(
    writer: ChainWriter, path: Path, full_after: FullAfter
) -> None:
    writer.append("before", sync=True)
    size = path.stat().st_size
    with full_after(size + 50):
        for sync in (True, False):
            with pytest.raises(EnvironmentFault, match=r"cannot be written \(File too large\)"):
                writer.append("x" * 5000, sync=sync)
            assert path.stat().st_size == size
    writer.append("after", sync=True)
    assert bodies(path) == ["before", "after"]


def test_an_exception_in_the_middle_of_a_write_leaves_whole_lines(path: Path) -> None:
    """A signal handler may raise between any two steps, also between writing a line and taking note of it."""
    program = """
import os, signal, sys
from pathlib import Path
from passfloor.chains import start
from passfloor.journal.writer import ChainWriter

class Stopped(BaseException):
    pass

def stop(*_):
    raise Stopped

signal.signal(signal.SIGALRM, stop)
writer = ChainWriter.open(Path(sys.argv[1]), start("test/v1"), create=True)
kept = []
for number in range(400):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.00002 + number % 40 * 0.00001)
        try:
            writer.append([number, "x" * 20000], sync=number % 7 == 0)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        kept.append(number)
    except Stopped:
        pass
print(*kept)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, path], capture_output=True, text=True, timeout=ENDLESS, check=False
    )
    assert done.returncode == 0, done.stderr
    reader = ChainReader(path, BEFORE)
    written = [body[0] for _, body in reader]
    assert reader.torn == 0
    assert set(map(int, done.stdout.split())) <= set(written)
    assert written == sorted(set(written))


class Disk:
    """Counts syncs; the first one takes until it is released."""

    def __init__(self) -> None:
        self.syncs = 0
        self.entered = threading.Event()
        self.released = threading.Event()

    def flush(self, descriptor: int) -> None:
        self.syncs += 1
        if self.syncs == 1:
            self.entered.set()
            assert self.released.wait(ENDLESS)
        os.fsync(descriptor)


def test_threads_that_wait_together_share_one_sync(path: Path) -> None:
    disk = Disk()
    with (
        ChainWriter.open(path, BEFORE, create=True, flush=disk.flush) as writer,
        ThreadPoolExecutor(9) as pool,
    ):
        first = pool.submit(writer.append, 0, sync=True)
        assert disk.entered.wait(ENDLESS)
        others = [pool.submit(writer.append, number, sync=True) for number in range(1, 9)]
        while path.read_bytes().count(b"\n") < 9:
            assert not any(other.done() for other in others)
        assert not first.done()
        disk.released.set()
        offsets = [future.result(ENDLESS) for future in (first, *others)]
    assert disk.syncs == 2
    assert sorted(offsets) == [offset for offset, _ in ChainReader(path, BEFORE)]


def test_nothing_returns_before_a_sync_that_began_after_it_was_written(path: Path) -> None:
    covered = 0

    def flush(descriptor: int) -> None:
        nonlocal covered
        covered = os.fstat(descriptor).st_size

    def append(number: int) -> bool:
        offset = writer.append(number, sync=True)
        return covered > offset

    with ChainWriter.open(path, BEFORE, create=True, flush=flush) as writer, ThreadPoolExecutor(8) as pool:
        assert all(pool.map(append, range(300)))


def test_a_line_that_need_not_wait_is_not_synced(path: Path) -> None:
    disk = Disk()
    with ChainWriter.open(path, BEFORE, create=True, flush=disk.flush) as writer:
        writer.append(1, sync=False)
    assert disk.syncs == 0
    assert bodies(path) == [1]


def test_lines_found_at_opening_are_synced_before_they_count(path: Path) -> None:
    disk = Disk()
    disk.released.set()
    with ChainWriter.open(path, BEFORE, create=True) as writer:
        writer.append(1, sync=False)
    ChainWriter.open(path, BEFORE, create=False, flush=disk.flush).close()
    assert disk.syncs == 1


def test_after_a_failed_sync_nothing_more_is_taken(path: Path) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with ChainWriter.open(path, BEFORE, create=True, flush=fail) as writer:
        writer.append(1, sync=False)
        for sync in (True, True, False):
            with pytest.raises(EnvironmentFault, match=r"cannot be synced \(Input/output error\)"):
                writer.append(2, sync=sync)
    assert bodies(path) == [1, 2]


def test_a_closed_writer_takes_nothing_and_closes_again(writer: ChainWriter, path: Path) -> None:
    writer.close()
    writer.close()
    with pytest.raises(EnvironmentFault, match="was closed"):
        writer.append(1, sync=True)
    assert bodies(path) == []


def test_a_child_that_was_forked_does_not_hold_the_lock_once_the_writer_is_closed(path: Path) -> None:
    program = """
import os, sys
from pathlib import Path
from passfloor.chains import start
from passfloor.journal.writer import ChainWriter

writer = ChainWriter.open(Path(sys.argv[1]), start("test/v1"), create=True)
ends, begins = os.pipe()
child = os.fork()
if child == 0:
    os.close(begins)
    os.read(ends, 1)
    os._exit(0)
writer.close()
ChainWriter.open(Path(sys.argv[1]), start("test/v1"), create=False).close()
os.close(begins)
os.waitpid(child, 0)
"""
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
