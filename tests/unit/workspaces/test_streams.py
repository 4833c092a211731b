from hashlib import sha256

import pytest

from passfloor.workspaces.streams import STDERR_CAP, STDOUT_CAP, Head, Tail


def fed(stream, *chunks):
    for chunk in chunks:
        stream.feed(chunk)
    return stream.text()


def test_what_fits_is_kept_whole():
    kept = fed(Head(10), b"12345", b"67890")
    assert (kept.text, kept.cut, kept.replaced) == ("1234567890", 0, None)
    kept = fed(Tail(10), b"12345", b"67890")
    assert (kept.text, kept.cut, kept.replaced) == ("1234567890", 0, None)


def test_the_head_keeps_the_first_bytes_and_counts_the_rest():
    kept = fed(Head(4), b"12", b"345", b"6789")
    assert (kept.text, kept.cut) == ("1234", 5)


def test_the_tail_keeps_the_last_bytes_and_counts_the_rest():
    kept = fed(Tail(4), b"12", b"345", b"6789")
    assert (kept.text, kept.cut) == ("6789", 5)


def test_the_caps_are_a_mebibyte_of_output_and_four_kibibytes_of_error():
    assert (STDOUT_CAP, STDERR_CAP) == (1_048_576, 4_096)


@pytest.mark.parametrize("character", ["é", "€", "🙂"])
def test_a_character_that_a_cap_cuts_in_two_is_left_out_and_not_replaced(character):
    raw = character.encode()
    for part in range(1, len(raw)):
        head = fed(Head(2 + part), b"ab" + raw)
        assert (head.text, head.cut, head.replaced) == ("ab", len(raw), None)
        tail = fed(Tail(2 + part), raw + b"ab")
        assert (tail.text, tail.cut, tail.replaced) == ("ab", len(raw), None)


def test_half_a_character_that_the_agent_itself_wrote_is_replaced_and_flagged():
    kept = fed(Head(10), b"ab\xe2\x82")
    assert (kept.text, kept.cut) == ("ab�", 0)
    assert kept.replaced == sha256(b"ab\xe2\x82").hexdigest()


def test_bytes_that_are_no_utf8_are_replaced_with_the_digest_of_what_was_kept():
    kept = fed(Tail(10), b"PASS \xff\xfe\n")
    assert kept.text == "PASS ��\n"
    assert kept.replaced == sha256(b"PASS \xff\xfe\n").hexdigest()
