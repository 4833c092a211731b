"""pydantic-evals reports: cases and failures together, repeats by name, and what is no verdict."""

import json
from fractions import Fraction

import pytest

from passfloor.errors import ImportRefused
from passfloor.grading.imported import read_record
from passfloor.importers.interface import Asked
from passfloor.importers.pydantic_evals import PydanticEvalsImporter

IMPORTER = PydanticEvalsImporter()


def case(name, value=True, source=None, **members):
    assertions = {} if value is None else {"Equals": {"name": "Equals", "value": value}}
    return {
        "name": name,
        "inputs": "x",
        "assertions": assertions,
        "scores": {},
        "labels": {},
        "task_duration": 0.1,
        "source_case_name": source,
        "evaluator_failures": [],
    } | members


def failure(name, source=None):
    return {
        "name": name,
        "error_message": "ValueError: x",
        "error_stacktrace": "...",
        "source_case_name": source,
    }


@pytest.fixture
def make(tmp_path):
    def write(cases=(), failures=(), **members):
        path = tmp_path / "report.json"
        report = {"name": "agent", "cases": list(cases), "failures": list(failures), "dataset_name": "quiz"}
        path.write_text(json.dumps(report | members))
        return path

    return write


def outcomes(log):
    return {
        (record.task, record.index): read_record(log.importer, log.rule, record.text).outcome
        for record in log.records()
    }


def test_cases_and_failures_are_attempts_by_the_number_in_their_names(make):
    path = make(
        [case("a [1/2]", source="a"), case("a [2/2]", False, "a"), case("b [1/2]", source="b")],
        [failure("b [2/2]", "b")],
    )
    log = IMPORTER.read(path, Asked())
    assert outcomes(log) == {("a", 0): "passed", ("a", 1): "wrong", ("b", 0): "passed", ("b", 1): "errored"}
    assert (log.suite, log.subject.name, log.planned, log.rule) == ("quiz", "agent", 2, {})
    assert IMPORTER.recognise(path) is not None


def test_repeats_that_are_absent_stay_planned(make):
    assert IMPORTER.read(make([case("a [5/9]", source="a")]), Asked()).planned == 9


def test_a_name_that_only_looks_like_a_repeat_is_a_task_of_its_own(make):
    log = IMPORTER.read(make([case("a [1/2]"), case("a [2/2]")]), Asked())
    assert log.tasks == ("a [1/2]", "a [2/2]")
    assert log.planned == 1


def test_a_repeat_without_its_number_comes_in_order(make):
    log = IMPORTER.read(make([case("other", source="a")]), Asked())
    assert [(record.task, record.index) for record in log.records()] == [("a", None)]


def test_cases_without_assertions_need_a_score(make):
    scored = [case(name, None, scores={"quality": {"value": 0.7}, "cost": {"value": 3}}) for name in "ab"]
    path = make(scored)
    with pytest.raises(ImportRefused, match=r"--scorer of cost, quality"):
        IMPORTER.read(path, Asked())
    with pytest.raises(ImportRefused, match=r"say which score that is for"):
        IMPORTER.read(path, Asked(threshold=Fraction(1, 2)))
    with pytest.raises(ImportRefused, match="none of the report's evaluators"):
        IMPORTER.read(path, Asked(scorer="x"))
    log = IMPORTER.read(path, Asked(scorer="quality", threshold=Fraction(7, 10)))
    assert log.rule == {"scorer": "quality", "threshold": "0.7"}
    assert set(outcomes(log).values()) == {"passed"}


def test_a_threshold_is_for_the_only_score(make):
    log = IMPORTER.read(
        make([case("a", None, scores={"quality": {"value": 0.7}})]), Asked(threshold=Fraction(1, 2))
    )
    assert log.rule["scorer"] == "quality"


def test_a_report_without_any_evaluator_is_refused(make):
    with pytest.raises(ImportRefused, match="the report has none, evaluate it first"):
        IMPORTER.read(make([case("a", None)]), Asked())


def test_a_report_of_failures_alone_is_read(make):
    path = make((), [failure("a")])
    assert outcomes(IMPORTER.read(path, Asked())) == {("a", 0): "errored"}
    assert IMPORTER.recognise(path) is not None


def test_failed_report_evaluators_are_said(make):
    log = IMPORTER.read(make([case("a")], report_evaluator_failures=[{"name": "x"}]), Asked())
    assert [note.code for note in log.notes] == ["report_evaluators"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "in the middle"),
        ("[]", "expected '{'"),
        ("{}", "no array 'cases'"),
        ('{"cases": 3}', "no array 'cases'"),
        ('{"cases": []}', "holds no case"),
        ('{"cases": [1]}', "is no JSON object"),
        ('{"cases": [{}]}', "has no name"),
        ('{"cases": [{"name": "a"}', "cut short"),
    ],
)
def test_a_broken_report_is_refused_in_one_line(tmp_path, content, words):
    path = tmp_path / "report.json"
    path.write_text(content)
    with pytest.raises(ImportRefused, match=words) as caught:
        IMPORTER.read(path, Asked())
    assert "\n" not in str(caught.value)
    assert IMPORTER.recognise(path) is None
