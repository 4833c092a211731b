"""Verdicts that nobody evaluated here, and graders with code that somebody may run."""

import copy
import io
import json
from dataclasses import replace
from fractions import Fraction

import casework
import forging
import pytest
from judging import HERE, inputs_of

from passfloor.errors import EnvironmentFault
from passfloor.grading import CannotJudge
from passfloor.models.suite import Task
from passfloor.suites import read_suite
from passfloor.verification.inputs import Trust
from passfloor.verification.result import Assurance
from passfloor.verification.verifier import verify

SUITE = {
    "version": "code-v1",
    "tasks": [
        {
            "id": "build",
            "description": "Make out.txt",
            "assertions": [
                {"kind": "completed"},
                {"kind": "command", "argv": ["test", "-f", "out.txt"]},
            ],
        },
        {
            "id": "plain",
            "description": "Say Paris",
            "assertions": [{"kind": "output_equals", "expected": "Paris"}],
        },
    ],
}
FLAGS = (*casework.TEST, "--at", casework.AT)


def agent(task, index):
    if task["id"] == "plain":
        return forging.frame(task, "Paris\n")
    return forging.frame(task, "", {"out.txt": forging.captured("x")} if index == 0 else {})


def document(events=agent, suite=SUITE, **changes):
    return casework.honest(suite=copy.deepcopy(suite), events=events, **changes)


def resealed(made, signer=forging.TEST_KEY):
    return forging.seal(made, signer)


def verified(made, *, data=None, flags=FLAGS, suite=SUITE, **changes):
    judged = replace(
        inputs_of(flags, HERE / "honest"), suite=read_suite(suite, folder=None, source="the suite"), **changes
    )
    return verify(io.BytesIO(casework.written(made) if data is None else data), judged)


def codes(outcome):
    return [(finding.step, finding.code) for finding in outcome.findings]


class Asked:
    """Runs nothing, notes what it is asked, and answers as the grader would, or as it is told."""

    def __init__(self, *answers):
        self.answers, self.calls = list(answers), []

    def __call__(self, task, attempt, index, evidence):
        self.calls.append((task.id, attempt, index))
        answer = self.answers.pop(0) if self.answers else "out.txt" in evidence.files
        if answer is None:
            raise CannotJudge("no answer")
        return answer


def test_a_verdict_of_a_grader_that_was_not_run_is_attested():
    outcome = verified(document())
    assert codes(outcome) == [(16, "attested_verdict")]
    assert str(outcome.status) == "POLICY_FAILED"
    assert outcome.attested == (("build", 0), ("build", 1))
    (finding,) = outcome.findings
    assert finding.detail.startswith("2 of 4 verdicts are in part the signer's word")
    assert (finding.task_id, finding.attempt) == ("build", 0)
    assert outcome.numbers.pass_hat_k == Fraction(1, 2)


def test_an_attested_verdict_counts_where_the_relying_party_says_so():
    outcome = verified(document(), allow_attested=True)
    assert outcome.matches
    assert outcome.attested == (("build", 0), ("build", 1))
    assert outcome.graders_run == 0


def test_a_suite_without_such_graders_has_nothing_attested():
    asked = Asked()
    outcome = verify(
        io.BytesIO(casework.written(casework.honest())),
        replace(inputs_of((*casework.DEFAULT, "--at", casework.AT), HERE / "honest"), run_grader=asked),
    )
    assert outcome.matches
    assert outcome.attested == ()
    assert asked.calls == []


@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        ("passed", True, "passed"),
        ("outcome", "passed", "outcome"),
        ("score", 1.0, "score"),
        ("harness_output", {}, "harness_output"),
        ("harness_output", {"assertions": [{"kind": "completed", "passed": True}]}, "harness_output"),
        ("harness_output", {"assertions": "all held"}, "harness_output"),
        (
            "harness_output",
            {"assertions": [{"kind": "completed", "passed": False}, {"kind": "command", "passed": False}]},
            "harness_output",
        ),
        (
            "harness_output",
            {"assertions": [{"kind": "completed", "passed": True}, {"kind": "completed", "passed": False}]},
            "harness_output",
        ),
        (
            "harness_output",
            {"assertions": [{"kind": "completed", "passed": True}, {"kind": "command", "passed": 0}]},
            "harness_output",
        ),
    ],
)
def test_all_that_can_be_checked_of_an_attested_verdict_is_checked(member, value, code):
    made = document()
    made["task_results"][0]["attempts"][1][member] = value
    outcome = verified(resealed(made), allow_attested=True)
    assert str(outcome.status) == "FABRICATED_SCORE"
    assert code in {finding.code for finding in outcome.findings}


def test_figures_must_follow_from_attested_verdicts_too():
    made = document()
    made["pass_caret_k"] = 1.0
    assert (14, "pass_caret_k") in codes(verified(resealed(made), allow_attested=True))


def could_not_judge(made, position=1, index=0):
    attempt = made["task_results"][0]["attempts"][index]
    error = {"type": "grader", "detail": f"assertions[{position}]"}
    attempt.update(outcome="errored", passed=False, score=None, harness_output={}, error=error)
    forging.reclaim(made)
    return resealed(made)


def test_that_a_grader_gave_no_answer_is_attested_as_well():
    outcome = verified(could_not_judge(document()))
    assert codes(outcome) == [(16, "attested_verdict")]
    assert outcome.numbers.counts.errored == 1


def test_a_pure_assertion_cannot_be_attested_to_have_had_no_answer():
    outcome = verified(could_not_judge(document(), position=0), allow_attested=True)
    assert str(outcome.status) == "FABRICATED_SCORE"


def test_where_a_later_assertion_cannot_be_judged_nothing_is_asked_of_the_earlier_one():
    suite = copy.deepcopy(SUITE)
    suite["tasks"][0]["assertions"] = [
        {"kind": "command", "argv": ["test", "-f", "out.txt"]},
        {"kind": "output_equals", "expected": "Paris"},
    ]

    def cut(task, index):
        return forging.frame(task, "Pa", output={"cut": 3}) if task["id"] == "build" else agent(task, index)

    asked = Asked()
    outcome = verified(document(cut, suite), suite=suite, run_grader=asked, allow_attested=True)
    assert outcome.matches
    assert outcome.attested == (("build", 0), ("build", 1))
    assert asked.calls == []


def test_an_attempt_that_did_not_finish_is_not_attested():
    def broken(task, index):
        if task["id"] == "build" and index == 1:
            error = {"type": "timeout", "detail": "not done after 1 s"}
            return forging.frame(task, "", exit_code=None, error=error)
        return agent(task, index)

    outcome = verified(document(broken))
    assert outcome.attested == (("build", 0),)


def test_graders_that_agree_make_a_match():
    asked = Asked()
    outcome = verified(document(), run_grader=asked)
    assert outcome.matches
    assert asked.calls == [("build", 0, 1), ("build", 1, 1)]
    assert outcome.graders_run == 2
    assert outcome.attested == ()


def test_graders_are_asked_about_a_receipt_in_any_layout():
    data = json.dumps(document(), indent=1).encode()
    asked = Asked()
    assert verified(None, data=data, run_grader=asked).matches
    assert len(asked.calls) == 2


def test_a_grader_that_contradicts_the_receipt_refuses_it():
    outcome = verified(document(), run_grader=Asked(False, False), allow_attested=True)
    assert str(outcome.status) == "FABRICATED_SCORE"
    found = set(codes(outcome))
    assert {(12, "outcome"), (12, "passed"), (12, "score"), (12, "harness_output")} <= found
    assert {(14, "counts"), (14, "pass_at_1")} <= found
    assert outcome.numbers.counts.passed == 2
    assert outcome.findings[0].attempt == 0


def test_a_grader_that_gives_no_answer_here_leaves_the_verdict_attested():
    outcome = verified(document(), run_grader=Asked(None, None))
    assert codes(outcome) == [(16, "attested_verdict")]
    assert outcome.attested == (("build", 0), ("build", 1))
    assert outcome.graders_run == 0


def test_a_grader_that_gave_no_answer_there_is_asked_here_and_nothing_held_against_it():
    asked = Asked()
    outcome = verified(could_not_judge(document()), run_grader=asked, allow_attested=True)
    assert outcome.matches
    assert asked.calls == [("build", 0, 1), ("build", 1, 1)]
    assert outcome.attested == (("build", 0),)


def forged_signature(made):
    made["signature"] = made["signature"][:-2] + ("AA" if made["signature"][-2:] != "AA" else "QQ")
    return made


def broken_hash(made):
    made["emitted_at"] += 1
    return made


def fabricated(made):
    made["task_results"][1]["attempts"][0]["passed"] = False
    return resealed(made)


@pytest.mark.parametrize(
    "spoil",
    [
        forged_signature,
        broken_hash,
        fabricated,
        lambda made: resealed(made, forging.OTHER_KEY),
        lambda made: {**made, "signature": ""},
    ],
)
def test_nothing_is_run_for_a_receipt_that_is_not_sound(spoil):
    asked = Asked()
    assert not verified(spoil(document()), run_grader=asked).matches
    assert asked.calls == []


def test_nothing_is_run_for_a_signature_that_anybody_can_make():
    asked = Asked()
    stub = ("--allow-stub", "--at", casework.AT)
    outcome = verified(document(signer="stub"), flags=stub, run_grader=asked, allow_attested=True)
    assert outcome.matches
    assert outcome.assurance is Assurance.TEST
    assert asked.calls == []


def test_a_policy_that_is_not_met_does_not_keep_graders_from_running():
    suite = copy.deepcopy(SUITE)
    asked = Asked()
    made = document(members={"coordination_rule": "unrecorded"})
    for result in made["task_results"]:
        result.update(coordination_hash=None, coordination_identical=None)
    made["coordination_ok"] = None
    outcome = verified(resealed(made), suite=suite, run_grader=asked)
    assert codes(outcome) == [(16, "coordination_unrecorded")]
    assert len(asked.calls) == 2


def test_nothing_is_run_where_the_run_is_not_the_one_that_was_asked_for():
    asked = Asked()
    outcome = verified(document(), flags=(*FLAGS, "--challenge", "A" * 43), run_grader=asked)
    assert codes(outcome) == [(15, "challenge"), (16, "attested_verdict")]
    assert asked.calls == []


class Swapped(io.BytesIO):
    """A file that holds something else from the second time on that it is read from its start."""

    def __init__(self, first, then):
        super().__init__(first)
        self._then, self._rewound = then, 0

    def seek(self, offset, whence=0):
        if (offset, whence) == (0, 0):
            self._rewound += 1
            if self._rewound == 2:
                content = self._then
                super().seek(0)
                self.truncate()
                self.write(content)
        return super().seek(offset, whence)


def other_events(task, index):
    return forging.frame(task, "Paris\n", {"out.txt": forging.captured("evil")})


@pytest.mark.parametrize(
    "then",
    [
        casework.written(document(other_events)),
        casework.written({**document(), "task_results": []}),
        casework.written({**document(), "task_results": [{"attempts": []}]}),
        casework.written({**document(), "task_results": ["none"]}),
        b"{}",
        b'{\n"a":1,\n"task_results":[\n{"attempts":[1\n]}\n',
    ],
)
def test_what_was_exchanged_after_the_first_pass_is_not_run(then):
    asked = Asked()
    stream = Swapped(casework.written(document()), then)
    judged = replace(
        inputs_of(FLAGS, HERE / "honest"),
        suite=read_suite(SUITE, folder=None, source="the suite"),
        run_grader=asked,
    )
    with pytest.raises(EnvironmentFault, match="was changed while it was verified"):
        verify(stream, judged)
    assert asked.calls == []


def test_a_file_that_ends_early_the_second_time_is_noticed():
    suite = {**SUITE, "tasks": SUITE["tasks"][::-1]}
    made = document(suite=suite)
    shorter = {**made, "task_results": made["task_results"][:1]}
    asked = Asked()
    judged = replace(
        inputs_of(FLAGS, HERE / "honest"),
        suite=read_suite(suite, folder=None, source="the suite"),
        run_grader=asked,
    )
    with pytest.raises(EnvironmentFault, match="was changed while it was verified"):
        verify(Swapped(casework.written(made), casework.written(shorter)), judged)
    assert asked.calls == []


def test_an_embedded_suites_graders_are_those_that_its_hash_names():
    made = document(embed=True)
    asked = Asked()
    flags = (*casework.TEST, "--use-embedded-suite", "--at", casework.AT)
    outcome = verify(
        io.BytesIO(casework.written(made)), replace(inputs_of(flags, HERE / "honest"), run_grader=asked)
    )
    assert outcome.matches
    made["suite"]["tasks"][0]["assertions"][1]["argv"] = ["rm", "-rf", "out.txt"]
    again = Asked()
    outcome = verify(
        io.BytesIO(casework.written(resealed(made))),
        replace(inputs_of(flags, HERE / "honest"), run_grader=again),
    )
    assert str(outcome.status) == "HASH_MISMATCH"
    assert again.calls == []


def test_the_files_of_a_grader_are_in_the_hash_of_its_task():
    def hashed(**files):
        entry = {"kind": "command", "argv": ["sh", "t.sh"], "files": files}
        return Task.model_validate({"id": "t", "description": "", "assertions": [entry]}).task_hash

    assert hashed(a="x") != hashed(a="y")
    assert hashed(a="x") == hashed(a="x")
    assert hashed(a={"base64": "eA=="}) == hashed(a="x")


def test_trust_without_any_key_runs_nothing():
    asked = Asked()
    outcome = verified(document(), run_grader=asked, trust=Trust())
    assert str(outcome.status) == "UNSIGNED"
    assert asked.calls == []
