import pytest

from passfloor.signing import base64url


@pytest.mark.parametrize(
    ("data", "text"),
    [(b"", ""), (b"\xff", "_w"), (b"\xfb\xff", "-_8"), (b"abc", "YWJj"), (b"\0\0\x17", "AAAX")],
)
def test_canonical_text_and_bytes_go_both_ways(data: bytes, text: str) -> None:
    assert base64url.encode(data) == text
    assert base64url.decode(text) == data


@pytest.mark.parametrize(
    "text",
    ["_w==", "_w=", "_x", "/w", "+/8", "YW Jj", "YWJj\n", "Y", "YWJj*", "YWJé", "\ud800", "YWJj=", "_w."],
)
def test_any_other_spelling_is_no_spelling(text: str) -> None:
    assert base64url.decode(text) is None
