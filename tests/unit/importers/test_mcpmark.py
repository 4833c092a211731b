"""Results as MCPMark writes and publishes them, made small here."""

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers.interface import Asked, Log
from passfloor.importers.mcpmark import McpMarkImporter


def attempt(folder: Path, run: int | str, task: str, success: bool = True, **members: Any) -> Path:
    """One attempt of an experiment; ``folder`` is ``<model>__<service>``."""
    place = folder / f"run-{run}" / task
    place.mkdir(parents=True)
    result = {"success": success, "error_message": None, "verification_output": ""} | members
    (place / "meta.json").write_text(json.dumps({"task_name": task, "execution_result": result}))
    return place


def published(folder: Path, task: str, *successes: bool, service: str = "notion", model: str = "m") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    runs = {f"run-{i}": {"success": each, "error_message": None} for i, each in enumerate(successes, 1)}
    path = folder / f"{service}-{task}.json"
    path.write_text(json.dumps({"model": model, "service": service, "task": task, "runs": runs}))
    return path


def opened(path: Path, **asked: Any) -> Log:
    return McpMarkImporter().read(path, Asked(**asked))


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    """Two services, two runs; a__x fails in the second."""
    folder = tmp_path / "exp"
    for run in (1, 2):
        attempt(folder / "m__notion", run, "a__x", run == 1)
        attempt(folder / "m__github", run, "b__y")
    return folder


def test_run_folders_are_attempts(experiment: Path, counts: Any, codes: Any) -> None:
    log = opened(experiment)
    assert counts(log) == {"a__x": (2, 1), "b__y": (2, 2)}
    assert codes(log) == set()
    assert sorted(record.where for record in log.records())[0] == "m__github/run-1/b__y/meta.json"
    assert McpMarkImporter().recognise(experiment)


def test_one_service_alone_is_read_too(experiment: Path, counts: Any) -> None:
    assert counts(opened(experiment / "m__notion")) == {"a__x": (2, 1)}
    assert McpMarkImporter().recognise(experiment / "m__notion")


def test_published_files_are_read_with_each_run_as_it_stands_there(tmp_path: Path, counts: Any) -> None:
    path = published(tmp_path / "m", "a__x", True, False)
    published(tmp_path / "m", "b__y", True, True)
    log = opened(tmp_path / "m")
    assert counts(log) == {"a__x": (2, 1), "b__y": (2, 2)}
    assert next(record.text for record in log.records()) == '{"success": true, "error_message": null}'
    assert counts(opened(path)) == {"a__x": (2, 1)}
    assert McpMarkImporter().recognise(tmp_path / "m")
    assert McpMarkImporter().recognise(path)


def test_an_attempt_that_left_no_result_is_missing(experiment: Path, counts: Any, codes: Any) -> None:
    (experiment / "m__notion" / "run-2" / "a__x" / "meta.json").unlink()
    log = opened(experiment)
    assert counts(log) == {"a__x": (2, 1), "b__y": (2, 2)}
    assert codes(log) == {"unfinished"}


def test_a_result_that_is_cut_is_missing_and_said(experiment: Path, counts: Any, codes: Any) -> None:
    (experiment / "m__github" / "run-1" / "b__y" / "meta.json").write_text('{"task_name": "b')
    log = opened(experiment)
    assert counts(log) == {"a__x": (2, 1), "b__y": (2, 1)}
    assert codes(log) == {"cut"}


def test_a_run_folder_that_is_not_there_leaves_its_attempts_missing(
    experiment: Path, counts: Any, codes: Any
) -> None:
    attempt(experiment / "m__notion", 4, "a__x")
    log = opened(experiment)
    assert counts(log) == {"a__x": (4, 2), "b__y": (4, 2)}
    assert codes(log) == {"missing_runs"}


def test_runs_that_begin_at_a_higher_number_lack_nothing(tmp_path: Path, counts: Any) -> None:
    for run in (5, 6):
        attempt(tmp_path / "m__notion", run, "a__x", run == 5)
    assert counts(opened(tmp_path)) == {"a__x": (2, 1)}


def test_runs_that_share_no_task_are_parts_and_not_attempts(tmp_path: Path, counts: Any, codes: Any) -> None:
    attempt(tmp_path / "m__notion", 1, "a__x")
    attempt(tmp_path / "m__notion", 2, "a__y", False)
    log = opened(tmp_path)
    assert counts(log) == {"a__x": (1, 1), "a__y": (1, 0)}
    assert codes(log) == {"parts"}


def test_retries_until_success_are_said(tmp_path: Path, counted: Any, counts: Any) -> None:
    published(tmp_path / "m", "a__x", False, False, True)
    published(tmp_path / "m", "b__y", True)
    log = opened(tmp_path / "m")
    assert {note.code for note in counted(log).notes} == {"missing", "retries"}
    assert counts(log) == {"a__x": (3, 1), "b__y": (3, 1)}


def test_several_models_are_never_mixed(tmp_path: Path, counts: Any) -> None:
    published(tmp_path / "m", "a__x", True, False)
    published(tmp_path / "n", "a__x", True, True, model="n")
    with pytest.raises(ImportRefused, match=r"2 models in one log \(m, n\)"):
        opened(tmp_path)
    assert counts(opened(tmp_path, agent="n")) == {"a__x": (2, 2)}


def test_a_task_of_two_services_is_two_tasks(tmp_path: Path, counts: Any) -> None:
    published(tmp_path / "m", "a__x", True)
    published(tmp_path / "m", "a__x", False, service="github")
    assert counts(opened(tmp_path / "m")) == {"github/a__x": (1, 0), "notion/a__x": (1, 1)}


def test_the_second_web_service_counts_as_the_first(tmp_path: Path, counts: Any) -> None:
    attempt(tmp_path / "m__playwright", 1, "a__x")
    attempt(tmp_path / "m__playwright_webarena", 1, "b__y", False)
    assert counts(opened(tmp_path)) == {"a__x": (1, 1), "b__y": (1, 0)}


def test_one_attempt_at_two_places_is_refused_with_both(tmp_path: Path, counted: Any) -> None:
    text = published(tmp_path / "m", "a__x", True).read_text()
    (tmp_path / "m" / "copy.json").write_text(text)
    with pytest.raises(ImportRefused, match=r"copy\.json: run-1.*notion-a__x\.json: run-1"):
        counted(opened(tmp_path / "m"))


def test_a_run_that_stands_twice_in_a_file_is_refused(tmp_path: Path, counted: Any) -> None:
    path = published(tmp_path / "m", "a__x", True, True)
    path.write_text(path.read_text().replace("run-2", "run-1"))
    with pytest.raises(ImportRefused, match="'run-1' stands twice"):
        counted(opened(tmp_path / "m"))


def test_the_figures_of_the_summary_are_published(experiment: Path) -> None:
    figures = {
        "pass@1": {"avg": 0.75, "std": 0},
        "pass@2": 1.0,
        "pass^2": 0.5,
        "total_tasks": 2,
        "pass@x": "no",
    }
    (experiment / "summary.json").write_text(json.dumps({"overall": {"m": figures, "n": {"pass@1": 0.1}}}))
    assert [(each.name, each.value) for each in opened(experiment).published] == [
        ("pass@1", Fraction(3, 4)),
        ("pass@2", Fraction(1)),
        ("pass^2", Fraction(1, 2)),
    ]
    (experiment / "summary.json").write_text("{")
    assert opened(experiment).published == ()


def test_what_holds_no_results_is_refused(tmp_path: Path, experiment: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ImportRefused, match="holds no MCPMark results"):
        opened(tmp_path / "empty")
    (tmp_path / "m__notion" / "run-1" / "a__x").mkdir(parents=True)
    with pytest.raises(ImportRefused, match="no attempt that ended"):
        opened(tmp_path / "m__notion")
    for text, match in (("{", "not JSON"), ("{}", "is no MCPMark file"), ("[]", "no JSON object")):
        (tmp_path / "x.json").write_text(text)
        with pytest.raises(ImportRefused, match=match):
            opened(tmp_path / "x.json")
    (tmp_path / "x.json").write_text(json.dumps({"model": "m", "task": "t", "runs": {"run-1": 3}}))
    with pytest.raises(ImportRefused, match="'run-1' of runs is no object"):
        opened(tmp_path / "x.json")
    with pytest.raises(ImportRefused, match="--scorer means nothing for MCPMark"):
        opened(experiment, scorer="s")
    for path in (tmp_path / "empty", tmp_path / "x.json", tmp_path / "absent"):
        assert McpMarkImporter().recognise(path) is None


def test_links_and_fifos_are_refused(experiment: Path, counts: Any) -> None:
    meta = experiment / "m__notion" / "run-1" / "a__x" / "meta.json"
    (experiment / "m__notion" / "run-2").joinpath("z__z").symlink_to("/")
    assert counts(opened(experiment)) == {"a__x": (2, 1), "b__y": (2, 2)}
    meta.unlink()
    meta.symlink_to("/etc/hostname")
    with pytest.raises(ImportRefused, match="is a link"):
        opened(experiment)
    if hasattr(os, "mkfifo"):
        meta.unlink()
        os.mkfifo(meta)
        with pytest.raises(ImportRefused, match="no regular file"):
            opened(experiment)


def test_tasks_of_the_universe_that_are_not_there_are_missing(
    experiment: Path, tmp_path: Path, counts: Any
) -> None:
    names = tmp_path / "all.txt"
    names.write_text("a__x\nb__y\nc__z\n")
    assert counts(opened(experiment), Asked(universe=names))["c__z"] == (2, 0)


def test_folders_that_are_no_task_are_passed_over(experiment: Path, counts: Any) -> None:
    (experiment / "m__notion" / "run-1" / "logs").mkdir()
    (experiment / "m__other").mkdir()
    assert counts(opened(experiment)) == {"a__x": (2, 1), "b__y": (2, 2)}


def test_runs_with_other_names_are_attempts_in_order_of_them(tmp_path: Path, counts: Any) -> None:
    path = published(tmp_path / "m", "a__x", True, False)
    path.write_text(path.read_text().replace("run-1", "first").replace("run-2", "second"))
    log = opened(path)
    assert {record.index for record in log.records()} == {None}
    assert counts(log) == {"a__x": (2, 1)}


def test_a_name_that_no_system_takes_is_not_recognised(tmp_path: Path) -> None:
    assert McpMarkImporter().recognise(tmp_path / ("x" * 5000)) is None


def test_a_file_cut_to_nothing_beside_others_is_refused(tmp_path: Path, counts: Any) -> None:
    published(tmp_path / "m", "a__x", True)
    (tmp_path / "m" / "summary.json").write_text("{}")
    assert counts(opened(tmp_path / "m")) == {"a__x": (1, 1)}
    published(tmp_path / "m", "b__y", False).write_text("")
    with pytest.raises(ImportRefused, match=r"notion-b__y\.json.*get the whole file"):
        opened(tmp_path / "m")


def test_a_task_of_which_no_attempt_ended_stays_in_the_denominator(
    experiment: Path, counts: Any, codes: Any
) -> None:
    (experiment / "m__notion" / "run-1" / "c__z").mkdir()
    broken = attempt(experiment / "m__notion", 2, "d__w") / "meta.json"
    broken.write_text("{")
    log = opened(experiment)
    assert counts(log) == {"a__x": (2, 1), "b__y": (2, 2), "c__z": (2, 0), "d__w": (2, 0)}
    assert codes(log) == {"unfinished", "cut"}


def test_a_run_whose_attempts_never_ended_is_planned(experiment: Path, counts: Any) -> None:
    (experiment / "m__notion" / "run-3" / "a__x").mkdir(parents=True)
    assert counts(opened(experiment)) == {"a__x": (3, 1), "b__y": (3, 2)}
