import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from passfloor.cli.suite import app
from passfloor.errors import SuiteError
from passfloor.suites import load_suite


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def good(*words: str) -> Result:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result


def suite_file(folder: Path, text: str) -> str:
    path = folder / "s.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


HOSTILE = """\
version: "v[red]1"
tasks:
- id: "[/etc/passwd]"
  description: "x\\e[31m[bold] \\u202e and a long line %s"
  files: {"a[red].txt": ""}
  assertions: [{kind: output_contains, text: never}]
""" % ("y" * 300)


def test_list_names_the_built_in_suites_with_their_hashes() -> None:
    rows = json.loads(good("list", "--json").stdout)["suites"]
    assert [row["name"] for row in rows] == ["answers-v1", "golden-v1"]
    assert set(rows[0]) == {"name", "version", "tasks", "suite_hash"}
    text = good("list").stdout
    assert all(row["name"] in text and row["suite_hash"] in text for row in rows)


def test_show_names_tasks_kinds_and_files_within_80_columns() -> None:
    suite = load_suite("golden-v1")
    text = good("show", "golden-v1").stdout
    assert suite.suite_hash in text
    assert all(task.id in text and path in text for task in suite.tasks for path in task.files)
    assert max(map(len, text.splitlines())) <= 80
    shown = json.loads(good("show", "golden-v1", "--json").stdout)
    assert [task["id"] for task in shown["tasks"]] == [task.id for task in suite.tasks]
    assert shown["tasks"][0]["kinds"] == [assertion.kind for assertion in suite.tasks[0].assertions]
    assert shown["tasks"][0]["files"] == suite.tasks[0].file_hashes


def test_hash_prints_the_hash_and_nothing_else() -> None:
    suite = load_suite("golden-v1")
    assert good("hash", "golden-v1").stdout == suite.suite_hash + "\n"
    assert json.loads(good("hash", "golden-v1", "--json").stdout) == {
        "version": "golden-v1",
        "suite_hash": suite.suite_hash,
        "tasks": [{"id": task.id, "task_hash": task.task_hash} for task in suite.tasks],
    }


def test_validate_of_a_sound_suite_is_silent_on_standard_error() -> None:
    result = good("validate", "golden-v1")
    assert result.stdout == "valid: golden-v1, 5 tasks\n"
    assert result.stderr == ""
    assert json.loads(good("validate", "golden-v1", "--json").stdout) == {"valid": True, "warnings": []}


def test_validate_warns_on_standard_error_and_still_succeeds(tmp_path: Path) -> None:
    path = suite_file(
        tmp_path, "version: v\ntasks: [{id: a, description: d, assertions: [{kind: completed}]}]\n"
    )
    result = good("validate", path)
    assert result.stdout == "valid: v, 1 task\n"
    assert result.stderr.startswith('warning: tasks[0] (task "a"): every assertion holds')
    assert len(json.loads(good("validate", path, "--json").stdout)["warnings"]) == 1


@pytest.mark.parametrize("verb", ["validate", "show", "hash"])
def test_a_malformed_suite_is_raised_and_leaves_standard_output_empty(tmp_path: Path, verb: str) -> None:
    result = run(verb, suite_file(tmp_path, "# nothing\n"), "--json")
    assert isinstance(result.exception, SuiteError)
    assert "has no tasks" in str(result.exception)
    assert result.stdout == ""


def test_a_suite_without_assertions_needs_the_flag_that_accepts_it(tmp_path: Path) -> None:
    path = suite_file(tmp_path, "version: v\ntasks: [{id: a, description: d}]\n")
    assert "--completion-only" in str(run("validate", path).exception)
    good("validate", path, "--completion-only")
    assert "nothing (completion only)" in good("show", path, "--completion-only").stdout


def test_what_a_suite_says_reaches_the_terminal_escaped_and_as_it_stands(tmp_path: Path) -> None:
    path = suite_file(tmp_path, HOSTILE)
    text = good("show", path).stdout
    assert "[/etc/passwd]" in text
    assert "a[red].txt" in text
    assert "v[red]1" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert json.loads(good("show", path, "--json").stdout)["tasks"][0]["id"] == "[/etc/passwd]"


def test_new_makes_a_suite_that_validates(tmp_path: Path) -> None:
    result = good("new", str(tmp_path / "mine"))
    assert [Path(line).name for line in result.stdout.splitlines()] == [
        "README.md",
        "orders.csv",
        "suite.yaml",
    ]
    assert "next: passfloor suite validate" in result.stderr
    checked = good("validate", str(tmp_path / "mine"))
    assert checked.stdout == "valid: mine-v1, 2 tasks\n"
    assert checked.stderr == ""
    assert isinstance(run("new", str(tmp_path / "mine")).exception, SuiteError)


def test_new_as_json_names_folder_and_files(tmp_path: Path) -> None:
    made = json.loads(good("new", str(tmp_path / "mine"), "--json").stdout)
    assert made["folder"] == str(tmp_path / "mine")
    assert all(Path(path).is_file() for path in made["files"])


def test_help_is_shown_where_no_verb_is_given() -> None:
    result = run()
    assert all(verb in result.output for verb in ("list", "show", "validate", "hash", "new"))
