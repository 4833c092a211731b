"""The sentences of a report."""

import pytest

from passfloor.models.receipt import Counts
from passfloor.report.envelope.model import Source
from passfloor.report.envelope.words import Facts, standing, warnings

COUNTS = Counts(tasks=20, attempts=40, passed=30, wrong=10, errored=0, tasks_any=20, tasks_all=10)


def facts(**more):
    return Facts(**{"n": 2, "k": 1, "counts": COUNTS, **more})


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"served": ("m-1", "m-2")}, "served_models"),
        ({"interrupted": 1}, "interrupted"),
        ({"adapter": "mock"}, "synthetic"),
        ({"identical_outputs": True}, "identical_outputs"),
        ({"completion_only": True}, "completion_only"),
        ({"drift": "it drifts"}, "trend"),
    ],
)
def test_each_fact_that_weakens_the_reading_has_its_sentence(more, code):
    assert [remark.code for remark in warnings(facts(**more))] == [code]
    assert list(warnings(facts())) == []


def test_one_model_is_no_cause_for_a_warning():
    assert list(warnings(facts(served=("m-1",), adapter="process"))) == []


@pytest.mark.parametrize(
    ("source", "mark", "words"),
    [
        (Source("rows", "r"), "UNSEALED", "UNSEALED: bare rows"),
        (Source("receipt", "r", True, "MATCH", "signed"), "", "MATCH: every claim follows"),
        (Source("receipt", "r", True, "MATCH", "test"), "TEST-GRADE", "MATCH (TEST-GRADE): "),
        (Source("receipt", "r", False, "UNSIGNED"), "UNVERIFIED", "UNVERIFIED (UNSIGNED: nobody"),
    ],
)
def test_what_stands_behind_the_attempts_is_said_first(source, mark, words):
    assert source.mark == mark
    assert standing(source).startswith(words)


def test_a_verdict_where_no_answer_was_judged_says_so():
    unjudged = Source("receipt", "r", True, "MATCH", "signed", completion_only=True)
    assert standing(unjudged).endswith(
        "; completion only: an attempt passed where it finished, whatever it answered"
    )
    assert "completion only" not in standing(Source("receipt", "r", True, "MATCH", "signed"))
