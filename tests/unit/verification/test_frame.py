"""What an attempt that the harness framed can hold at most."""

import forging
import pytest

from passfloor.verification.steps import frame
from passfloor.workspaces import capture, streams

TASK = forging.MINI["tasks"][0]


def problems(files=None, **output):
    return list(frame.problems(forging.frame(TASK, files=files, output=output), {}))


def entry(size):
    return {"sha256": "0" * 64, "size": size, "text": ""}


def test_the_caps_are_those_of_what_is_captured():
    kept = (capture.FILE_CAP, capture.ATTEMPT_CAP, capture.MAX_FILES)
    assert kept == (frame.FILE_CAP, frame.ATTEMPT_CAP, frame.MAX_FILES)
    assert (frame.STDOUT_CAP, frame.STDERR_CAP) == (streams.STDOUT_CAP, streams.STDERR_CAP)


@pytest.mark.parametrize(("name", "cap"), [("stdout", frame.STDOUT_CAP), ("stderr_tail", frame.STDERR_CAP)])
def test_a_stream_is_kept_up_to_its_cap(name, cap):
    assert problems(**{name: "x" * cap}) == []
    assert [place for place, _ in problems(**{name: "x" * (cap + 1)})] == ["[1].sample"]


def test_a_file_is_kept_up_to_its_cap():
    assert problems({"a": entry(frame.FILE_CAP)}) == []
    assert [place for place, _ in problems({"a": entry(frame.FILE_CAP + 1)})] == ["[2].sample"]


def test_the_files_of_an_attempt_are_kept_up_to_their_cap():
    full = {str(number): entry(frame.FILE_CAP) for number in range(8)}
    assert problems(full) == []
    assert [place for place, _ in problems({**full, "more": entry(1)})] == ["[2].sample"]


def test_only_so_many_files_are_kept():
    full = {str(number): entry(0) for number in range(frame.MAX_FILES)}
    assert problems(full) == []
    assert [place for place, _ in problems({**full, "more": entry(0)})] == ["[2].sample"]
