"""The stable objects of machine output."""

from passfloor.checking.check import AttemptCheck, Check
from passfloor.report import json_document
from passfloor.report.view import RunView
from passfloor.verification.findings import Finding
from passfloor.verification.result import Verification


def test_a_run_that_sealed_nothing_has_its_plan_and_nulls(sealed):
    receipt = sealed()[2]
    shown = json_document.run(
        None, None, run="r", receipt=None, plan=receipt, suite_version="own-v1", identity_created=False
    )
    assert shown == {
        "receipt": None,
        "run": "r",
        "identity_created": False,
        "suite_version": "own-v1",
        "suite_hash": receipt.suite_hash,
        "k": 2,
        "n": 4,
        "pass_caret_k": None,
        "pass_at_1": None,
        "success_rate": None,
        "counts": None,
        "coordination_ok": None,
        "coordination_rule": "identical",
        "gate": None,
    }


def test_a_sealed_run_has_the_receipt_s_own_figures(sealed):
    receipt = sealed()[2]
    shown = json_document.run(
        receipt,
        RunView.of(receipt).figures(receipt.k),
        run="r",
        receipt="f.json",
        plan=receipt,
        suite_version="own-v1",
        identity_created=True,
    )
    assert (shown["pass_caret_k"], shown["pass_at_1"]) == (receipt.pass_caret_k, receipt.pass_at_1)
    assert shown["success_rate"] == 7 / 12
    assert shown["counts"] == receipt.counts.model_dump()
    assert (shown["receipt"], shown["identity_created"], shown["coordination_ok"]) == ("f.json", True, True)


def test_the_figures_of_a_verification_are_the_rederived_ones(sealed, judged):
    shown = json_document.verification(judged(sealed(), lambda document: document.update(pass_caret_k=1.0)))
    assert shown["pass_caret_k"] == 0.5
    assert shown["status"] == "FABRICATED_FLOOR"
    assert [sorted(finding) for finding in shown["findings"]] == [
        ["attempt", "code", "detail", "path", "status", "task_id"]
    ] * len(shown["findings"])


def test_an_unreadable_receipt_has_nulls():
    shown = json_document.verification(Verification((Finding(1, "parse", "x"),)))
    nothing = ("receipt_hash", "suite_hash", "k", "n", "pass_caret_k", "pass_at_1", "signer_fingerprint")
    assert all(shown[name] is None for name in nothing)


def test_an_inconclusive_attempt_was_not_compared():
    attempts = (
        AttemptCheck("t", 0, True, True, None, ""),
        AttemptCheck("t", 1, False, False, None, "cut", inconclusive=True),
    )
    shown = json_document.check(Check(Verification(()), attempts))
    assert (shown["status"], shown["compared"], len(shown["attempts"])) == ("UNDECIDED", 1, 2)
    assert set(shown["attempts"][0]) == {
        "task_id", "attempt", "coordination_identical", "byte_identical", "divergent_field", "detail",
        "undecided",
    }  # fmt: skip
