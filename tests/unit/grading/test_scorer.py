"""Who judges, and what is accepted as a judgement."""

import pytest

from passfloor.grading import DeclaredScorer, Scorer, ScorerFailed, Verdict, grade, judge
from passfloor.models.suite import Task

TASK = Task.model_validate(
    {"id": "t", "description": "", "assertions": [{"kind": "output_equals", "expected": "yes"}]}
)
EVENTS = [{"kind": "model.output", "sample": "yes"}, {"kind": "task.completed"}]
RECEIPT = {"events": EVENTS}
ERRORED = {"events": [{"kind": "attempt.errored", "error": {"type": "timeout", "detail": "300 s"}}]}


class Foreign:
    def __init__(self, answer):
        self.answer = answer

    def score_task(self, task, receipt):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Marked(Foreign):
    declared = True


@pytest.mark.parametrize("scorer", [None, DeclaredScorer(), Marked((False, 0.0, {}))])
def test_the_declared_assertions_judge(scorer):
    assert judge(scorer, TASK, RECEIPT, completion_only=False) == grade(TASK, EVENTS)
    assert judge(scorer, TASK, {"events": []}, completion_only=True).harness_output == {"assertions": []}


def test_the_declared_scorer_returns_what_grading_finds():
    scorer = DeclaredScorer()
    assert isinstance(scorer, Scorer)
    passed = (True, 1.0, {"assertions": [{"kind": "output_equals", "passed": True}]})
    assert scorer.score_task(TASK, RECEIPT) == passed
    assert scorer.score_task(TASK, ERRORED) == (False, None, {})
    assert DeclaredScorer(completion_only=True).score_task(TASK, RECEIPT) == (True, 1.0, {"assertions": []})


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ((True, 1, {"n": [1]}), Verdict("passed", True, 1.0, {"n": [1]}, None)),
        ((False, 0.25, {}), Verdict("wrong", False, 0.25, {}, None)),
        ((False, 0, {}), Verdict("wrong", False, 0.0, {}, None)),
        ((True, None, {}), Verdict("passed", True, None, {}, None)),
    ],
)
def test_a_foreign_scorer_is_asked_and_believed(answer, verdict):
    found = judge(Foreign(answer), TASK, RECEIPT, completion_only=False)
    assert found == verdict
    assert found.score is None or type(found.score) is float


def test_a_foreign_scorer_is_not_asked_about_an_errored_attempt():
    verdict = judge(Foreign(RuntimeError("asked")), TASK, ERRORED, completion_only=False)
    assert verdict == Verdict("errored", False, None, {}, {"type": "timeout", "detail": "300 s"})


def test_what_a_foreign_scorer_keeps_of_its_output_cannot_change_the_verdict():
    answer = (True, 1.0, {"list": []})
    verdict = judge(Foreign(answer), TASK, RECEIPT, completion_only=False)
    answer[2]["list"].append("late")
    assert verdict.harness_output == {"list": []}


@pytest.mark.parametrize(
    "answer",
    [None, True, (True, 1.0), [True, 1.0, {}], (True, 1.0, {}, 0), (1, 1.0, {}), ("yes", 1.0, {}),
     (True, True, {}), (True, "1", {}), (True, float("nan"), {}), (True, float("inf"), {}),
     (True, 1.1, {}), (True, -1, {}),
     (True, 10**400, {}), (True, 1.0, None), (True, 1.0, []), (True, 1.0, {"a": float("nan")}),
     (True, 1.0, {1: 2}), (True, 1.0, {"a": {1, 2}}), (True, 1.0, {"a": 2**60}), RuntimeError("two\nlines")],
)  # fmt: skip
def test_what_is_no_judgement_is_refused(answer):
    with pytest.raises(ScorerFailed) as raised:
        judge(Foreign(answer), TASK, RECEIPT, completion_only=False)
    assert "\n" not in str(raised.value)
