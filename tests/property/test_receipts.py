"""Whatever the bytes are: the two readers never see two documents, and the seal is the canonical whole's."""

import hashlib
import io

import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.errors import JsonError
from passfloor.receipts import LayoutError, LineReader, WholeReader, receipt_hash, write

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
NAMES = (
    TEXT
    | st.sampled_from(["receipt_hash", "signature", "signer_fingerprint", "task_result", "task_resultsa"])
    | st.sampled_from(["\ufffe", "\U00010000", "\ue000", "\ud7ff"])
)
DOCUMENTS = st.builds(
    lambda head, tasks: {**head, "task_results": tasks},
    st.dictionaries(NAMES, VALUES, min_size=1, max_size=4),
    st.lists(VALUES, max_size=4),
)
TOKENS = [b"\n", b",", b",\n", b"]}", b"]}\n", b"]", b"}", b"{", b"[", b'"', b"1", b":", b"null", b"{},\n"]
MARKERS = [b'"task_results":[\n', b'"task_results":[', b'"a":1,\n', b'"task\\u005fresults":[\n']
OTHERS = [b" ", b"\r", b"\t", b"\xef\xbb\xbf", b"\\", b"\xff", b"\0"]
PIECES = st.sampled_from([*TOKENS, *MARKERS, *OTHERS])


def seen(reader_type, data: bytes, **caps):
    """What a reader makes of the bytes, in canonical form; None where it refuses."""
    try:
        reader = reader_type(io.BytesIO(data), **caps)
        tasks = [task.value for task in reader.tasks()]
    except (LayoutError, JsonError):
        return None
    if not isinstance(reader.head.value, dict):
        return "no object"
    return rfc8785.dumps({**reader.head.value, "task_results": tasks})


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS)
def test_what_is_written_is_read_back_by_both(document):
    data = b"".join(write(document))
    assert seen(LineReader, data) == seen(WholeReader, data) == rfc8785.dumps(document)


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS)
def test_the_seal_is_the_hash_of_the_canonical_whole(document):
    outside = {"receipt_hash", "signature", "signer_fingerprint"}
    covered = {name: value for name, value in document.items() if name not in outside}
    assert receipt_hash(document) == hashlib.sha256(rfc8785.dumps(covered)).hexdigest()


@settings(max_examples=200, deadline=None)
@given(
    DOCUMENTS,
    st.lists(st.tuples(st.integers(0), st.integers(0, 3), PIECES), min_size=1, max_size=3),
)
def test_by_lines_nothing_is_read_that_the_whole_reader_would_read_otherwise(document, edits):
    data = b"".join(write(document))
    for place, cut, piece in edits:
        at = place % (len(data) + 1)
        data = data[:at] + piece + data[at + cut :]
    lines = seen(LineReader, data)
    assert lines is None or lines == seen(WholeReader, data)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=14).map(b"".join))
def test_nor_of_lines_put_together_at_random(middle):
    for data in (
        middle,
        b'{\n"z":1,\n"task_results":[\n' + middle,
        b"{\n" + middle + b'"task_results":[\n]}',
    ):
        lines = seen(LineReader, data)
        assert lines is None or lines == seen(WholeReader, data)


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS.filter(lambda document: document["task_results"]), st.integers(0, 60))
def test_both_readers_stop_at_the_same_node_and_the_same_byte(document, cap):
    data = b"".join(write(document))
    for caps in ({"max_nodes": cap}, {"max_bytes": len(data) - 30 + cap}):
        assert seen(LineReader, data, **caps) == seen(WholeReader, data, **caps)
