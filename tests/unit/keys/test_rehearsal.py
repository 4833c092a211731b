import os
import threading
from pathlib import Path

import pytest

from passfloor.errors import EnvironmentFault, KeyFileError, UsageError
from passfloor.keys.rehearsal import rehearse

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@forks
def test_what_is_tried_out_stays_in_the_child(tmp_path: Path) -> None:
    seen: list[int] = []

    def check() -> None:
        seen.append(1)
        (tmp_path / "pid").write_text(str(os.getpid()))

    rehearse(check)
    assert seen == []
    assert int((tmp_path / "pid").read_text()) != os.getpid()


@pytest.mark.parametrize("kind", [UsageError, KeyFileError, EnvironmentFault])
def test_an_error_comes_back_as_it_was_raised(kind: type[Exception]) -> None:
    def check() -> None:
        raise kind("the key é; do this")

    with pytest.raises(kind) as caught:
        rehearse(check)
    assert type(caught.value) is kind
    assert str(caught.value) == "the key é; do this"


@pytest.mark.parametrize("error", [ZeroDivisionError("a bug"), SystemExit(3)])
def test_an_error_that_nobody_expects_is_seen_here(error: BaseException) -> None:
    def check() -> None:
        raise error

    with pytest.raises(type(error)):
        rehearse(check)


def test_beside_another_thread_it_is_tried_here() -> None:
    seen: list[int] = []
    goes_on = threading.Event()
    other = threading.Thread(target=goes_on.wait)
    other.start()
    try:
        rehearse(lambda: seen.append(os.getpid()))
    finally:
        goes_on.set()
        other.join()
    assert seen == [os.getpid()]


@forks
def test_no_child_and_no_descriptor_is_left() -> None:
    folder = Path("/proc/self/fd")
    before = sorted(os.listdir(folder)) if folder.exists() else []
    for _ in range(5):
        rehearse(lambda: None)
    assert before == (sorted(os.listdir(folder)) if folder.exists() else [])
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
