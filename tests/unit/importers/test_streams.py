"""Large JSON piece by piece: every element as it stands, whatever the size of the chunks it came in."""

import io
import json

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers import streams
from passfloor.importers.streams import Cursor, CutShort, lines


class _Trickle(io.BytesIO):
    """Gives seven bytes at a time."""

    def read(self, size=-1):
        return super().read(min(7, size) if size >= 0 else 7)


def _cursor(text, **options):
    data = text if isinstance(text, bytes) else text.encode()
    return Cursor(_Trickle(data), "log.json", **options)


ROWS = [{"a": 1.5, "b": ["é", {"c": None}]}, "te\\xt ] }", 12345678901234567890, [], {}, True]


def test_elements_of_an_array_come_one_by_one_as_they_stand():
    cursor = _cursor(json.dumps(ROWS, indent=1))
    assert [json.loads(cursor.value()) for _ in cursor.elements()] == ROWS
    cursor.end()


def test_a_member_of_a_member_is_entered_and_what_stands_before_it_passed():
    document = {"first": {"x": [1, 2]}, "list": [3, {}], "n": 4, "results": {"y": 0, "results": ROWS}, "z": 1}
    cursor = _cursor(json.dumps(document))
    assert cursor.enter("results", "results")
    assert [json.loads(cursor.value()) for _ in cursor.elements()] == ROWS


@pytest.mark.parametrize("text", ['{"a": {"b": 1}}', "[1]", "{}", "3", '{"results": 5}'])
def test_where_there_is_no_such_member_nothing_is_entered(text):
    assert not _cursor(text).enter("results", "results")


def test_members_are_named_in_order_and_may_be_skipped():
    cursor = _cursor('{"a": [1, [2]], "b": {"c": 3}, "d\\u0041": 1e5}')
    names = []
    for name in cursor.members():
        names.append(name)
        cursor.skip()
    assert names == ["a", "b", "dA"]
    cursor.end()


def test_empty_containers_hold_nothing():
    assert list(_cursor("[ ]").elements()) == []
    assert list(_cursor("{ }").members()) == []


def test_a_number_that_goes_on_in_the_next_chunk_is_taken_whole():
    assert _cursor("   1234567890.25 ").value() == "1234567890.25"
    assert _cursor("NaN").value() == "NaN"


def test_a_byte_order_mark_is_passed():
    assert _cursor(b"\xef\xbb\xbf[1]").value() == "[1]"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ('[{"a": 1}, {"b":', CutShort, "cut short"),
        ('["ab', CutShort, "cut short"),
        ("[1, 2", CutShort, "cut short"),
        ("[1 2]", ImportRefused, "expected ',' or ']', found '2'"),
        ("[1, nope]", ImportRefused, "is not JSON"),
        ("{1: 2}", ImportRefused, "expected '\\[', found '{'"),
        (b"\xff\xfe[\x00", ImportRefused, "is UTF-16"),
        (b'["\xff"]', ImportRefused, "not UTF-8"),
        ("[" * 100_000, ImportRefused, "nested deeper"),
        ("", CutShort, "cut short"),
    ],
)
def test_what_is_broken_is_refused_in_one_line(text, kind, words):
    cursor = _cursor(text)
    with pytest.raises(kind, match=words) as caught:
        [cursor.value() for _ in cursor.elements()]
    assert "\n" not in str(caught.value)


def test_a_member_without_a_name_is_refused():
    with pytest.raises(ImportRefused, match="expected a member's name"):
        list(_cursor("{1: 2}").members())


def test_two_files_that_were_joined_are_refused():
    cursor = _cursor("[] []")
    list(cursor.elements())
    with pytest.raises(ImportRefused, match="two files joined"):
        cursor.end()


def test_a_value_is_no_larger_than_allowed(monkeypatch):
    monkeypatch.setattr(streams, "_CHUNK", 64)
    with pytest.raises(ImportRefused, match="more than 1000 characters"):
        _cursor('["' + "x" * 5000 + '"]', most=1000).value()


def test_what_is_large_is_counted_before_it_is_built(monkeypatch):
    monkeypatch.setattr(streams, "_UNSIZED", 100)
    monkeypatch.setattr(streams, "MAX_NODES", 10)
    with pytest.raises(ImportRefused, match="more than 10 JSON values"):
        _cursor("[" + "[]," * 200 + "[]]").value()


class _Failing(io.BytesIO):
    def read(self, size=-1):
        raise OSError(5, "Input/output error")

    readline = read


def test_a_stream_that_fails_is_named():
    with pytest.raises(ImportRefused, match=r"cannot read log\.json: Input/output error"):
        Cursor(_Failing(), "log.json").peek()
    with pytest.raises(ImportRefused, match=r"cannot read log\.jsonl: Input/output error"):
        list(lines(_Failing(), "log.jsonl"))


def test_lines_are_numbered_blank_ones_left_out_and_ends_told():
    data = b'\xef\xbb\xbf{"a":1}\r\n\n  \n{"b":2}'
    assert list(lines(io.BytesIO(data), "x")) == [(1, '{"a":1}', True), (4, '{"b":2}', False)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"x" * 50, "line 1 is longer than 10 bytes"),
        (b"ok\n\xff\n", "line 2 is not UTF-8"),
        (b"\xfe\xff\0x", "UTF-16"),
    ],
)
def test_lines_that_cannot_be_read_are_refused(data, words):
    with pytest.raises(ImportRefused, match=words):
        list(lines(io.BytesIO(data), "x", most=10))


def test_no_more_pieces_are_passed_than_an_import_can_hold(monkeypatch):
    monkeypatch.setattr(streams, "MAX_PIECES", 3)
    cursor = _cursor("[1, 2, 3]")
    assert [cursor.value() for _ in cursor.elements()] == ["1", "2", "3"]
    with pytest.raises(ImportRefused, match="more than 3 attempts or lines: split the log"):
        _cursor("[1, 2, 3, 4, 5]").skip()
    assert len(list(streams.lines(io.BytesIO(b"a\nb\nc\n"), "log"))) == 3
    with pytest.raises(ImportRefused, match="split the log"):
        list(streams.lines(io.BytesIO(b"a\nb\nc\nd\n"), "log"))
