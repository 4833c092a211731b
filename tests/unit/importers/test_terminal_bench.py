"""Runs as Terminal-Bench writes them, made small here."""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers.interface import Asked, Log
from passfloor.importers.terminal_bench import TerminalBenchImporter


def row(name: str, resolved: Any = True, **members: Any) -> dict[str, Any]:
    task = name.partition(".")[0]
    return {
        "id": name,
        "trial_name": name,
        "task_id": task,
        "is_resolved": resolved,
        "failure_mode": "unset",
    } | members


def rows(**tasks: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [
        row(f"{task}.{i}-of-{len(verdicts)}.r", resolved)
        for task, verdicts in tasks.items()
        for i, resolved in enumerate(verdicts, 1)
    ]


def run(
    folder: Path,
    results: list[dict[str, Any]],
    *,
    own: Any = None,
    meta: Mapping[str, Any] | None = None,
    **figures: Any,
) -> Path:
    """A run's folder; ``own``: the trials that stand in their own folder as well, by default all."""
    folder.mkdir(parents=True)
    (folder / "results.json").write_text(json.dumps({"id": "x", "results": results, **figures}))
    for each in results if own is None else own:
        place = folder / each["task_id"] / each["trial_name"]
        place.mkdir(parents=True)
        (place / "results.json").write_text(json.dumps(each))
    if meta is not None:
        (folder / "run_metadata.json").write_text(json.dumps(meta))
    return folder


def opened(path: Path, **asked: Any) -> Log:
    return TerminalBenchImporter().read(path, Asked(**asked))


TWO = {"a": (True, False), "b": (None, True)}


def test_a_run_and_its_results_file_are_the_same(tmp_path: Path, counts: Any) -> None:
    folder = run(tmp_path / "run", rows(**TWO))
    for path in (folder, folder / "results.json"):
        log = opened(path)
        assert counts(log) == {"a": (2, 1), "b": (2, 1)}
        assert [record.index for record in log.records()] == [0, 1, 0, 1]
        assert TerminalBenchImporter().recognise(path)


def test_a_trial_written_at_two_levels_counts_once(tmp_path: Path, codes: Any) -> None:
    log = opened(run(tmp_path / "run", rows(**TWO)))
    assert codes(log) == {"twice"}
    assert len(list(log.records())) == 4


def test_two_levels_that_disagree_are_refused_with_both_places(tmp_path: Path, counts: Any) -> None:
    folder = run(tmp_path / "run", rows(**TWO), own=[row("a.2-of-2.r", True)])
    with pytest.raises(
        ImportRefused, match=r"run/results.json: row 2 and again at a.2-of-2.r/results.json.*--keep"
    ):
        opened(folder)
    assert counts(opened(folder, keep="first"))["a"] == (2, 1)
    assert counts(opened(folder, keep="last"))["a"] == (2, 2)


def test_a_row_that_stands_twice_is_refused(tmp_path: Path, counts: Any) -> None:
    folder = run(tmp_path / "run", [*rows(**TWO), row("a.1-of-2.r", True)], own=[])
    with pytest.raises(ImportRefused, match=r"row 1 and again at run/results.json: row 5"):
        opened(folder)
    assert counts(opened(folder, keep="last")) == {"a": (2, 1), "b": (2, 1)}


def test_a_killed_run_is_read_from_its_trials(tmp_path: Path, counts: Any, codes: Any) -> None:
    folder = run(tmp_path / "run", rows(**TWO), meta={"n_attempts": 3, "task_ids": ["a", "b", "c"]})
    (folder / "results.json").unlink()
    log = opened(folder)
    assert counts(log) == {"a": (3, 1), "b": (3, 1), "c": (3, 0)}
    assert codes(log) == {"killed"}
    partial = run(tmp_path / "other", rows(**TWO)[:2], own=rows(**TWO))
    assert counts(opened(partial)) == {"a": (2, 1), "b": (2, 1)}
    assert codes(opened(partial)) == {"twice", "killed"}


def test_a_trial_whose_file_is_cut_is_missing(tmp_path: Path, counts: Any, codes: Any) -> None:
    folder = run(tmp_path / "run", rows(**TWO))
    (folder / "results.json").unlink()
    (folder / "a" / "a.1-of-2.r" / "results.json").write_text('{"trial_name": "a.1')
    log = opened(folder)
    assert counts(log) == {"a": (2, 0), "b": (2, 1)}
    assert codes(log) == {"killed", "cut"}


def test_missing_attempts_are_counted_by_the_number_in_the_name(tmp_path: Path, counts: Any) -> None:
    folder = run(tmp_path / "run", [row("a.1-of-5.r"), row("a.4-of-5.r"), row("b.5-of-5.r", False)])
    assert counts(opened(folder)) == {"a": (5, 2), "b": (5, 0)}


def test_tasks_of_the_data_set_that_left_no_trace_are_missing(
    tmp_path: Path, counts: Any, codes: Any
) -> None:
    log = opened(run(tmp_path / "run", rows(**TWO), own=[], meta={"dataset_size": 3}))
    assert sorted(counts(log).values()) == [(2, 0), (2, 1), (2, 1)]
    assert codes(log) == {"missing_tasks"}


def test_numbers_that_start_again_in_each_run_are_numbered_on(
    tmp_path: Path, counts: Any, codes: Any
) -> None:
    for name, verdict in (("run1", True), ("run2", False), ("run3", True)):
        run(tmp_path / "all" / name, rows(a=(verdict,), b=(True,)), own=[])
    log = opened(tmp_path / "all")
    assert counts(log) == {"a": (3, 2), "b": (3, 3)}
    assert codes(log) == {"restarted"}
    assert TerminalBenchImporter().recognise(tmp_path / "all")


def test_a_run_that_lacks_a_task_leaves_it_missing_there(tmp_path: Path, counts: Any) -> None:
    run(tmp_path / "all" / "run1", rows(a=(True,), b=(True,)), own=[])
    run(tmp_path / "all" / "run2", rows(a=(True,)), own=[])
    assert counts(opened(tmp_path / "all")) == {"a": (2, 2), "b": (2, 1)}


def test_runs_that_share_no_task_are_parts_of_one(tmp_path: Path, counts: Any, codes: Any) -> None:
    run(tmp_path / "all" / "run1", rows(a=(True, True)), own=[])
    run(tmp_path / "all" / "run2", rows(b=(False, True)), own=[])
    log = opened(tmp_path / "all")
    assert counts(log) == {"a": (2, 2), "b": (2, 1)}
    assert codes(log) == {"parts"}


def test_numbers_that_count_tasks_are_no_attempts(tmp_path: Path, counts: Any, codes: Any) -> None:
    results = [row("a.1-of-3.r"), row("b.2-of-3.r"), row("c.3-of-3.r", False)]
    log = opened(run(tmp_path / "run", results, own=[]))
    assert counts(log) == {"a": (1, 1), "b": (1, 1), "c": (1, 0)}
    assert codes(log) == {"task_numbers"}


def test_trials_without_a_number_are_ordered_by_their_start(tmp_path: Path, counts: Any) -> None:
    results = [row("a.x", False, trial_started_at="2"), row("a.y", True, trial_started_at="1")]
    log = opened(run(tmp_path / "run", results, own=[]))
    assert {record.index for record in log.records()} == {None}
    assert counts(log) == {"a": (2, 1)}


def test_runs_of_several_agents_are_never_mixed(tmp_path: Path, counts: Any) -> None:
    for name in ("one", "two"):
        run(tmp_path / "all" / name, rows(**TWO), own=[], meta={"agent_name": name, "model_name": "m"})
    with pytest.raises(ImportRefused, match=r"2 agents in one log \(one/m, two/m\)"):
        opened(tmp_path / "all")
    log = opened(tmp_path / "all", agent="two")
    assert (log.subject.name, log.subject.model) == ("two", "m")
    assert counts(log) == {"a": (2, 1), "b": (2, 1)}


def test_the_figures_in_the_file_are_published(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", rows(**TWO), own=[], accuracy=0.5, pass_at_k={"2": 1.0, "4": None})
    assert [(each.name, each.value) for each in opened(folder).published] == [
        ("pass@2", Fraction(1)),
        ("success rate", Fraction(1, 2)),
    ]
    run(tmp_path / "all" / "r1", rows(**TWO), own=[], accuracy=0.5)
    run(tmp_path / "all" / "r2", rows(**TWO), own=[], accuracy=0.5)
    assert [each.name for each in opened(tmp_path / "all").published] == [
        "success rate of r1",
        "success rate of r2",
    ]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "cut|expected a JSON object"),
        ("[]", "expected a JSON object"),
        ("{}", "expected a list of results"),
        ('{"results": {}}', "expected a list of results"),
        ('{"results": [{"trial_name": "a", "task_id": "a", "is_resolved": true', "cut"),
        ('{"results": [{"trial_name": "a.1-of-1", "task_id": "a"}]}', "row 1 is no trial"),
        ('{"results": [3]}', "row 1 is no JSON object"),
        ('{"results": []}', "no trial that ended"),
        ('{"results": []} {}', "goes on after"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tmp_path: Path, text: str, match: str) -> None:
    file = tmp_path / "results.json"
    file.write_text(text)
    with pytest.raises(ImportRefused, match=match) as caught:
        opened(file)
    assert "\n" not in str(caught.value)
    assert TerminalBenchImporter().recognise(file) in {None, "'results.json' lists results with is_resolved"}


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", rows(**TWO))
    with pytest.raises(ImportRefused, match="is one trial"):
        opened(folder / "a" / "a.1-of-2.r")
    with pytest.raises(ImportRefused, match="is no Terminal-Bench run"):
        opened(folder / "a" / "a.1-of-2.r" / "..")
    with pytest.raises(ImportRefused, match="--threshold means nothing"):
        opened(folder, threshold=Fraction(1))
    for path in (folder / "a", folder / "a" / "a.1-of-2.r", tmp_path / "absent"):
        assert TerminalBenchImporter().recognise(path) is None
    (folder / "results.json").unlink()
    (folder / "results.json").symlink_to("/etc/hostname")
    with pytest.raises(ImportRefused, match="is a link"):
        opened(folder)
    assert TerminalBenchImporter().recognise(folder) is None


def test_tasks_of_the_universe_that_are_not_there_are_missing(tmp_path: Path, counts: Any) -> None:
    names = tmp_path / "all.txt"
    names.write_text("a\nb\nq\n")
    folder = run(tmp_path / "run", rows(**TWO), own=[])
    assert counts(opened(folder), Asked(universe=names)) == {"a": (2, 1), "b": (2, 1), "q": (2, 0)}


def test_a_task_none_of_whose_trials_left_a_result_stays_in_the_denominator(
    tmp_path: Path, counts: Any, codes: Any
) -> None:
    folder = run(tmp_path / "run", rows(**TWO), own=[])
    (folder / "c" / "c.1-of-2.r").mkdir(parents=True)
    (folder / "logs" / "older").mkdir(parents=True)
    log = opened(folder)
    assert counts(log) == {"a": (2, 1), "b": (2, 1), "c": (2, 0)}
    assert codes(log) == {"unfinished"}


def test_a_number_in_the_metadata_is_no_truth_value(tmp_path: Path, counts: Any) -> None:
    meta = {"n_attempts": True, "dataset_size": 2}
    assert counts(opened(run(tmp_path / "run", rows(**TWO), own=[], meta=meta))) == {"a": (2, 1), "b": (2, 1)}
