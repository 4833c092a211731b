"""What a relying party demands, as arguments; the vectors hold the same against files and flags."""

import io
import json
from dataclasses import replace
from fractions import Fraction

import cases_policy
import casework
import pytest
from judging import HERE, inputs_of

from passfloor.verification.demands import Demands, ExpectedSubject
from passfloor.verification.steps import policy
from passfloor.verification.verifier import verify

FLAGS = (*casework.DEFAULT, "--at", casework.AT)


def judged(document, now=None, **asked):
    inputs = inputs_of(FLAGS, HERE / "honest")
    inputs = replace(inputs, demands=Demands(**asked), now=inputs.now if now is None else now)
    return verify(io.BytesIO(casework.written(document)), inputs)


def found(document, now=None, **asked):
    return [(each.step, each.code, each.detail) for each in judged(document, now, **asked).findings]


def demanded(demands, **changes):
    """The findings where the honest receipt's head has other members."""
    outcome = judged(casework.honest())
    head = outcome.head.model_copy(update=changes)
    return list(policy.check_demands(head, demands, outcome.numbers, outcome.distinct_outputs, 0.0))


def only(document, now=None, **asked):
    ((_, code, detail),) = found(document, now, **asked)
    return code, detail


def test_a_floor_that_is_met_to_the_last_digit_is_met():
    assert found(casework.honest(), min_floor=Fraction(1, 2)) == []
    code, detail = only(casework.honest(), min_floor=Fraction(1, 2) + Fraction(1, 10**12))
    assert code == "floor"
    assert "asked for pass^2 of at least 0.5, the attempts give 1/2 = 0.5" in detail


def test_a_floor_of_answers_that_nobody_judged_is_none():
    (finding,) = demanded(Demands(min_floor=Fraction(1, 10)), completion_only=True)
    assert finding.code == "floor"
    assert "no answer was judged" in finding.detail
    assert demanded(Demands(), completion_only=True) == []


def test_a_floor_over_a_part_counts_only_where_that_part_is_named():
    document = casework.honest(selection=("capital",))
    code, detail = only(document, min_floor=Fraction(0))
    assert code == "floor"
    assert f"--expect-suite-hash {document['suite_hash']}" in detail
    assert found(document, min_floor=Fraction(0), suite_hash=document["suite_hash"]) == []


def test_without_figures_no_floor_is_met():
    document = casework.honest()
    del document["task_results"][0]
    details = [detail for _, code, detail in found(document, min_floor=Fraction(0)) if code == "floor"]
    assert len(details) == 1
    assert "no figure could be derived" in details[0]


def test_a_part_of_the_suite_is_told_from_the_whole():
    whole = casework.honest()["suite_hash"]
    code, detail = only(casework.honest(selection=("tidy",)), suite_hash=whole)
    assert code == "expected_suite"
    assert f"a part of {whole}" in detail


@pytest.mark.parametrize(
    ("expected", "path"),
    [
        (ExpectedSubject(name="another"), "subject.name"),
        (ExpectedSubject(name="agent", version="9"), "subject.version"),
        (ExpectedSubject(adapter_digest="0" * 64), "subject.adapter_digest"),
    ],
)
def test_another_agent_is_named_by_what_differs(expected, path):
    outcome = judged(casework.honest(), subject=expected)
    assert [(each.code, each.path) for each in outcome.findings] == [("subject", path)]
    assert "is its signer's word" in outcome.findings[0].detail


def test_an_agent_that_nobody_named_is_not_the_one_that_is_meant():
    document = casework.honest()
    named = document["subject"]["name"]
    assert found(document, subject=ExpectedSubject(name=named)) == []
    unnamed = judged(document).head.subject.model_copy(update={"name": None})
    (finding,) = demanded(Demands(subject=ExpectedSubject(name=named)), subject=unnamed)
    assert "the receipt says nothing" in finding.detail


@pytest.mark.parametrize(
    ("seconds", "said"), [(90, "90s ago"), (7300, "2.0h ago"), (300, "5.0m ago"), (400000, "4.6d ago")]
)
def test_age_is_counted_from_the_start_and_said_in_a_unit_to_read(seconds, said):
    from datetime import datetime

    began = datetime.fromisoformat(casework.honest()["session"]["started_at"]).timestamp()
    now = began + seconds
    asked = float(seconds - 1)
    assert not [code for _, code, _ in found(casework.honest(), now, max_age=asked + 1) if code == "age"]
    late = [detail for _, code, detail in found(casework.honest(), now, max_age=asked) if code == "age"]
    assert len(late) == 1
    assert said in late[0]


def test_a_start_at_no_time_that_exists_has_no_age():
    document = casework.honest(session={"started_at": "2026-02-30T09:30:00.000Z"})
    assert "age" in [code for _, code, _ in found(document, max_age=1e12)]


def test_what_was_asked_and_held_is_established():
    document = cases_policy.logged()
    ledger = cases_policy.LEDGERS
    assert judged(document).established == ()
    assert judged(document, ledger=ledger["honest"]).established == ("ledger",)
    beside = judged(document, ledger=ledger["another_run"], other_runs=True)
    assert beside.matches
    assert beside.established == ()
    (other,) = beside.account.others
    assert (other.run_seq, other.status, other.same_plan) == (2, "sealed", True)
    answering = casework.honest(session={"challenge": cases_policy.CHALLENGE})
    assert judged(answering, challenge=cases_policy.CHALLENGE).established == ("challenge",)
    assert judged(answering, challenge=cases_policy.OTHER_CHALLENGE).answered is False
    committed = cases_policy.COMMITMENTS["honest"]
    document = casework.honest(session={"precommit_hash": committed["precommit_hash"]})
    outcome = judged(document, commitment=json.dumps(committed).encode())
    assert outcome.established == ("commitment",)
    assert outcome.committed.document.committed_at == cases_policy.BEFORE


def test_a_ledger_of_many_other_runs_is_told_by_its_first_five():
    before = cases_policy.logged()["receipt_hash"]
    others = [
        cases_policy.began(f"20260131T0900{second:02}Z-0b2c3d", second + 2, before, plan_hash="f" * 64)
        for second in range(7)
    ]
    data = cases_policy.ledger(cases_policy.began(), cases_policy.ended(), *others)
    code, detail = only(cases_policy.logged(), ledger=data)
    assert code == "ledger"
    assert "holds 7 more" in detail
    assert "number 6 (open, another plan) and 2 more; " in detail


def test_a_run_that_was_broken_off_and_gone_on_with_is_the_same_run():
    broken_off = cases_policy.ended(status="aborted")
    data = cases_policy.ledger(cases_policy.began(), broken_off, cases_policy.ended())
    outcome = judged(cases_policy.logged(), ledger=data)
    assert outcome.matches
    assert outcome.account.interruptions == 1


def test_runs_of_another_agent_over_the_suite_are_counted_and_no_reproach():
    subject = {**casework.honest()["subject"], "adapter_digest": "e" * 64}
    other = cases_policy.began(
        cases_policy.EARLIER, 2, cases_policy.logged()["receipt_hash"], subject=subject, plan_hash="f" * 64
    )
    data = cases_policy.ledger(cases_policy.began(), cases_policy.ended(), other)
    outcome = judged(cases_policy.logged(), ledger=data)
    assert outcome.matches
    assert (outcome.account.runs, outcome.account.same_suite) == (2, 1)


def test_a_commitment_made_at_no_time_that_exists_is_refused():
    made = cases_policy.commitment(at="2026-02-30T09:00:00.000Z")
    document = casework.honest(session={"precommit_hash": made["precommit_hash"]})
    code, _ = only(document, commitment=json.dumps(made).encode())
    assert code == "precommit"
