"""The files of graders with code."""

from pathlib import Path
from typing import Any

import pytest

from passfloor.errors import SuiteError
from passfloor.models.content import BinaryFile
from passfloor.models.suite import Suite
from passfloor.suites import lint, load_suite, read_suite
from passfloor.suites.graders import with_files
from passfloor.suites.places import Place

PLACE = Place("s.yaml", "tasks[0].assertions", "a")


def document(*assertions: dict[str, Any]) -> dict[str, Any]:
    return {"version": "v", "tasks": [{"id": "a", "description": "", "assertions": list(assertions)}]}


def loaded(folder: Path, *assertions: dict[str, Any]) -> Suite:
    return read_suite(document(*assertions), folder=folder, source="s.yaml")


def test_a_functions_module_is_taken_from_beside_the_suite(tmp_path: Path) -> None:
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "units.py").write_text("def ok(attempt): return True\n")
    suite = loaded(tmp_path, {"kind": "python", "grader": "checks.units:ok"})
    assertion: Any = suite.tasks[0].assertions[0]
    assert assertion.files == {"checks/units.py": "def ok(attempt): return True\n"}


def test_what_the_suite_embeds_is_the_same_suite(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text("def ok(attempt): return True\n")
    (tmp_path / "data.bin").write_bytes(b"\xff")
    more = {"data.bin": {"from": "data.bin"}}
    suite = loaded(
        tmp_path,
        {"kind": "python", "grader": "checks:ok", "files": more},
        {"kind": "command", "run": "sh t.sh", "files": {"t.sh": "exit 0"}},
        {"kind": "command", "run": "true"},
    )
    again = read_suite(suite.document(), folder=None, source="the embedded suite")
    assert again.suite_hash == suite.suite_hash
    assert again == suite
    assertion: Any = again.tasks[0].assertions[0]
    assert assertion.files["data.bin"] == BinaryFile(base64="/w==")


def test_a_changed_grader_is_another_suite(tmp_path: Path) -> None:
    entry = {"kind": "python", "grader": "checks:ok"}
    (tmp_path / "checks.py").write_text("def ok(attempt): return True\n")
    before = loaded(tmp_path, entry).suite_hash
    (tmp_path / "checks.py").write_text("def ok(attempt): return False\n")
    assert loaded(tmp_path, entry).suite_hash != before


def test_a_module_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"checks\.py.*cannot be read beside the suite: no such file"):
        loaded(tmp_path, {"kind": "python", "grader": "checks:ok"})


def test_a_suite_without_a_folder_must_bring_the_module() -> None:
    with pytest.raises(SuiteError, match="cannot take files from beside it"):
        read_suite(document({"kind": "python", "grader": "checks:ok"}), folder=None, source="s")


@pytest.mark.parametrize(
    "files", [{"../x": ""}, {"a": 5}, {"a": {"form": "b"}}, {"a": {"from": "../b"}}, [], {"a": "", "a/b": ""}]
)
def test_files_that_are_none_are_refused(tmp_path: Path, files: object) -> None:
    with pytest.raises(SuiteError):
        loaded(tmp_path, {"kind": "command", "run": "true", "files": files})


@pytest.mark.parametrize(
    "entries",
    [
        None,
        5,
        [5],
        [{}],
        [{"kind": "completed"}],
        [{"kind": []}],
        [{"kind": "python"}],
        [{"kind": "python", "grader": 5}],
        [{"kind": "python", "grader": "..:ok"}],
    ],
)
def test_what_is_no_such_assertion_is_left_for_others_to_refuse(tmp_path: Path, entries: object) -> None:
    assert with_files(entries, tmp_path, PLACE) == entries


def test_a_folder_is_loaded_with_its_graders(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text("def ok(attempt): return True\n")
    (tmp_path / "suite.yaml").write_text(
        "version: v\ntasks:\n- id: a\n  description: d\n  assertions:\n"
        "  - {kind: python, grader: 'checks:ok'}\n"
    )
    assert load_suite(str(tmp_path)).tasks[0].assertions[0].kind == "python"


def test_a_command_that_brings_nothing_is_warned_about() -> None:
    def warned(**members: Any) -> list[str]:
        work = {"kind": "content_eq", "path": "out", "expected": "42x"}
        entries = document(work, {"kind": "command", "run": "pytest -q", **members})
        return lint(read_suite(entries, folder=None, source="s"))

    (warning,) = warned()
    assert "the agent can change what judges it" in warning
    assert warned(files={"t.py": ""}) == []


def test_nothing_is_said_of_what_a_grader_with_code_thinks_of_an_idle_agent() -> None:
    entries = document({"kind": "command", "run": "true", "files": {"t": ""}})
    assert lint(read_suite(entries, folder=None, source="s")) == []
