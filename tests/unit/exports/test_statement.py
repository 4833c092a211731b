"""The in-toto statement about a verified receipt, and the envelope around it."""

import base64
import io
import json

import casework
import forging
import pytest
from judging import HERE, inputs_of
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from passfloor.canonical import canonical
from passfloor.comparison.evidence import gather
from passfloor.errors import PolicyError
from passfloor.exports.statement import PAYLOAD_TYPE, RELIABILITY, STATEMENT, TEST_RESULT, statement
from passfloor.signing.dsse import envelope, pae
from passfloor.signing.signers import Ed25519Signer

NOW = "2026-02-01T00:00:00.000Z"
SHA = "a" * 64


def evidence(made, *flags):
    asked = (*casework.DEFAULT, "--at", casework.AT, *flags)
    return gather(io.BytesIO(casework.written(made)), inputs_of(asked, HERE / "honest"))


def stated(made=None, predicate="reliability", *flags):
    found = evidence(casework.honest() if made is None else made, *flags)
    return statement(found, predicate, name="receipt.json", sha256=SHA, verified_at=NOW)


def key_of(signing_key):
    public = base64.urlsafe_b64decode(signing_key.public.x + "=").hex()
    return SSlibKey(signing_key.public.kid, "ed25519", "ed25519", {"public": public})


def always(task, index):
    return forging.agent(task, 0)


def never(task, index):
    return forging.frame(task, "no", journal=forging.JOURNAL)


def test_the_subjects_are_the_file_and_the_agent():
    made = casework.honest()
    said = stated(made)
    assert said["_type"] == STATEMENT == "https://in-toto.io/Statement/v1"
    assert said["subject"] == [
        {"name": "receipt.json", "digest": {"sha256": SHA}},
        {"name": "agent:agent", "digest": {"sha256": made["subject"]["adapter_digest"]}},
    ]


def test_the_predicate_says_what_was_derived_in_exact_fractions():
    made = casework.honest()
    said = stated(made)
    body = said["predicate"]
    assert said["predicateType"] == RELIABILITY
    assert (body["n"], body["k"], body["counts"]) == (2, 2, made["counts"])
    assert body["floor"] == {"fraction": "1/2", "float": 0.5}
    assert body["ceiling"] == {"fraction": "1", "float": 1.0}
    assert body["successRate"] == {"fraction": "3/4", "float": 0.75}
    assert body["piles"] == {"always": ["tidy"], "flaky": ["capital"], "never": []}
    assert body["suite"] == {"name": "mini-v1", "digest": {"sha256": made["suite_hash"]}}
    receipt = {"receiptHash": made["receipt_hash"], "signer": made["signer_fingerprint"]}
    assert body["receipt"] == receipt
    assert (body["redactedFrom"], body["attestedVerdicts"], body["selection"]) == (None, 0, None)
    assert body["verifiedAt"] == NOW
    assert "events_happened" in body["notEstablished"]
    canonical(said)


def test_of_a_selection_the_whole_is_named():
    made = casework.honest(selection=("tidy",))
    body = stated(made)["predicate"]
    assert body["selection"] == {"sha256": made["selection"]["of"]}
    assert body["suite"]["digest"] == {"sha256": made["suite_hash"]}


@pytest.mark.parametrize(
    ("agent", "result", "passed", "failed"),
    [
        (always, "PASSED", ["capital", "tidy"], []),
        (forging.agent, "FAILED", ["tidy"], ["capital"]),
        (never, "FAILED", [], ["capital", "tidy"]),
    ],
)
def test_a_task_that_passes_at_times_is_a_test_that_failed(agent, result, passed, failed):
    made = casework.honest(events=agent)
    said = stated(made, "test-result")
    assert said["predicateType"] == TEST_RESULT == "https://in-toto.io/attestation/test-result/v0.1"
    assert said["predicate"] == {
        "result": result,
        "configuration": [{"name": "mini-v1", "digest": {"sha256": made["suite_hash"]}}],
        "passedTests": passed,
        "warnedTests": [],
        "failedTests": failed,
    }


def test_what_does_not_verify_is_not_exported():
    made = casework.honest()
    made["counts"]["passed"] += 1
    with pytest.raises(ValueError, match="verifies"):
        stated(made)


def test_a_test_grade_receipt_is_not_given_a_name():
    made = forging.build(forging.Run(adapter="process", signer="stub"))
    found = gather(
        io.BytesIO(casework.written(made)),
        inputs_of((*casework.SUITE, "--allow-stub", "--at", casework.AT), HERE / "honest"),
    )
    assert found.verification.matches
    with pytest.raises(PolicyError, match="test-grade"):
        statement(found, "reliability", name="r", sha256=SHA, verified_at=NOW)


def test_where_no_assertion_was_consulted_nothing_was_tested():
    made = casework.honest(members={"completion_only": True, "graders": {}})
    assert stated(made)["predicate"]["completionOnly"] is True
    with pytest.raises(PolicyError, match="completion-only"):
        stated(made, "test-result")


def test_another_implementation_verifies_the_envelope():
    payload = canonical(stated())
    made = envelope(PAYLOAD_TYPE, payload, Ed25519Signer(forging.TEST_KEY))
    read = Envelope.from_dict(json.loads(json.dumps(made)))
    assert read.payload == payload
    assert read.payload_type == "application/vnd.in-toto+json"
    assert read.pae() == pae(PAYLOAD_TYPE, payload)
    assert set(read.verify([key_of(forging.TEST_KEY)], 1)) == {forging.TEST_KEY.public.kid}


def test_another_implementation_refuses_one_that_was_changed():
    made = envelope(PAYLOAD_TYPE, canonical(stated()), Ed25519Signer(forging.TEST_KEY))
    for change in ({"payload": base64.b64encode(b"{}").decode()}, {"payloadType": "application/json"}):
        with pytest.raises(VerificationError):
            Envelope.from_dict(json.loads(json.dumps({**made, **change}))).verify(
                [key_of(forging.TEST_KEY)], 1
            )
    with pytest.raises(VerificationError):
        Envelope.from_dict(json.loads(json.dumps(made))).verify([key_of(forging.OTHER_KEY)], 1)


def test_the_encoding_before_signing_is_that_of_the_specification():
    assert pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
    assert pae("ä", "ö".encode()) == b"DSSEv1 2 \xc3\xa4 2 \xc3\xb6"
