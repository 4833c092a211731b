"""Wherever a journal is cut, at most its last line is lost; an earlier line that is changed is named."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from passfloor.chains import line, link, start
from passfloor.errors import JournalError
from passfloor.journal.lines import ChainReader
from passfloor.journal.writer import ChainWriter

BEFORE = start("test/v1")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5) | st.sampled_from(
    ["\n", "\r\n", "\u2028", "é", "\U0001f600", "\0", '"', '","chain":"', '{"body":']
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
BODIES = st.lists(VALUES, min_size=1, max_size=4)
TYPICAL = [{"event": "begin", "task_id": "é", "index": 0}, {"body": "\U0001f600"}, None]


def written(path: Path, bodies: list[object]) -> list[bytes]:
    with ChainWriter.open(path, BEFORE, create=True) as writer:
        offsets = [writer.append(body, sync=False) for body in bodies]
    data = path.read_bytes()
    return [data[begin:end] for begin, end in zip(offsets, [*offsets[1:], len(data)], strict=True)]


def same(found: list[object], expected: list[object]) -> bool:
    return rfc8785.dumps(found) == rfc8785.dumps(expected)


def read(path: Path) -> list[object]:
    return [body for _, body in ChainReader(path, BEFORE)]


@settings(max_examples=8, deadline=None)
@given(BODIES)
@example(TYPICAL)
def test_cut_at_any_byte_it_loses_the_cut_line_and_no_other(bodies):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chain"
        lines = written(path, bodies)
        whole = b"".join(lines)
        ends = [sum(map(len, lines[: count + 1])) for count in range(len(lines))]
        for cut in range(len(whole) + 1):
            path.write_bytes(whole[:cut])
            survived = sum(end <= cut for end in ends)
            reader = ChainReader(path, BEFORE)
            assert same([body for _, body in reader], bodies[:survived])
            assert reader.torn == cut - (ends[survived - 1] if survived else 0)


@settings(max_examples=40, deadline=None)
@given(BODIES, st.data())
def test_after_a_cut_anywhere_it_goes_on_as_if_the_cut_line_had_never_been(bodies, data):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chain"
        whole = b"".join(written(path, bodies))
        cut = data.draw(st.integers(0, len(whole)))
        path.write_bytes(whole[:cut])
        survived = whole[:cut].count(b"\n")
        with ChainWriter.open(path, BEFORE, create=False) as writer:
            for body in bodies[survived:]:
                writer.append(body, sync=False)
        assert path.read_bytes() == whole
        torn = path.with_name("chain.torn-1")
        assert (torn.read_bytes() if torn.exists() else b"") == whole[:cut].rpartition(b"\n")[2]


@settings(max_examples=8, deadline=None)
@given(BODIES.filter(lambda bodies: len(bodies) > 1), st.integers(1, 255))
@example(TYPICAL, ord("\n"))
@example(TYPICAL, 1)
@example(TYPICAL, 0x80)
def test_a_byte_changed_in_an_earlier_line_is_an_error_that_names_it(bodies, mask):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chain"
        lines = written(path, bodies)
        whole = b"".join(lines)
        numbers = [number for number, line in enumerate(lines, start=1) for _ in line]
        for position in range(len(whole) - len(lines[-1])):
            changed = bytearray(whole)
            changed[position] ^= mask
            path.write_bytes(changed)
            assert named(path) == numbers[position]


@settings(max_examples=100, deadline=None)
@given(BODIES, st.data())
def test_a_byte_changed_in_the_last_line_never_loses_an_earlier_one(bodies, data):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chain"
        lines = written(path, bodies)
        position = data.draw(st.integers(1, len(lines[-1])))
        changed = bytearray(b"".join(lines))
        changed[-position] ^= data.draw(st.integers(1, 255))
        path.write_bytes(changed)
        try:
            assert same(read(path), bodies[:-1])
        except JournalError:
            assert named(path) == len(lines)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=30) | st.sampled_from([b"\n", b"{", b'{"body":1,"chain":"']), max_size=6))
def test_any_bytes_at_all_are_read_or_refused(parts):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chain"
        good = line(0, link(BEFORE, b"1"), b"1")
        path.write_bytes(good + b"".join(parts))
        try:
            assert read(path) == [1]
        except JournalError:
            assert named(path) >= 2


def named(path: Path) -> int:
    """The number of the line that reading refuses."""
    with pytest.raises(JournalError) as caught:
        read(path)
    found = re.search(r" line (\d+) ", str(caught.value))
    assert found, caught.value
    return int(found[1])
