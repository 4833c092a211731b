"""SWE-bench reports: who is listed, who is not, and how many reports make how many attempts."""

import json
from fractions import Fraction

import pytest

from passfloor.errors import ImportRefused
from passfloor.grading.imported import read_record
from passfloor.importers.interface import Asked
from passfloor.importers.swe_bench import SweBenchImporter

IMPORTER = SweBenchImporter()


def report(resolved=(), unresolved=(), empty=(), error=(), incomplete=(), **members):
    submitted = [*resolved, *unresolved, *empty, *error]
    return {
        "total_instances": len(submitted) + len(incomplete),
        "submitted_instances": len(submitted),
        "resolved_instances": len(resolved),
        "completed_ids": [*resolved, *unresolved],
        "incomplete_ids": list(incomplete),
        "empty_patch_ids": list(empty),
        "submitted_ids": submitted,
        "resolved_ids": list(resolved),
        "unresolved_ids": list(unresolved),
        "error_ids": list(error),
        "schema_version": 2,
    } | members


@pytest.fixture
def make(tmp_path):
    def write(content, name="agent.run1.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
        return path

    return write


@pytest.fixture
def universe(tmp_path):
    path = tmp_path / "universe.txt"
    path.write_text("a\nb\nc\nd\n")
    return path


def outcomes(log):
    return {
        (record.task, record.index): read_record(log.importer, log.rule, record.text).outcome
        for record in log.records()
    }


def test_a_report_is_one_attempt_at_every_instance_it_names(make):
    path = make(report(["a"], ["b"], ["c"], ["d"], ["e"]))
    log = IMPORTER.read(path, Asked())
    assert outcomes(log) == {("a", 0): "passed", ("b", 0): "wrong", ("c", 0): "wrong", ("d", 0): "errored"}
    assert sorted(log.tasks) == ["a", "b", "c", "d", "e"]
    assert (log.planned, log.published[0].value) == (1, Fraction(1, 5))
    assert IMPORTER.recognise(path) is not None


def test_reports_in_a_folder_are_attempts(make, tmp_path):
    make(report(["a"], ["b"]), "runs/agent.run1.json")
    make(report(["b"], incomplete=["a"]), "runs/agent.run2.json")
    log = IMPORTER.read(tmp_path / "runs", Asked())
    assert outcomes(log) == {("a", 0): "passed", ("b", 0): "wrong", ("b", 1): "passed"}
    assert log.planned == 2
    assert not log.published
    assert "agent.run1.json, agent.run2.json" in log.notes[0].text
    assert "agent.run1.json" in IMPORTER.recognise(tmp_path / "runs")


def test_a_report_that_does_not_name_all_its_instances_needs_a_universe(make, universe):
    path = make(report(["a"], ["b"], total_instances=4))
    with pytest.raises(ImportRefused, match=r"speaks of 4 instances and names 2: name all with --universe"):
        IMPORTER.read(path, Asked())
    assert IMPORTER.read(path, Asked(universe=universe)).tasks == ("a", "b", "c", "d")


def test_results_that_name_only_what_was_resolved_need_a_universe(make, universe):
    path = make({"no_generation": ["b"], "no_logs": ["c"], "resolved": ["a"]}, "results.json")
    with pytest.raises(ImportRefused, match="--universe FILE"):
        IMPORTER.read(path, Asked())
    log = IMPORTER.read(path, Asked(universe=universe))
    assert outcomes(log) == {("a", 0): "passed", ("b", 0): "wrong", ("c", 0): "errored", ("d", 0): "wrong"}
    assert IMPORTER.recognise(path) is not None


def test_instances_outside_of_the_universe_are_refused(make, universe):
    with pytest.raises(ImportRefused, match="--universe lacks 1 instance of the reports, such as 'z'"):
        IMPORTER.read(make(report(["a", "z"])), Asked(universe=universe))


def test_predictions_for_other_instances_are_said_and_not_counted(make):
    made = report(["a"], ["b"])
    made["submitted_ids"].append("stranger")
    log = IMPORTER.read(make(made), Asked())
    assert sorted(log.tasks) == ["a", "b"]
    assert [note.code for note in log.notes] == ["outside"]


def test_reports_of_single_instances_are_read_by_run(make, tmp_path):
    for run, name, resolved in (("r1", "a", True), ("r1", "b", False), ("r2", "a", False)):
        make({name: {"patch_exists": True, "resolved": resolved}}, f"logs/{run}/model/{name}/report.json")
    make({}, "logs/r2/model/c/run_instance.json")
    log = IMPORTER.read(tmp_path / "logs", Asked())
    assert outcomes(log) == {("a", 0): "passed", ("b", 0): "wrong", ("a", 1): "wrong"}
    assert (sorted(log.tasks), log.planned) == (["a", "b", "c"], 2)
    assert [note.code for note in log.notes] == ["universe"]
    assert "report of one instance" in IMPORTER.recognise(tmp_path / "logs")


def test_reports_of_two_models_have_to_be_told_apart(make, tmp_path):
    for model in ("gpt-4.1", "gpt-4.2"):
        for run in (1, 2):
            make(report(["a"], ["b"]), f"runs/{model}.run{run}.json")
    with pytest.raises(ImportRefused, match=r"2 models in one log \(gpt-4\.1, gpt-4\.2\)"):
        IMPORTER.read(tmp_path / "runs", Asked())
    log = IMPORTER.read(tmp_path / "runs", Asked(agent="gpt-4.2"))
    assert (log.subject.model, log.planned) == ("gpt-4.2", 2)


def test_single_reports_of_two_models_have_to_be_told_apart(make, tmp_path, universe):
    for model in ("m1", "m2"):
        make({"a": {"patch_exists": True, "resolved": True}}, f"logs/r1/{model}/a/report.json")
    with pytest.raises(ImportRefused, match="2 models in one log"):
        IMPORTER.read(tmp_path / "logs", Asked())
    log = IMPORTER.read(tmp_path / "logs", Asked(agent="m2", universe=universe))
    assert (log.subject.model, log.planned, log.tasks) == ("m2", 1, ("a", "b", "c", "d"))
    make({"z": {"patch_exists": True, "resolved": True}}, "logs/r1/m2/z/report.json")
    with pytest.raises(ImportRefused, match="--universe lacks 1 instance of the reports, such as 'z'"):
        IMPORTER.read(tmp_path / "logs", Asked(agent="m2", universe=universe))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([], "no JSON object"),
        ({}, "expected a report"),
        ({"resolved_ids": "a"}, "expected a report"),
        ({"resolved_ids": [1]}, "no instance id"),
        (report(), "names no instance"),
        (report(["a"], ["a"]), "resolved and not resolved"),
        (report(["a", "a"]), "twice in one list"),
    ],
)
def test_a_broken_report_is_refused_in_one_line(make, content, words):
    with pytest.raises(ImportRefused, match=words):
        IMPORTER.read(make(content), Asked())


def test_a_folder_without_reports_is_refused(tmp_path):
    with pytest.raises(ImportRefused, match="holds no SWE-bench report"):
        IMPORTER.read(tmp_path, Asked())
    assert IMPORTER.recognise(tmp_path) is None


def test_a_report_that_is_not_utf_8_is_refused(tmp_path):
    path = tmp_path / "m.run.json"
    path.write_bytes(json.dumps(report(["a"])).encode().replace(b'"a"', b'"\xff"'))
    with pytest.raises(ImportRefused, match="not UTF-8"):
        IMPORTER.read(path, Asked())
