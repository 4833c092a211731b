"""Grading sealed outputs again."""

import io
import json
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from passfloor.checking.regrade import regrade
from passfloor.errors import UsageError
from passfloor.grading import CannotJudge
from passfloor.report.regrading import regrading_document, regrading_report
from passfloor.suites import read_suite

sys.path.insert(0, str(Path(__file__).parents[2] / "vectors" / "receipts"))

import casework
import forging
from judging import HERE, inputs_of

SUITE = {
    "version": "code-v1",
    "tasks": [
        {
            "id": "build",
            "description": "Make out.txt",
            "assertions": [{"kind": "completed"}, {"kind": "command", "argv": ["test", "-f", "out.txt"]}],
        }
    ],
}


def agent(task, index):
    return forging.frame(task, "", {"out.txt": forging.captured("x")} if index == 0 else {})


def document(**changes):
    return casework.honest(suite=SUITE, events=agent, **changes)


def regraded(ask, made=None, *, times=3, **changes):
    inputs = replace(
        inputs_of((*casework.TEST, "--at", casework.AT), HERE / "honest"),
        suite=read_suite(SUITE, folder=None, source="s"),
        **changes,
    )
    return regrade(io.BytesIO(casework.written(made or document())), inputs, ask, times)


def truly(task, index, evidence):
    return "out.txt" in evidence.files


def in_turn(*answers):
    left = list(answers)

    def ask(task, index, evidence):
        answer = left.pop(0)
        if answer is None:
            raise CannotJudge("none")
        return answer

    return ask


def test_graders_that_keep_to_what_is_sealed_pass():
    outcome = regraded(truly)
    assert outcome.status == "PASS"
    assert outcome.declared == 2
    (each,) = outcome.graded
    assert (each.task_id, each.index, each.kind) == ("build", 1, "command")
    assert each.answers == {0: (True,) * 3, 1: (False,) * 3}
    assert each.sealed == {0: True, 1: False}
    assert (outcome.noise.judge, outcome.noise.between, outcome.noise.share) == (0, 1, 0)
    said = regrading_report(outcome)
    assert said.startswith("regrade: PASS\nevery verdict came out as sealed, every time\n")
    assert "declared assertions: 2 answers, pure functions" in said
    assert "0 flipped, 0 without an" in said
    assert all(len(line) <= 80 for line in said.splitlines())


def test_a_grader_that_flips_leaves_it_undecided_and_says_whose_noise_it_is():
    outcome = regraded(in_turn(True, True, False, False, False, False))
    assert outcome.status == "UNDECIDED"
    assert outcome.graded[0].flipped == [0]
    assert (outcome.noise.judge, outcome.noise.between) == (Fraction(1, 3), Fraction(2, 3))
    said = " ".join(regrading_report(outcome).split())
    assert "two gradings of one attempt differ 33.3% of the time" in said
    assert "the graders alone explain 50.0%, the agent the other 50.0%" in said
    assert "task build, attempt 0, assertions[1] (command): sealed true, now true x2, false x1" in said
    assert regrading_document(outcome)["grader_share"] == "1/2"


def test_a_grader_that_steadily_says_otherwise_refuses_the_receipt():
    outcome = regraded(in_turn(*[False] * 6))
    assert outcome.status == "FABRICATED_SCORE"
    assert outcome.graded[0].contradicted == [0]


def test_a_grader_without_an_answer_leaves_it_undecided():
    outcome = regraded(in_turn(None, None, None, False, False, False))
    assert outcome.status == "UNDECIDED"
    assert outcome.graded[0].silent == [0]
    assert "sealed true, now no answer x3" in " ".join(regrading_report(outcome).split())


def test_what_is_sealed_to_have_had_no_answer_is_asked_again():
    made = document()
    attempt = made["task_results"][0]["attempts"][0]
    error = {"type": "grader", "detail": "assertions[1]"}
    attempt.update(outcome="errored", passed=False, score=None, harness_output={}, error=error)
    forging.reclaim(made)
    outcome = regraded(truly, forging.seal(made, forging.TEST_KEY))
    assert outcome.status == "UNDECIDED"
    assert outcome.graded[0].sealed == {0: None, 1: False}
    assert outcome.graded[0].contradicted == [0]


def test_graders_that_were_not_run_leave_it_undecided():
    for changes in ({}, {"allow_attested": True}):
        outcome = regraded(None, **changes)
        assert outcome.status == "UNDECIDED"
        assert outcome.noise is None
        assert "not run, 2 verdicts stand on the signer's word" in regrading_report(outcome)


def test_a_receipt_without_such_graders_passes_and_says_so():
    inputs = inputs_of((*casework.DEFAULT, "--at", casework.AT), HERE / "honest")
    outcome = regrade(io.BytesIO(casework.written(casework.honest())), inputs, truly, 2)
    assert outcome.status == "PASS"
    assert outcome.declared == 6
    assert "graders with code: none in this receipt" in regrading_report(outcome)


def test_another_policy_that_is_not_met_stays_what_it_is():
    made = document(members={"coordination_rule": "unrecorded"})
    made["task_results"][0].update(coordination_hash=None, coordination_identical=None)
    made["coordination_ok"] = None
    assert regraded(truly, forging.seal(made, forging.TEST_KEY)).status == "POLICY_FAILED"


def test_a_receipt_that_is_not_sound_is_not_graded():
    outcome = regraded(truly, {**document(), "signature": ""})
    assert outcome.status == "UNSIGNED"
    assert outcome.graded == ()


@pytest.mark.parametrize("output", [{}, {"assertions": 5}, {"assertions": [5, {"kind": [], "passed": True}]}])
def test_what_is_no_harness_output_is_no_trouble(output):
    made = document()
    made["task_results"][0]["attempts"][0]["harness_output"] = output
    assert regraded(truly, forging.seal(made, forging.TEST_KEY)).status == "FABRICATED_SCORE"


def test_one_attempt_a_task_tells_of_graders_alone():
    outcome = regraded(in_turn(True, False), document(n=1, k=1), times=2)
    assert outcome.noise.between is None
    assert "between attempts" not in regrading_report(outcome)


def test_the_attempts_that_are_told_of_are_limited():
    made = document(n=30, k=1)
    outcome = regraded(lambda *_: True, made, times=2)
    assert "  and 9 more (--json lists all)" in regrading_report(outcome).splitlines()
    json.dumps(regrading_document(outcome))


@pytest.mark.parametrize("times", [-1, 0, 1, 1001])
def test_a_number_of_times_that_shows_nothing_is_refused(times):
    with pytest.raises(UsageError, match="noise shows in 2 gradings"):
        regraded(truly, times=times)
