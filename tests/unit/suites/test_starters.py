import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from passfloor.errors import EnvironmentFault, SuiteError
from passfloor.suites import lint, load_suite, starter, write_starter


def test_a_starter_loads_without_warnings_and_is_called_like_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "my-suite"
    written = write_starter(folder)
    assert written == sorted(path for path in folder.rglob("*") if path.is_file())
    suite = load_suite(folder)
    assert suite.version == "my-suite-v1"
    assert len(suite.tasks) == 2
    assert lint(suite) == []


@pytest.mark.parametrize("name", ["1", "true", "a: b", 'q"uote', "#x", "{b}", "é", "-x", "null", "a b"])
def test_every_name_that_can_be_a_version_makes_a_suite(tmp_path: Path, name: str) -> None:
    write_starter(tmp_path / name)
    assert load_suite(tmp_path / name).version == f"{name}-v1"


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 198, "e\u0301", "\u202ex"])
def test_a_name_that_cannot_be_a_version_is_refused(name: str) -> None:
    with pytest.raises(SuiteError, match="the name"):
        starter(name)


def test_an_empty_folder_is_filled_and_one_that_is_not_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    write_starter(folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(SuiteError, match="not empty"):
        write_starter(folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("x", encoding="utf-8")
    with pytest.raises(SuiteError, match="is a file"):
        write_starter(tmp_path / "s")
    with pytest.raises(EnvironmentFault, match="cannot be written"):
        write_starter(tmp_path / "s" / "below")


def test_the_packaged_reference_agent_passes_the_starter(tmp_path: Path) -> None:
    from passfloor.grading import CapturedFile, Evidence, evaluate

    write_starter(tmp_path / "s")
    for task in load_suite(tmp_path / "s").tasks:
        work = tmp_path / task.id
        work.mkdir()
        for path, data in task.file_bytes.items():
            (work / path).write_bytes(data)
        (tmp_path / "task.json").write_text(json.dumps(task.document()), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "passfloor.agents.reference"],
            cwd=work,
            env={**os.environ, "PASSFLOOR_TASK": str(tmp_path / "task.json")},
            input=task.description.encode(),
            capture_output=True,
            check=True,
        )
        evidence = Evidence(
            stdout=done.stdout.decode(),
            stdout_cut=False,
            exit_code=0,
            files={path.name: CapturedFile(path.read_bytes()) for path in work.iterdir()},
            tool_calls=(),
            starting=task.file_bytes,
        )
        assert [evaluate(assertion, evidence) for assertion in task.assertions] == [True] * len(
            task.assertions
        )
