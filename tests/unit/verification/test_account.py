"""A ledger in which one run has more than one end."""

import io

import cases_policy
import casework
import pytest
from cases_policy import ended, ledger, raised
from forging import Run, build, sha

from passfloor.models.receipt import ReceiptHead
from passfloor.receipts import LineReader
from passfloor.verification.account import judge

FIRST = sha(b"the receipt before")
"""What the second stage of a forged receipt goes on from."""


def account_of(document, *ends, run=cases_policy.RUN):
    reader = LineReader(io.BytesIO(casework.written(document)), max_bytes=2**30, max_nodes=2**30)
    head = ReceiptHead.model_validate(reader.head.value)
    start = cases_policy.began(run=run, plan_hash=head.session.stages[0].plan_hash)
    return judge(ledger(start, *ends), head, head.receipt_hash)


@pytest.fixture
def sealed():
    return cases_policy.logged()


@pytest.fixture
def longer():
    return build(Run(n=3, stages=(2, 3), session={"run_seq": 1}))


def test_a_run_that_was_gone_on_with_is_no_longer_shown_by_its_first_receipt(sealed):
    account = account_of(sealed, ended(), ended(receipt=sha(b"the longer one")))
    [problem] = account.problems
    assert f"sealed as {sha(b'the longer one')} as well" in problem


def test_a_receipt_answers_for_those_that_it_goes_on_from(longer):
    ends = [ended(receipt=FIRST), raised(longer), ended(receipt=longer["receipt_hash"])]
    assert account_of(longer, *ends).problems == ()
    assert account_of(longer, *ends, ended(receipt=sha(b"another"))).problems


def test_attempts_that_were_begun_after_the_seal_and_broken_off_do_not_go_unsaid(sealed):
    [problem] = account_of(sealed, ended(), ended(status="aborted")).problems
    assert "broken off" in problem


def test_a_stage_that_was_begun_and_dropped_does_not_go_unsaid(sealed, longer):
    begun = raised(longer, after_receipt_hash=sealed["receipt_hash"])
    [problem] = account_of(sealed, ended(), begun).problems
    assert "broken off" in problem
    again = raised(longer, at="2026-01-31T09:30:30.500Z")
    [problem] = account_of(
        longer, ended(receipt=FIRST), again, raised(longer), ended(receipt=longer["receipt_hash"])
    ).problems
    assert "broken off" in problem


def test_a_stage_of_the_receipt_has_to_stand_in_the_ledger(longer):
    [problem] = account_of(longer, ended(receipt=FIRST), ended(receipt=longer["receipt_hash"])).problems
    assert "the ledger has not" in problem
    assert longer["session"]["stages"][1]["decided_at"] in problem


def test_a_run_that_was_broken_off_before_it_was_sealed_is_one_run(sealed):
    account = account_of(sealed, ended(status="aborted"), ended(), ended())
    assert (account.problems, account.interruptions) == ((), 1)


def test_a_run_of_the_same_plan_is_a_sibling_whoever_it_names(sealed):
    stranger = {**sealed["subject"], "adapter_digest": "0" * 64}
    same = cases_policy.began(
        run=cases_policy.EARLIER, seq=2, before=sealed["receipt_hash"], subject=stranger
    )
    account = account_of(sealed, ended(), same)
    assert account.problems == ()
    assert [(other.run, other.same_plan) for other in account.others] == [(cases_policy.EARLIER, True)]
    account = account_of(sealed, ended(), {**same, "plan_hash": "0" * 64})
    assert account.others == ()


def test_a_run_that_is_in_no_ledger_is_told_from_one_that_is_missing_in_this_one(sealed):
    [problem] = account_of(sealed, run=cases_policy.EARLIER).problems
    assert "holds 1 runs" in problem
    assert problem.endswith("the receipt says that it is in one")
    [problem] = account_of(casework.honest(), run=cases_policy.EARLIER).problems
    assert problem.endswith("the receipt says that it is in none")


def test_a_receipt_that_is_not_the_one_entered_is_another(sealed):
    [problem] = account_of(sealed, ended(receipt=sha(b"another"))).problems
    assert problem.endswith(f"sealed as {sha(b'another')}, which is another receipt")
