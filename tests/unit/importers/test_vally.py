"""Result rows as Vally writes them, made small here."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers.interface import Asked, Log
from passfloor.importers.vally import VallyImporter


def row(stimulus: str, index: int | None = None, passed: bool = True, **members: Any) -> dict[str, Any]:
    numbered = {} if index is None else {"trialIndex": index, "totalTrials": 2}
    return (
        {
            "type": "trial-result",
            "itemId": f"e::{stimulus}",
            "evalName": "e",
            "variant": "main",
            "stimulus": stimulus,
            "model": "m",
            "status": "success",
            "gradeResult": {"passed": passed, "score": int(passed)},
        }
        | numbered
        | members
    )


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


ROWS = [row("a", 0), row("a", 1, False), row("b", 0), row("b", 1), {"type": "run-summary", "passed": True}]


def opened(path: Path, **asked: Any) -> Log:
    return VallyImporter().read(path, Asked(**asked))


def test_trials_of_a_stimulus_are_its_attempts(tmp_path: Path, counts: Any) -> None:
    path = written(tmp_path / "run" / "results.jsonl", ROWS)
    for place in (path, tmp_path / "run", tmp_path):
        log = opened(place)
        assert counts(log) == {"a": (2, 1), "b": (2, 2)}
        assert (log.suite, log.subject.name, log.subject.model) == ("e", "main", "m")
        assert VallyImporter().recognise(place)


def test_a_trial_without_a_number_is_the_first_of_one(tmp_path: Path, counted: Any, counts: Any) -> None:
    path = written(tmp_path / "results.jsonl", [row("a"), row("b", None, False)])
    assert counts(opened(path)) == {"a": (1, 1), "b": (1, 0)}
    written(path, [row("a"), row("a")])
    with pytest.raises(ImportRefused, match=r"line 1.*line 2"):
        counted(opened(path))


def test_a_trial_that_is_not_there_is_missing(tmp_path: Path, counts: Any) -> None:
    assert counts(opened(written(tmp_path / "results.jsonl", ROWS[1:]))) == {"a": (2, 0), "b": (2, 2)}


def test_variants_are_never_mixed(tmp_path: Path, counts: Any) -> None:
    rows = ROWS + [each | {"variant": "next"} for each in ROWS[:4]]
    path = written(tmp_path / "results.jsonl", rows)
    with pytest.raises(ImportRefused, match=r"2 agents in one log \(main/m, next/m\)"):
        opened(path)
    assert counts(opened(path, agent="next")) == {"a": (2, 1), "b": (2, 2)}


def test_a_stimulus_of_two_evaluations_is_two_tasks(tmp_path: Path, counts: Any) -> None:
    log = opened(written(tmp_path / "results.jsonl", [row("a"), row("a", None, False, evalName="f")]))
    assert counts(log) == {"e/a": (1, 1), "f/a": (1, 0)}
    assert log.suite == "vally"


def test_a_last_line_that_is_cut_is_left_out_and_said(tmp_path: Path, counts: Any) -> None:
    path = written(tmp_path / "results.jsonl", ROWS[:4])
    path.write_text(path.read_text()[:-30])
    log = opened(path)
    assert [note.code for note in log.notes] == ["cut"]
    assert counts(log) == {"a": (2, 1), "b": (2, 1)}
    path.write_text("{\n" + path.read_text())
    with pytest.raises(ImportRefused, match="line 1: not JSON"):
        opened(path)


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="has none"):
        opened(tmp_path)
    written(tmp_path / "x" / "results.jsonl", ROWS)
    written(tmp_path / "y" / "results.jsonl", ROWS)
    with pytest.raises(ImportRefused, match=r"has 2 \(x, y\): name one"):
        opened(tmp_path)
    written(tmp_path / "z.jsonl", [{"type": "run-summary"}])
    with pytest.raises(ImportRefused, match="no row of type trial-result"):
        opened(tmp_path / "z.jsonl")
    for members, match in (
        ({"stimulus": "", "itemId": 3}, "names no stimulus"),
        ({"trialIndex": "0"}, "no count"),
    ):
        with pytest.raises(ImportRefused, match=match):
            opened(written(tmp_path / "z.jsonl", [row("a") | members]))
    with pytest.raises(ImportRefused, match="--scorer means nothing"):
        opened(tmp_path / "x", scorer="s")
    assert opened(tmp_path / "x", threshold=Fraction(1, 2)).rule == {"threshold": "0.5"}
    for path in (tmp_path, tmp_path / "absent"):
        assert VallyImporter().recognise(path) is None


def test_tasks_of_the_universe_that_are_not_there_are_missing(tmp_path: Path, counts: Any) -> None:
    names = tmp_path / "all.txt"
    names.write_text("a\nb\nq\n")
    path = written(tmp_path / "results.jsonl", ROWS)
    assert counts(opened(path), Asked(universe=names))["q"] == (2, 0)
