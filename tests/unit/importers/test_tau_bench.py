"""tau-bench results: rows by task and trial, gaps, and broken files."""

import json
from fractions import Fraction

import pytest

from passfloor.errors import ImportRefused
from passfloor.grading.imported import read_record
from passfloor.importers.interface import Asked
from passfloor.importers.tau_bench import TauBenchImporter

IMPORTER = TauBenchImporter()


def row(task, trial, reward=1.0, **info):
    return {"task_id": task, "reward": reward, "info": info, "traj": [], "trial": trial}


@pytest.fixture
def make(tmp_path):
    def write(rows, name="results.json"):
        path = tmp_path / name
        path.write_text(rows if isinstance(rows, str) else json.dumps(rows))
        return path

    return write


def outcomes(log):
    return [
        (record.task, record.index, read_record(log.importer, log.rule, record.text).outcome)
        for record in log.records()
    ]


def test_rows_are_attempts_by_task_and_trial(make):
    path = make([row(0, 0), row(1, 0, 0.0), row(0, 1, 0.0, error="boom"), row(1, 1)])
    log = IMPORTER.read(path, Asked())
    assert outcomes(log) == [(0, 0, "passed"), (1, 0, "wrong"), (0, 1, "errored"), (1, 1, "passed")]
    assert (log.tasks, log.planned, log.notes) == ((0, 1), 2, ())
    assert IMPORTER.recognise(path) is not None


def test_a_trial_that_is_absent_everywhere_stays_planned(make):
    assert IMPORTER.read(make([row(0, 0), row(0, 3)]), Asked()).planned == 4


def test_rows_without_a_trial_come_in_their_order(make):
    rows = [{"task_id": 0, "reward": 1, "traj": []}] * 2
    log = IMPORTER.read(make(rows), Asked())
    assert log.planned is None
    assert [record.index for record in log.records()] == [None, None]


def test_two_rows_of_one_trial_are_both_given_with_their_places(make):
    log = IMPORTER.read(make([row(0, 0), row(0, 0)]), Asked())
    assert [record.where for record in log.records()] == ["results.json: row 1", "results.json: row 2"]


def test_task_numbers_that_are_left_out_are_said(make, tmp_path, counts):
    path = make([row(number, 0) for number in range(30) if number not in range(3, 15)])
    (note,) = IMPORTER.read(path, Asked()).notes
    assert "12 task ids between 0 and 29 without a row (3, 4, 5, 6, 7, 8, 9, 10, ...)" in note.text
    universe = tmp_path / "tasks.txt"
    universe.write_text("\n".join(map(str, range(30))))
    asked = Asked(universe=universe)
    log = IMPORTER.read(path, asked)
    assert not log.notes
    assert counts(log, asked) == {str(n): (1, int(n not in range(3, 15))) for n in range(30)}


def test_a_threshold_is_sealed(make):
    log = IMPORTER.read(make([row(0, 0, 0.5)]), Asked(threshold=Fraction(1, 2)))
    assert outcomes(log) == [(0, 0, "passed")]
    with pytest.raises(ImportRefused, match="--scorer means nothing"):
        IMPORTER.read(make([row(0, 0)]), Asked(scorer="x"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "in the middle"),
        ("{}", r"expected '\['"),
        ("[]", "empty array"),
        ("[3]", "is no JSON object"),
        ('[{"reward": 1}]', "has no task_id"),
        ('[{"task_id": true}]', "has no task_id"),
        ('[{"task_id": 1, "trial": -1}]', "has a trial that is no number"),
        ('[{"task_id": 1, "trial": 1e2}]', "has a trial that is no number"),
        ('[{"task_id": 1, "trial": 99999999999}]', "has a trial that is no number"),
        ('[{"task_id": 1, "trial": 0}', "cut short"),
        ('[{"task_id": 1, "trial": 0}][]', "were two files joined"),
        ('[{"task_id": 1, "x": ' + "[" * 5000 + "]" * 5000 + "}]", "nested deeper|deeper than"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(make, content, words):
    with pytest.raises(ImportRefused, match=words) as caught:
        IMPORTER.read(make(content), Asked())
    assert "\n" not in str(caught.value)


def test_other_files_are_not_recognised(make, tmp_path):
    assert IMPORTER.recognise(make("[1, 2]")) is None
    assert IMPORTER.recognise(make('{"task_id": 1, "reward": 1, "traj": []}')) is None
    assert IMPORTER.recognise(tmp_path) is None
