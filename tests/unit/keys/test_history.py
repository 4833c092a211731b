import pytest

from passfloor.errors import KeyFileError
from passfloor.keys.history import NOTHING, Revoked, read_history
from passfloor.signing.validity import Revocation, Validity

A, B, C = "a" * 43, "b" * 43, "c" * 43
RECORD = (
    b'{"schema":"passfloor/key-history/v1","keys":{"%s":'
    b'{"not_before":null,"not_after":%%s,"replaced_by":null,"revoked":null}}}'
) % A.encode()


def test_what_is_written_reads_back() -> None:
    history = NOTHING.rotated(A, B, 1000.5).with_members(
        A, revoked=Revoked(at="2026-01-31T09:30:00Z", since="2026-01-30T09:30:00Z", reason="lost")
    )
    assert read_history(history.data(), "h") == history
    assert read_history(NOTHING.data(), "h") == NOTHING


def test_within_the_second_of_a_rotation_both_keys_count() -> None:
    history = NOTHING.rotated(A, B, 1000.5)
    old, new = history.of(A).validity(), history.of(B).validity()
    assert (old, new) == (Validity(None, 1001), Validity(1000, None))
    assert all(validity.covers(1000.5) for validity in (old, new))


def test_a_window_that_is_closed_stays_as_it_is() -> None:
    closed = NOTHING.with_members(A, not_after="1970-01-01T00:00:05Z")
    assert closed.rotated(A, B, 1000).of(A).validity() == Validity(None, 5)


def test_successors_and_predecessors_are_followed_and_no_ring_is_endless() -> None:
    history = NOTHING.rotated(A, B, 1).rotated(B, C, 2)
    assert history.successor(A) == history.successor(B) == history.successor(C) == C
    assert history.predecessors(C) == [B, A]
    assert history.predecessors(A) == []
    ring = history.with_members(C, replaced_by=A)
    assert ring.successor(A) == C
    assert ring.predecessors(A) == [C, B, A]


def test_a_key_without_a_record_has_an_open_window() -> None:
    assert NOTHING.of(A).validity() == Validity()
    revoked = Revoked(at="1970-01-01T00:00:09Z", since="1970-01-01T00:00:05Z", reason="")
    assert NOTHING.with_members(A, revoked=revoked).of(A).validity() == Validity(revoked=Revocation(5, ""))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "restore the file"),
        (b"[]", "its schema is not"),
        (b'{"keys":{}}', "its schema is not"),
        (b'{"schema":"passfloor/key-history/v1"}', "'keys'"),
        (b'{"schema":"passfloor/key-history/v1","keys":[]}', "'keys'"),
        (b'{"schema":"passfloor/key-history/v1","keys":{"%s":{}}}' % A.encode(), "not_before"),
        (b'{"schema":"passfloor/key-history/v1","keys":{},"more":1}', "'more'"),
        (b'{"schema":"passfloor/key-history/v1","keys":{"short":{}}}', "short"),
        (RECORD % b"5", "not_after"),
        (RECORD % b'"2026-02-30T00:00:00Z"', "no such time exists"),
        (b'{"schema":"passfloor/key-history/v1","keys":{},"keys":{}}', "restore the file"),
    ],
)
def test_what_is_no_history_is_refused_on_one_line(data: bytes, words: str) -> None:
    with pytest.raises(KeyFileError) as caught:
        read_history(data, "h.json")
    assert str(caught.value).startswith("h.json: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
