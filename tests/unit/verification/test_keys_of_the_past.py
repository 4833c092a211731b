"""Windows, revocations and what a trusted key may speak for."""

import io
from dataclasses import replace

import casework
import forging
import pytest
from judging import HERE, inputs_of

from passfloor.signing.validity import OPEN, Revocation, Validity
from passfloor.verification.findings import Status
from passfloor.verification.inputs import ANYTHING, KeyPolicy, Trust, TrustedKey
from passfloor.verification.result import Assurance
from passfloor.verification.steps.signature import check_signed
from passfloor.verification.verifier import verify

AT = forging.EMITTED
KEY = forging.TEST_KEY.public


def trust_of(validity=OPEN, policy=ANYTHING):
    return Trust(keys={KEY.kid: TrustedKey(KEY, "the test", validity, policy)})


def verified(document, validity=OPEN, policy=ANYTHING):
    inputs = inputs_of((*casework.DEFAULT, "--at", casework.AT), HERE / "honest")
    inputs = replace(inputs, trust=trust_of(validity, policy))
    return verify(io.BytesIO(casework.written(document)), inputs)


def found(outcome):
    return [(finding.step, finding.code) for finding in outcome.findings]


@pytest.mark.parametrize(
    "validity", [OPEN, Validity(AT), Validity(None, AT), Validity(AT, AT), Validity(0, AT + 1)]
)
def test_a_key_counts_for_what_it_signed_in_its_window(validity):
    outcome = verified(casework.honest(), validity)
    assert (outcome.status, outcome.assurance, outcome.anchor) == (Status.MATCH, Assurance.SIGNED, "the test")


@pytest.mark.parametrize("validity", [Validity(AT + 1), Validity(None, AT - 1), Validity(AT - 9, AT - 1)])
def test_outside_its_window_a_key_vouches_for_nothing(validity):
    outcome = verified(casework.honest(), validity)
    assert found(outcome) == [(5, "key_outside_window")]
    assert (outcome.status, outcome.assurance, outcome.anchor) == (Status.UNSIGNED, Assurance.NONE, "")
    assert validity.window in outcome.findings[0].detail
    assert "2026-01-31T09:31:01Z" in outcome.findings[0].detail


@pytest.mark.parametrize("since", [AT - 1000, AT, AT + 1000])
def test_a_revoked_key_vouches_for_nothing_however_old(since):
    outcome = verified(casework.honest(), Validity(revoked=Revocation(since, "laptop stolen")))
    assert found(outcome) == [(5, "key_revoked")]
    assert outcome.assurance is Assurance.NONE
    assert "because: laptop stolen" in outcome.findings[0].detail
    unsaid = verified(casework.honest(), Validity(revoked=Revocation(since)))
    assert "because" not in unsaid.findings[0].detail


def test_no_finding_about_the_key_hides_another():
    document = {**casework.honest()}
    document["signature"] = document["signature"][:-3] + "AAA"
    outcome = verified(document, Validity(None, 5, Revocation(1, "")))
    assert {code for _, code in found(outcome)} >= {"key_revoked", "key_outside_window"}
    assert {step for step, _ in found(outcome)} == {5, 6}


@pytest.mark.parametrize(
    ("policy", "code", "words"),
    [
        (KeyPolicy(min_k=3), "k", "k is 2, the test demands 3 or more"),
        (KeyPolicy(subjects=("other", "more")), "subject", "speak for 'other', 'more' alone"),
    ],
)
def test_what_an_entry_demands_and_does_not_find_is_a_policy_that_failed(policy, code, words):
    outcome = verified(casework.honest(), policy=policy)
    assert found(outcome) == [(16, code)]
    assert (outcome.status, outcome.assurance) == (Status.POLICY_FAILED, Assurance.SIGNED)
    assert words in outcome.findings[0].detail


def test_what_an_entry_demands_and_finds_is_no_finding():
    document = casework.honest()
    name = document["subject"]["name"]
    policy = KeyPolicy(min_k=document["k"], recorded=True, subjects=(name,) if name else ())
    assert verified(document, policy=policy).status is Status.MATCH


def test_an_unnamed_agent_is_none_of_those_a_key_speaks_for():
    head = casework.honest()
    head["subject"]["name"] = None
    outcome = verified(forging.seal(head), policy=KeyPolicy(subjects=("acme",)))
    assert "it is about an unnamed agent" in {f.code: f.detail for f in outcome.findings}["subject"]


def test_coordination_that_must_be_recorded_is_asked_for_whatever_flags_say():
    head = casework.honest()
    head["coordination_rule"] = "unrecorded"
    outcome = verified(forging.seal(head), policy=KeyPolicy(recorded=True))
    details = [f.detail for f in outcome.findings if f.code == "coordination_unrecorded"]
    assert any("the test demands that it was" in detail for detail in details)


def test_a_policy_is_asked_of_what_the_key_signed_alone():
    outcome = verified({**casework.honest(), "signature": ""}, policy=KeyPolicy(min_k=100))
    assert found(outcome) == [(6, "unsigned")]


def test_what_was_made_at_no_time_that_exists_lies_in_no_window():
    document = casework.honest()

    class Head:
        signature = document["signature"]
        signer_fingerprint = KEY.kid

    judged = check_signed(Head(), document["receipt_hash"], trust_of(Validity(0)), at=None)
    assert [f.code for f in judged.findings] == ["key_outside_window"]
    assert "at no time that exists" in judged.findings[0].detail
    assert not check_signed(Head(), document["receipt_hash"], trust_of(), at=None).findings
