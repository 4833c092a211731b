import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[3]
AGENT = ROOT / "src" / "passfloor" / "agents" / "reference.py"


class Ended(NamedTuple):
    """What one start of the agent left behind."""

    status: int
    stdout: str
    stderr: str
    files: dict[str, bytes]
    journal: str

    def text(self, path: str) -> str:
        return self.files[path].decode()


class Bench:
    """Starts the agent as a process of its own, as the contract for process agents says."""

    def __init__(self, base: Path) -> None:
        self.base, self.starts = base, 0

    def start(self, files, steps=(), *, prompt="Do the job.", argv=(), environment=None, task=True) -> Ended:
        self.starts += 1
        folder = self.base / str(self.starts)
        work, home = folder / "work", folder / "home"
        for made in (work, home):
            made.mkdir(parents=True)
        for path, content in files.items():
            (work / path).parent.mkdir(parents=True, exist_ok=True)
            (work / path).write_bytes(content)
        variables = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(home)}
        variables["PASSFLOOR_JOURNAL"] = str(folder / "journal.jsonl")
        if task:
            document = {"id": "a", "description": prompt, "steps": list(steps), "files": {}}
            (folder / "task.json").write_text(json.dumps(document), encoding="utf-8")
            variables["PASSFLOOR_TASK"] = str(folder / "task.json")
        ended = subprocess.run(
            [sys.executable, "-I", str(AGENT), *argv],
            cwd=work,
            env=variables | (environment or {}),
            input=prompt.encode(),
            capture_output=True,
            timeout=60,
        )
        left = {
            path.relative_to(work).as_posix(): path.read_bytes() for path in work.rglob("*") if path.is_file()
        }
        journal = folder / "journal.jsonl"
        said = journal.read_text(encoding="utf-8") if journal.exists() else ""
        return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode(), left, said)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture(scope="session")
def golden() -> dict[str, dict[str, Any]]:
    """The tasks of golden-v1 as plain data: id -> {description, steps, files as bytes}."""
    folder = ROOT / "suites" / "golden-v1"
    document = YAML(typ="safe").load((folder / "suite.yaml").read_text(encoding="utf-8"))
    return {
        task["id"]: {
            "description": task["description"],
            "steps": task["steps"],
            "files": {path: (folder / entry["from"]).read_bytes() for path, entry in task["files"].items()},
        }
        for task in document["tasks"]
    }
