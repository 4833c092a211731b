"""The file: written by lines, read by lines or whole, and never two documents in one."""

import hashlib
import io
import json

import pytest
import rfc8785

from passfloor.canonical import MAX_DEPTH, canonical
from passfloor.errors import JsonError
from passfloor.receipts import (
    LayoutError,
    LineReader,
    Seal,
    WholeReader,
    receipt_hash,
    rewindable,
    write,
)

DOCUMENT = {
    "zeta": [1, 2.5, None, {"é": "ü"}],
    "tool": {"version": "0", "name": "passfloor"},
    "blobs": {},
    "text": 'line\nbreak "task_results":[\n',
    "receipt_hash": "r",
    "signature": "s",
    "signer_fingerprint": "f",
    "task_results": [{"task_id": "b", "attempts": [{"score": 0.5}]}, {"task_id": "a", "attempts": []}],
}
RUN = "20260101T000000Z-abcdef"
OTHER_RUN = "20260101T000000Z-fedcba"
SEAL = ("receipt_hash", "signature", "signer_fingerprint")


def by_lines(data: bytes, **caps) -> dict:
    reader = LineReader(io.BytesIO(data), **caps)
    return {**reader.head.value, "task_results": [task.value for task in reader.tasks()]}


def whole(data: bytes, **caps) -> dict:
    reader = WholeReader(io.BytesIO(data), **caps)
    return {**reader.head.value, "task_results": [task.value for task in reader.tasks()]}


def independent_hash(document: dict) -> str:
    covered = {name: value for name, value in document.items() if name not in SEAL}
    return hashlib.sha256(rfc8785.dumps(covered)).hexdigest()


WRITTEN = b"".join(write(DOCUMENT))


class TestWriting:
    def test_what_is_written_is_read_back_by_either_reader(self):
        assert by_lines(WRITTEN) == whole(WRITTEN) == json.loads(WRITTEN) == DOCUMENT

    def test_the_head_comes_first_a_member_a_line_in_order(self):
        lines = WRITTEN.split(b"\n")
        assert lines[0] == b"{"
        names = [line.split(b'"')[1].decode() for line in lines[1:8]]
        assert names == sorted(set(DOCUMENT) - {"task_results"})
        assert lines[8] == b'"task_results":['

    def test_task_results_come_last_one_a_line_in_their_order(self):
        first, second = (canonical(task) for task in DOCUMENT["task_results"])
        assert WRITTEN.endswith(b'"task_results":[\n' + first + b",\n" + second + b"\n]}\n")

    def test_a_receipt_without_task_results_has_an_empty_list(self):
        data = b"".join(write({"a": 1, "task_results": []}))
        assert data == b'{\n"a":1,\n"task_results":[\n]}\n'
        assert by_lines(data) == whole(data) == {"a": 1, "task_results": []}

    def test_floats_past_the_exact_integers_are_read_back(self):
        document = {"a": 2.0**60, "task_results": [{"score": 1e20}]}
        data = b"".join(write(document))
        assert by_lines(data) == whole(data) == document


class TestOtherLayouts:
    @pytest.mark.parametrize(
        "data",
        [
            json.dumps(DOCUMENT).encode(),
            json.dumps(DOCUMENT, indent=2).encode(),
            WRITTEN.replace(b"\n", b"\r\n"),
            WRITTEN + b"\n",
            WRITTEN + b" \t\r\n",
            b"\n" + WRITTEN.replace(b'"task_results":[\n', b'"task_results":[\n\n'),
            WRITTEN.replace(b"\n]}", b"\n]\n}"),
            WRITTEN.replace(b"\n]}", b"\n] }"),
            WRITTEN.replace(b"\n]}", b"]}"),
            WRITTEN.replace(b"\n]}\n", b'\n],"more":1}'),
            WRITTEN.replace(b"},\n{", b"}\n,{"),
            WRITTEN.replace(b'"task_results":[\n', b' "task_results" : [\n'),
            WRITTEN.replace(b'"task_results"', b'"task_result\\u0073"'),
            WRITTEN.replace(b'},\n{"attempts":[],', b'},{"attempts":[],'),
            b'{"task_results":[\n{}\n]}',
            b'{\n"ext":{"a":1,\n"task_results":[\n{}\n]},\n"task_results":[\n{"b":1}\n]}\n',
            b'{\n"a":1,\n"task_results":[\n{"b":[1\n]}\n]}\n',
            b'{\n"a":1,\n"task_results":[\n{"b":[\n]},\n{}\n]}\n',
        ],
        ids=range(18),
    )
    def test_a_valid_receipt_in_another_layout_is_left_to_the_whole_reader(self, data):
        with pytest.raises(LayoutError):
            by_lines(data)
        assert whole(data) == json.loads(data)

    def test_no_final_line_break_is_needed(self):
        assert by_lines(WRITTEN[:-1]) == whole(WRITTEN[:-1]) == DOCUMENT

    def test_blank_space_inside_lines_does_not_matter(self):
        data = WRITTEN.replace(b'"blobs":{}', b'  "blobs" :\t{ }').replace(b'"score":0.5', b'"score": 5e-1')
        assert data != WRITTEN
        assert by_lines(data) == whole(data) == DOCUMENT

    def test_members_before_the_results_may_stand_in_any_order_and_on_any_lines(self):
        data = b'{"z":1,"a":\n[2,\n3],\n"task_results":[\n{"b":1}\n]}\n'
        assert by_lines(data) == whole(data) == {"z": 1, "a": [2, 3], "task_results": [{"b": 1}]}


# Each would be two documents if either reader took its own guess.
TRICKS = {
    "marker in a nested object": b'{\n"ext":{"a":1,\n"task_results":[\n{}\n]}\n',
    "marker in a nested list": b'{\n"ext":[1,\n"task_results":[\n{}\n]}\n',
    "marker as a value": b'{\n"ext":\n"task_results":[\n{}\n]}\n',
    "marker inside a string": b'{\n"ext":"x,\n"task_results":[\n{}\n]}\n',
    "results twice": b'{\n"a":1,\n"task_results":[\n{}\n],\n"task_results":[\n{"b":1}\n]}\n',
    "results in the head already": b'{\n"task_results":[],\n"task_results":[\n{}\n]}\n',
    "results in the head under escapes": b'{\n"task\\u005fresults":[],\n"task_results":[\n{}\n]}\n',
    "a member after them, twice": b'{\n"a":1,\n"task_results":[\n{}\n],"a":2}\n',
    "a second document": b'{\n"a":1,\n"task_results":[\n{}\n]}\n{}\n',
    "a second end": b'{\n"a":1,\n"task_results":[\n{}\n]}\n]}\n',
    "trailing bytes": b'{\n"a":1,\n"task_results":[\n{}\n]}\nx',
    "a zero byte behind": b'{\n"a":1,\n"task_results":[\n{}\n]}\n\0',
    "no end": b'{\n"a":1,\n"task_results":[\n{}\n',
    "end without a bracket": b'{\n"a":1,\n"task_results":[\n{}\n}\n',
    "end without a brace": b'{\n"a":1,\n"task_results":[\n{}\n]\n',
    "end of another kind": b'{\n"a":1,\n"task_results":[\n{}\n}]\n',
    "no comma between results": b'{\n"a":1,\n"task_results":[\n{}\n{}\n]}\n',
    "comma after the last result": b'{\n"a":1,\n"task_results":[\n{},\n]}\n',
    "two commas": b'{\n"a":1,\n"task_results":[\n{},,\n{}\n]}\n',
    "only a comma": b'{\n"a":1,\n"task_results":[\n,\n]}\n',
    "two values on a line": b'{\n"a":1,\n"task_results":[\n{} {},\n{}\n]}\n',
    "half a value a line": b'{\n"a":1,\n"task_results":[\n{"b":[1\n]}\n',
    "no comma before the results": b'{\n"a":1\n"task_results":[\n{}\n]}\n',
    "no member before the results": b'{,\n"task_results":[\n{}\n]}\n',
    "no brace at the start": b'"a":1,\n"task_results":[\n{}\n]}\n',
    "a list at the top": b'["a",\n"task_results":[\n{}\n]}\n',
    "a byte order mark": b"\xef\xbb\xbf" + WRITTEN,
    "utf-16": WRITTEN.decode().encode("utf-16"),
    "a name twice in a result": b'{\n"a":1,\n"task_results":[\n{"b":1,"b":2}\n]}\n',
    "a name twice in the head": b'{\n"a":1,\n"a":1,\n"task_results":[\n{}\n]}\n',
    "a number that is none": b'{\n"a":1,\n"task_results":[\n{"b":NaN}\n]}\n',
    "half a surrogate pair": b'{\n"a":"\\ud800",\n"task_results":[\n{}\n]}\n',
    "half a pair on each of two lines": b'{\n"a":1,\n"task_results":[\n"\\ud83d",\n"\\ude00"\n]}\n',
    "bytes that are no text": b'{\n"a":1,\n"task_results":[\n"\xff"\n]}\n',
    "nothing": b"",
}


class TestTricks:
    @pytest.mark.parametrize("data", TRICKS.values(), ids=TRICKS.keys())
    def test_by_lines_it_is_refused_as_a_layout_and_whole_it_is_no_json(self, data):
        with pytest.raises(LayoutError):
            by_lines(data)
        with pytest.raises(JsonError):
            whole(data)

    def test_a_valid_document_that_holds_the_marker_deeper_only_is_read_whole(self):
        nested = b'{"ext":{"a":1,\n"task_results":[\n{}\n]}}'
        with pytest.raises(LayoutError):
            by_lines(nested)
        assert WholeReader(io.BytesIO(nested)).head.value == {"ext": {"a": 1, "task_results": [{}]}}

    def test_what_is_no_list_of_results_is_yielded_as_one_bad_result(self):
        for data, value in [(b'{"a":1}', None), (b'{"task_results":{"b":1}}', {"b": 1}), (b"[]", None)]:
            assert [task.value for task in WholeReader(io.BytesIO(data)).tasks()] == [value]

    def test_a_result_that_is_no_object_is_yielded_by_both(self):
        data = b'{\n"a":1,\n"task_results":[\n1,\n"x",\nnull\n]}\n'
        assert by_lines(data)["task_results"] == whole(data)["task_results"] == [1, "x", None]


class TestCaps:
    @pytest.mark.parametrize("read", [by_lines, whole])
    def test_a_file_of_the_size_cap_is_read_and_one_byte_more_is_not(self, read):
        assert read(WRITTEN, max_bytes=len(WRITTEN)) == DOCUMENT
        with pytest.raises(JsonError, match="larger than") as caught:
            read(WRITTEN, max_bytes=len(WRITTEN) - 1)
        assert caught.value.code == "size"

    def test_the_size_cap_holds_inside_one_endless_line(self):
        stream = io.BytesIO(b"[" * 10_000)
        with pytest.raises(JsonError) as caught:
            LineReader(stream, max_bytes=100)
        assert caught.value.code == "size"
        assert stream.tell() <= 101

    @pytest.mark.parametrize("read", [by_lines, whole])
    def test_both_readers_count_the_same_nodes(self, read):
        nodes = WholeReader(io.BytesIO(WRITTEN)).head.nodes
        assert read(WRITTEN, max_nodes=nodes) == DOCUMENT
        with pytest.raises(JsonError) as caught:
            read(WRITTEN, max_nodes=nodes - 1)
        assert caught.value.code == "nodes"

    def test_the_message_of_the_node_cap_names_the_cap_and_not_what_was_left_of_it(self):
        with pytest.raises(JsonError, match=r"^more than 15 JSON values; split"):
            by_lines(WRITTEN, max_nodes=15)

    @pytest.mark.parametrize("read", [by_lines, whole])
    def test_a_result_may_be_as_deep_as_the_whole_allows(self, read):
        def deep(levels: int) -> bytes:
            return b'{\n"a":1,\n"task_results":[\n' + b"[" * levels + b"]" * levels + b"\n]}\n"

        assert len(read(deep(MAX_DEPTH - 2))["task_results"]) == 1
        with pytest.raises((LayoutError, JsonError)):
            read(deep(MAX_DEPTH - 1))

    @pytest.mark.parametrize("read", [by_lines, whole])
    def test_the_head_may_be_as_deep_as_the_whole_allows(self, read):
        def deep(levels: int) -> bytes:
            return b'{\n"a":' + b"[" * levels + b"]" * levels + b',\n"task_results":[\n]}\n'

        assert read(deep(MAX_DEPTH - 1))["task_results"] == []
        with pytest.raises((LayoutError, JsonError)):
            read(deep(MAX_DEPTH))


class TestSeal:
    def test_the_hash_is_that_of_the_canonical_whole_without_the_seal(self):
        assert receipt_hash(DOCUMENT) == independent_hash(DOCUMENT)

    @pytest.mark.parametrize(
        "name",
        [
            "task_result",
            "task_results ",
            "task_resultsa",
            "task_resultt",
            "a",
            "é",
            "\ud7ff",
            "\ue000",
            "\uffff",
            "\U00010000",
            "\U0001f600",
        ],
    )
    def test_a_member_stands_on_its_side_of_the_results_by_utf16_units(self, name):
        for others in ({}, {"b": 1}, {"z": 1}, {"\U00010000": 0, "\uffff": 0}):
            document = {**others, name: {"x": 1.5}, "task_results": [{"a": 1}, {}]}
            assert receipt_hash(document) == independent_hash(document)

    @pytest.mark.parametrize("results", [[], [{}], [{}, {"é": 1}], [1, "x", None]])
    @pytest.mark.parametrize("others", [{}, {"a": 1}, {"z": 1}, {"a": 1, "z": 1}])
    def test_commas_stand_right_whatever_there_is(self, results, others):
        document = {**others, "task_results": results}
        assert receipt_hash(document) == independent_hash(document)

    @pytest.mark.parametrize("name", SEAL)
    def test_the_seals_own_members_are_not_covered(self, name):
        assert receipt_hash({**DOCUMENT, name: "other"}) == receipt_hash(DOCUMENT)

    @pytest.mark.parametrize("name", ["signatures", "Receipt_hash", "ext", "signature "])
    def test_any_other_member_is_covered(self, name):
        assert receipt_hash({**DOCUMENT, name: "x"}) != receipt_hash(DOCUMENT)

    def test_a_seal_member_inside_another_member_is_covered(self):
        one, other = ({**DOCUMENT, "ext": {"signature": text}} for text in "xy")
        assert receipt_hash(one) != receipt_hash(other)

    def test_it_may_be_asked_on_the_way(self):
        seal = Seal({"a": 1})
        assert seal.hex() == independent_hash({"a": 1, "task_results": []})
        seal.add(b"{}")
        assert seal.hex() == independent_hash({"a": 1, "task_results": [{}]})


class _Pipe(io.RawIOBase):
    """A stream that can be read once."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self._data.read(size)

    def seekable(self) -> bool:
        return False


def test_a_stream_that_cannot_be_read_twice_is_held():
    held = rewindable(_Pipe(WRITTEN))
    assert held.read() == WRITTEN
    held.seek(0)
    assert held.read() == WRITTEN


def test_no_more_than_the_cap_and_a_byte_is_held():
    assert len(rewindable(_Pipe(b"x" * 1000), max_bytes=10).read()) == 11


def test_a_file_is_not_copied():
    stream = io.BytesIO(WRITTEN)
    assert rewindable(stream) is stream
