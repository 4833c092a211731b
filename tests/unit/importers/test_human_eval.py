"""human-eval results: completions in order, mixed counts, and broken lines."""

import json

import pytest

from passfloor.errors import ImportRefused
from passfloor.grading.imported import read_record
from passfloor.importers.human_eval import HumanEvalImporter
from passfloor.importers.interface import Asked

IMPORTER = HumanEvalImporter()


def line(task, passed, **members):
    return json.dumps(
        {"task_id": task, "completion": "  return 1", "result": "x", "passed": passed} | members
    )


@pytest.fixture
def make(tmp_path):
    def write(*lines, end="\n"):
        path = tmp_path / "samples.jsonl_results.jsonl"
        path.write_text("\n".join(lines) + end)
        return path

    return write


def test_lines_are_attempts_in_their_order(make):
    path = make(line("a", True), line("b", False), line("a", False))
    log = IMPORTER.read(path, Asked())
    assert [
        (record.task, record.index, read_record(log.importer, log.rule, record.text).outcome)
        for record in log.records()
    ] == [("a", None, "passed"), ("b", None, "wrong"), ("a", None, "wrong")]
    assert log.tasks == ("a", "b")
    assert log.planned is None
    assert IMPORTER.recognise(path) is not None


def test_a_completion_id_is_the_attempts_number(make):
    log = IMPORTER.read(make(line("a", True, completion_id=1), line("a", True, completion_id=0)), Asked())
    assert [record.index for record in log.records()] == [1, 0]


def test_problems_that_were_never_tried_come_from_the_universe(make, tmp_path, counts):
    problems = tmp_path / "problems.jsonl"
    problems.write_text('{"task_id": "a", "prompt": ""}\n{"task_id": "b", "prompt": ""}\n')
    asked = Asked(universe=problems)
    assert counts(IMPORTER.read(make(line("a", True)), asked), asked) == {"a": (1, 1), "b": (1, 0)}


def test_flags_without_a_meaning_are_refused(make):
    with pytest.raises(ImportRefused, match="--pass-values means nothing"):
        IMPORTER.read(make(line("a", True)), Asked(pass_values=("x",)))


@pytest.mark.parametrize(
    ("lines", "end", "words"),
    [
        ((), "", "holds no line"),
        (("[]",), "\n", "is no JSON object"),
        (("{}",), "\n", "has no task_id"),
        ((line("a", True), '{"task_id": "b", "comp'), "", "line 2, the last, is cut short"),
        (('{"task_id": "b", "comp', line("a", True)), "\n", "line 1: not JSON"),
        ((line("a", True, completion_id="x"),), "\n", "has a trial that is no number"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(make, lines, end, words):
    with pytest.raises(ImportRefused, match=words):
        IMPORTER.read(make(*lines, end=end), Asked())


def test_samples_that_were_not_evaluated_are_not_recognised(make):
    assert IMPORTER.recognise(make('{"task_id": "a", "completion": "x"}')) is None
