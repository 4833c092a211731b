"""A key under which more than its holder could sign is refused before anything is verified."""

import base64

import pytest
from judging import HERE

from passfloor.cli import main

IDENTITY = (1).to_bytes(32, "little")
"""The neutral element: order 1. Under it anything has a signature."""
ORDER_TWO = (2**255 - 20).to_bytes(32, "little")
ORDER_FOUR = bytes(32)
ORDER_EIGHT = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
NOT_CANONICAL = (2**255 - 19 + 1).to_bytes(32, "little")
"""The neutral element again, spelled as y = p + 1."""
NO_POINT = (2).to_bytes(32, "little")


@pytest.mark.parametrize("raw", [IDENTITY, ORDER_TWO, ORDER_FOUR, ORDER_EIGHT, NOT_CANONICAL, NO_POINT])
def test_a_weak_key_is_refused_by_the_command(raw, monkeypatch, capsys):
    key = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    suite = str(HERE / "suites/mini.json")
    receipt = str(HERE / "honest/receipt.json")
    words = ["passfloor", "bench", "verify", receipt, "--suite", suite, "--signer-key", key]
    monkeypatch.setattr("sys.argv", words)
    assert main() == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "key" in captured.err
    assert captured.err.count("\n") == 1
