"""The assertion ``imported``: its verdict is what the embedded record says, read again."""

import json

import pytest

from passfloor.grading import Attested, grade
from passfloor.grading.imported import Unreadable, read_record
from passfloor.models.assertions import Imported
from passfloor.models.suite import Task

RULE = {"outcome": "o", "error": "e"}


def task(importer="rows", rule=RULE):
    return Task(id="t", description="", assertions=[Imported(kind="imported", importer=importer, rule=rule)])


def events(sample):
    return [
        {"seq": 0, "kind": "task.started"},
        {"seq": 1, "kind": "model.output", "sample": sample},
        {"seq": 2, "kind": "task.completed"},
    ]


@pytest.mark.parametrize(("said", "outcome", "score"), [("passed", "passed", 1.0), ("wrong", "wrong", 0.0)])
def test_a_record_with_a_verdict_gives_it(said, outcome, score):
    verdict = grade(task(), events(json.dumps({"o": said})))
    assert (verdict.outcome, verdict.score, verdict.error) == (outcome, score, None)
    assert verdict.harness_output == {"assertions": [{"kind": "imported", "passed": outcome == "passed"}]}


@pytest.mark.parametrize(("said", "kind"), [("error", "source"), ("cancelled", "cancelled")])
def test_a_record_of_an_attempt_that_did_not_finish_is_errored_in_the_sources_words(said, kind):
    verdict = grade(task(), events(json.dumps({"o": said, "e": "boom \ud835" + "x" * 1000})))
    assert verdict.outcome == "errored"
    assert verdict.error["type"] == kind
    assert verdict.error["detail"].startswith("boom \\ud835xx")
    assert len(verdict.error["detail"]) == 300


@pytest.mark.parametrize(
    ("importer", "record"), [("rows", "{"), ("rows", '{"o": 0.5}'), ("unheard-of", "{}")]
)
def test_a_record_that_gives_no_verdict_cannot_be_judged(importer, record):
    verdict = grade(task(importer), events(record))
    assert verdict.error == {"type": "grader", "detail": "assertions[0]"}


def test_a_record_kept_as_a_digest_is_somebodys_word():
    with pytest.raises(Attested):
        grade(task(), events({"sha256": "0" * 64, "size": 3}))


def test_a_rule_of_any_shape_gives_one_error():
    with pytest.raises(Unreadable, match="another shape than rows writes"):
        read_record("rows", {"outcome": "o", "pass_values": 7}, '{"o": 1}')
