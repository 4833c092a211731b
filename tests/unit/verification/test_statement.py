"""Check statements: what makes one count, and each way in which one does not, beside its honest twin."""

import copy
import json
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from passfloor.models.check import CHECK_TYP
from passfloor.signing.jws import RECEIPT_TYP
from passfloor.signing.private_keys import SigningKey
from passfloor.signing.signers import Ed25519Signer, StubReliabilitySigner
from passfloor.verification.inputs import Trust, TrustedKey
from passfloor.verification.result import Assurance
from passfloor.verification.statement import Subject, judge, lacks, statement_hash

NOW = 1_800_000_000.0
RECEIPT, SUITE = "a" * 64, "b" * 64
KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
OTHER = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33))))
SLOTS = [("t", 0), ("t", 1), ("u", 0), ("u", 1)]
SUBJECT = Subject(
    SimpleNamespace(suite_hash=SUITE, coordination_rule="causal", emitted_at=NOW - 9000), RECEIPT, set(SLOTS)
)
TRUST = Trust(keys={KEY.public.kid: TrustedKey(KEY.public, "the test")}, pinned=True)


def honest():
    attempts = [
        {
            "task_id": task,
            "index": index,
            "coordination_identical": True,
            "byte_identical": True,
            "undecided": False,
        }
        for task, index in SLOTS
    ]
    return {
        "schema": "passfloor/check/v1",
        "tool": {"name": "passfloor", "version": "1"},
        "receipt_hash": RECEIPT,
        "suite_hash": SUITE,
        "mode": "replay",
        "rule": "causal",
        "attempts": attempts,
        "counts": {"attempts": 4, "coordination_identical": 4, "byte_identical": 4, "undecided": 0},
        "checked_at": "2027-01-15T08:00:00.000Z",
    }


def sealed(document, signer=None, *, typ=CHECK_TYP):
    signer = signer or Ed25519Signer(KEY)
    hashed = statement_hash(document)
    signature = signer.sign_hash(hashed, typ=typ)
    return {
        **document,
        "statement_hash": hashed,
        "signature": signature,
        "signer_fingerprint": signer.fingerprint,
    }


def judged(document, trust=TRUST, now=NOW):
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return judge(data, SUBJECT, trust, now)


def edited(**members):
    document = honest()
    document.update(copy.deepcopy(members))
    return document


def test_an_honest_statement_of_a_trusted_signer_counts():
    found = judged(sealed(honest()))
    assert (found.problem, found.assurance, found.anchor) == ("", Assurance.SIGNED, "the test")
    assert found.document.document() == sealed(honest())
    assert lacks(found, SUBJECT) == ""


def test_the_test_stub_counts_only_where_it_is_allowed():
    document = sealed(honest(), StubReliabilitySigner())
    assert judged(document, Trust(allow_stub=True)).assurance is Assurance.TEST
    assert judged(document, Trust()).problem.startswith("stub_not_allowed")
    assert judged(document).problem.startswith("stub_not_allowed")


@pytest.mark.parametrize("signer", [Ed25519Signer(KEY), StubReliabilitySigner()], ids=["key", "stub"])
def test_the_signature_of_a_receipt_is_none_of_a_statement(signer):
    trust = TRUST if isinstance(signer, Ed25519Signer) else Trust(allow_stub=True)
    assert judged(sealed(honest(), signer, typ=RECEIPT_TYP), trust).problem
    assert not judged(sealed(honest(), signer), trust).problem


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"signature": ""}, "unsigned"),
        ({"signer_fingerprint": ""}, "unsigned"),
        ({"signer_fingerprint": OTHER.public.kid}, "key_unknown"),
        ({"statement_hash": "0" * 64}, "claims the hash"),
        ({"mode": "rerun"}, "claims the hash"),
        ({"signature": "x"}, "header"),
    ],
)
def test_what_was_changed_after_signing_is_refused(change, reason):
    found = judged({**sealed(honest()), **change})
    assert found.document is None
    assert reason in found.problem
    assert "refused" in lacks(found, SUBJECT)


def test_the_statement_of_a_stranger_is_refused():
    assert judged(sealed(honest(), Ed25519Signer(OTHER))).problem.startswith("key_unknown")


ONE = honest()["attempts"][0]
FEWER = {"attempts": 1, "coordination_identical": 1, "byte_identical": 1, "undecided": 0}


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (edited(receipt_hash="c" * 64), "another receipt"),
        (edited(suite_hash="c" * 64), "another suite"),
        (edited(rule="identical"), "another rule"),
        (edited(attempts=[ONE, ONE], counts={**FEWER, "attempts": 2}), "twice"),
        (edited(attempts=[{**ONE, "index": 7}], counts=FEWER), "does not hold"),
        (edited(attempts=[{**ONE, "task_id": "z"}], counts=FEWER), "does not hold"),
        (edited(attempts=[{**ONE, "coordination_identical": False}], counts=FEWER), "contradicts"),
        (edited(attempts=[{**ONE, "undecided": True}], counts=FEWER), "contradicts"),
        (edited(counts={**honest()["counts"], "byte_identical": 3}), "counts"),
        (edited(checked_at="2027-02-30T08:00:00.000Z"), "it was made at"),
        (edited(checked_at="2029-01-15T08:00:00.000Z"), "it was made at"),
        (edited(checked_at="2020-01-15T08:00:00.000Z"), "it was made at"),
    ],
)
def test_what_its_own_signer_made_up_about_the_receipt_is_refused(document, reason):
    assert reason in judged(sealed(document)).problem


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (b"", "cannot be read"),
        (b"{", "cannot be read"),
        (b'{"a":1,"a":2}', "cannot be read"),
        (b"[]", "no check statement"),
        (b"{}", "no check statement"),
        (edited(schema="passfloor/check/v2"), "no check statement"),
        (edited(further=1), "malformed"),
        (edited(attempts=[]), "malformed: attempts"),
        (edited(attempts=[{**ONE, "index": True}]), "malformed: attempts.0.index"),
        (edited(attempts=[{**ONE, "byte_identical": 1}]), "malformed"),
        (edited(mode="other"), "malformed: mode"),
    ],
)
def test_what_is_no_statement_is_refused(document, reason):
    whole = document if isinstance(document, bytes) else sealed(document)
    assert reason in judged(whole).problem


def test_a_replay_of_every_attempt_is_what_is_demanded():
    assert lacks(None, SUBJECT) == "no check statement was given"
    rerun = judged(sealed(edited(mode="rerun")))
    assert not rerun.problem
    assert "re-runs" in lacks(rerun, SUBJECT)
    part = judged(sealed(edited(attempts=[ONE], counts=FEWER)))
    assert not part.problem
    assert lacks(part, SUBJECT) == "of 4 attempts 3 are not vouched for"
    parted = {**ONE, "coordination_identical": False, "byte_identical": False}
    attempts = [parted, *honest()["attempts"][1:]]
    counts = {"attempts": 4, "coordination_identical": 3, "byte_identical": 3, "undecided": 0}
    diverged = judged(sealed(edited(attempts=attempts, counts=counts)))
    assert not diverged.problem
    assert lacks(diverged, SUBJECT) == "of 4 attempts 1 are not vouched for"
