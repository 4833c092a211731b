"""Names that a suite chose are no commands to the log of a CI job, whatever command prints them."""

import json
import re
from pathlib import Path

import pytest

from passfloor.cli import entry

COMMAND = re.compile(r"^\s*::|##(\[|vso\[)", re.MULTILINE)
HOSTILE = (
    "::error::pwn",
    "a ##vso[task.setvariable]b",
    "##[error]pwn",
    "w" * 60 + " ::error::wrapped",
    "w" * 72 + " ##[error]wrapped",
)
HONEST = ("a::b", "b ::notice::x", "c##x", "d")


class Shell:
    """Runs commands in a folder of its own and keeps all that they print."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.printed = ""

    def __call__(self, *words: str, codes: tuple[int, ...] = (0,)) -> str:
        code = entry.run(list(words))
        told = self.capsys.readouterr()
        assert code in codes, told.err
        self.printed += f"{told.out}\n{told.err}\n"
        return told.out

    def suite(self, version: str, names: tuple[str, ...]) -> str:
        tasks = [{"id": n, "description": n, "assertions": [{"kind": "completed"}]} for n in names]
        path = self.folder / "suite.json"
        path.write_text(json.dumps({"version": version, "tasks": tasks}))
        return str(path)

    def tour(self, version: str, names: tuple[str, ...]) -> None:
        """A suite through every command that names its tasks or its version."""
        suite = self.suite(version, names)
        judge = ("--suite", suite, "--allow-stub", "--allow-unrecorded")
        self("suite", "show", suite)
        self("suite", "validate", suite)
        run = ("bench", "run", suite, "--reliability", "2", "--attempts", "4", "--stub-signer")
        for out in ("r.json", "s.json"):
            self(*run, "--adapter", "stochastic-mock", "--out", out, codes=(0, 1, 4))
        self("bench", "reliability-verify", "r.json", *judge)
        self("bench", "reliability-verify", "r.json", *judge, "--json")
        self("bench", "reliability-verify", "r.json", codes=(2,))
        must = [word for name in names for word in ("--must-pass", name)]
        self("bench", "gate", "r.json", *judge, "--require-task-floor", "1", *must, codes=(0, 1, 4))
        self("bench", "gate", "r.json", *judge, "--must-pass", f"{names[0]} x", codes=(2,))
        self("bench", "compare", "r.json", "s.json", *judge, codes=(0, 1, 4))
        self("bench", "plan", "--of", "r.json", *judge)
        self("bench", "report", "r.json", *judge)
        self("bench", "runs", "list")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PASSFLOOR_HOME", str(tmp_path / "home"))
    return Shell(tmp_path, capsys)


@pytest.mark.parametrize("version", ["::error::pwn", "##[error]pwn", "w" * 60 + " ::error::wrapped"])
def test_no_line_is_a_command_whatever_a_suite_calls_itself_and_its_tasks(shell: Shell, version: str) -> None:
    shell.tour(version, HOSTILE)
    assert not COMMAND.findall(shell.printed)
    assert "\\x3a:error::pwn" in shell.printed or "\\x23#[error]pwn" in shell.printed


def test_a_name_that_begins_no_command_is_printed_as_it_is(shell: Shell) -> None:
    shell.tour("v::1 ##x", HONEST)
    assert all(name in shell.printed for name in (*HONEST, "v::1 ##x"))
    assert "\\x3a" not in shell.printed
    assert "\\x23" not in shell.printed


def test_a_report_that_is_printed_is_whole_whatever_a_task_is_called(shell: Shell) -> None:
    rows = [{"task": name, "attempt": 0, "outcome": "passed"} for name in HOSTILE]
    (shell.folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("bench", "report", "--from-rows", "rows.jsonl", "-k", "1", "--format", "json")
    assert {task["task_id"] for task in json.loads(shell(*words))["tasks"]} == set(HOSTILE)
    shell(*words, "--out", "report.json")
    assert json.loads((shell.folder / "report.json").read_text()) == json.loads(shell(*words))
    assert not COMMAND.findall(shell.printed)
