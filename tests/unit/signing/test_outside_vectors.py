"""Signature vectors of others, read where they lie beside the project."""

import json
from pathlib import Path
from typing import Any

import pytest

from passfloor.errors import KeyFileError
from passfloor.signing.public_keys import PublicKey

FOLDER = Path(__file__).resolve().parents[3].parent / "shared" / "vectors" / "ed25519"

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the outside Ed25519 vectors are not on this machine"
)


def load(name: str) -> Any:
    return json.loads((FOLDER / name).read_bytes())


def test_every_wycheproof_result_is_ours_too() -> None:
    disagreements, counted = [], 0
    for group in load("wycheproof_ed25519_test.json")["testGroups"]:
        key = PublicKey(bytes.fromhex(group["publicKey"]["pk"]))
        for case in group["tests"]:
            counted += 1
            verified = key.verify(bytes.fromhex(case["sig"]), bytes.fromhex(case["msg"]))
            if verified is not (case["result"] == "valid"):
                disagreements.append((case["tcId"], case["comment"], case["result"]))
    assert disagreements == []
    assert counted == 151


def test_no_speccheck_case_verifies_under_a_key_that_passed_the_gate() -> None:
    passed, verified = 0, []
    cases = load("speccheck_cases.json")
    for position, case in enumerate(cases):
        try:
            key = PublicKey(bytes.fromhex(case["pub_key"]))
        except KeyFileError:
            continue
        passed += 1
        if key.verify(bytes.fromhex(case["signature"]), bytes.fromhex(case["message"])):
            verified.append(position)
    assert len(cases) == 12
    assert verified == []
    # The two with S past the order; the keys of all others have a small-order part or a second spelling.
    assert passed == 2
