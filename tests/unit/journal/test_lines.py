"""Reading a chain: whole lines are believed, an unfinished last one is set apart, all else is refused."""

import hashlib
import os
from pathlib import Path

import pytest

from passfloor.chains import line, link, start
from passfloor.errors import EnvironmentFault, JournalError
from passfloor.journal.lines import ChainReader, read_line

BEFORE = start("test/v1", "it")
BODIES = [b'{"a":1}', '{"é":"\U0001f600"}'.encode(), b"[]"]


def chain(*bodies: bytes, before: bytes = BEFORE) -> list[bytes]:
    made = []
    for seq, body in enumerate(bodies):
        before = link(before, body)
        made.append(line(seq, before, body))
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chain.jsonl"


def read(path: Path) -> tuple[list[object], int]:
    reader = ChainReader(path, BEFORE)
    return [body for _, body in reader], reader.torn


def test_the_chain_is_the_one_that_is_documented(path: Path) -> None:
    first = hashlib.sha256(b"test/v1\0it").digest()
    head = hashlib.sha256(first + hashlib.sha256(BODIES[0]).digest()).hexdigest()
    assert chain(BODIES[0]) == [b'{"body":{"a":1},"chain":"%b","seq":0}\n' % head.encode()]


def test_whole_lines_are_read_with_their_offsets(path: Path) -> None:
    lines = chain(*BODIES)
    path.write_bytes(b"".join(lines))
    reader = ChainReader(path, BEFORE)
    found = list(reader)
    assert found == [(0, {"a": 1}), (len(lines[0]), {"é": "\U0001f600"}), (len(lines[0] + lines[1]), [])]
    assert (reader.count, reader.end, reader.torn) == (3, path.stat().st_size, 0)
    assert [read_line(path, offset) for offset, _ in found] == [body for _, body in found]


def test_an_empty_file_is_a_chain_of_no_lines(path: Path) -> None:
    path.touch()
    assert read(path) == ([], 0)


@pytest.mark.parametrize(
    "tail",
    [
        b"{",
        chain(*BODIES)[2][:-1],
        chain(*BODIES)[2][:-1] + b"}",
        chain(*BODIES)[1][:13],
        b"\0" * 5000,
        b"\0" * 50 + b"\n",
        b"nonsense\n",
        b"\n",
        b"\xf0\x9f\n",
        chain(*BODIES)[2].replace(b"[]", b"\0\0"),
    ],
    ids=[
        "cut", "without its line feed", "another byte for it", "in a character", "zeros",
        "zeros and a line feed", "nonsense", "a blank line", "half a character", "a block never written",
    ],
)  # fmt: skip
def test_a_torn_last_line_is_set_apart(path: Path, tail: bytes) -> None:
    path.write_bytes(b"".join(chain(*BODIES)[:2]) + tail)
    assert read(path) == ([{"a": 1}, {"é": "\U0001f600"}], len(tail))


@pytest.mark.parametrize("tail", [b"", b"{"], ids=["whole", "torn"])
@pytest.mark.parametrize(
    ("change", "number", "what"),
    [
        (lambda lines: [lines[0], b"nonsense\n", lines[2]], 2, "is not a line of a chain"),
        (lambda lines: [lines[0], lines[1][:20] + b"\n", lines[2]], 2, "is not a line of a chain"),
        (lambda lines: [lines[0], b"\n", *lines[1:]], 2, "is not a line of a chain"),
        (lambda lines: [lines[0], lines[2]], 2, "says seq 2 where 1 is due"),
        (lambda lines: [lines[1], lines[2]], 1, "says seq 1 where 0 is due"),
        (lambda lines: [lines[0], *lines], 2, "says seq 0 where 1 is due"),
        (lambda lines: [lines[0].replace(b"1", b"2", 1), *lines[1:]], 1, "does not follow"),
        (lambda lines: [lines[0], lines[1], chain(*BODIES, before=b"")[2]], 3, "does not follow"),
        (lambda lines: [*lines[:2], lines[2].replace(b"[]", b"{}")], 3, "does not follow"),
        (lambda lines: [lines[0][:-1], *lines[1:]], 1, "says seq 1 where 0 is due"),
        (lambda lines: [lines[0], lines[1][:-1] + b"\0", lines[2]], 2, "says seq 2 where 1 is due"),
        (lambda lines: chain(BODIES[0], b'{"a":1,"a":2}', BODIES[2]), 2, "holds no JSON"),
        (lambda lines: chain(BODIES[0], b"NaN"), 2, "holds no JSON"),
    ],
    ids=[
        "nonsense", "cut", "a blank line", "one missing", "the first missing", "one twice", "changed",
        "of another chain", "the last changed", "two joined", "two joined at the end", "a name twice", "NaN",
    ],
)  # fmt: skip
def test_any_other_wrong_line_is_an_error_that_names_it(path: Path, change, number, what, tail) -> None:
    path.write_bytes(b"".join(change(chain(*BODIES))) + tail)
    with pytest.raises(JournalError) as caught:
        read(path)
    message = str(caught.value)
    assert f"{str(path)!a} line {number} {what}" in message
    assert "\n" not in message


def test_what_a_visitor_refuses_is_refused_naming_the_line(path: Path) -> None:
    path.write_bytes(b"".join(chain(*BODIES)))

    def visit(_offset: int, body: object) -> None:
        if body == []:
            raise JournalError("is a list")

    with pytest.raises(JournalError, match=r"line 3 is a list; restore"):
        ChainReader(path, BEFORE).replay(visit)


def test_an_offset_that_begins_no_line_is_refused(path: Path) -> None:
    path.write_bytes(b"".join(chain(*BODIES)))
    for offset in (1, path.stat().st_size, 10**6):
        with pytest.raises(JournalError, match=f"no line at byte {offset}"):
            read_line(path, offset)


def test_what_is_no_file_is_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="is missing"):
        read(path)
    path.mkdir()
    with pytest.raises(JournalError, match="no regular file"):
        read(path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(JournalError, match="no regular file"):
        read(tmp_path / "pipe")
    (tmp_path / "real").touch()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(JournalError, match="symbolic link"):
        read(tmp_path / "link")
    with pytest.raises(EnvironmentFault, match="cannot be opened"):
        read(tmp_path / ("a" * 300))
