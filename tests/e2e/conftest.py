"""The real command in a home of its own: nothing of the machine's user is read or written."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).parent / "passfloor"
# Where the tests were told to take the package from, the command takes it from there as well.
_SOURCE = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}


@dataclass
class Cli:
    """Runs ``passfloor`` as a process; ``home`` holds everything it may touch."""

    home: Path
    cwd: Path
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def identity(self) -> Path:
        return self.home / "identity"

    @property
    def tmp(self) -> Path:
        return self.home / "tmp"

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
            "HOME": str(self.home),
            "PASSFLOOR_HOME": str(self.identity),
            "TMPDIR": str(self.tmp),
            **_SOURCE,
            **self.extra,
            **more,
        }

    def command(self, *words: object) -> list[str]:
        return [str(PROGRAM), *map(str, words)]

    def __call__(self, *words, env=None, cwd=None, timeout=120, **options):
        return subprocess.run(
            self.command(*words),
            cwd=cwd or self.cwd,
            env=self.environment(**(env or {})),
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            check=False,
            **options,
        )

    def good(self, *words, **options):
        done = self(*words, **options)
        assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def json(self, *words, code=0, **options):
        done = self(*words, "--json", **options)
        assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return json.loads(done.stdout)

    def write(self, name, text):
        path = self.cwd / name
        path.write_text(text, encoding="utf-8")
        return path

    def suite(self, *ids, name="suite.json", **members):
        """A suite whose tasks want the answer "yes"."""
        task = {"description": "say yes", "assertions": [{"kind": "output_equals", "expected": "yes"}]}
        tasks = [{"id": task_id, **task, **members} for task_id in ids]
        return self.write(name, json.dumps({"version": "own-v1", "tasks": tasks}))


def make_cli(folder: Path) -> Cli:
    for name in ("tmp", "work"):
        (folder / name).mkdir(parents=True)
    return Cli(folder, folder / "work")


@pytest.fixture
def cli(tmp_path):
    return make_cli(tmp_path)


@pytest.fixture(scope="session")
def golden(tmp_path_factory):
    """A home in which golden-v1 was run with k=2: the receipt is ``work/reliability.json``."""
    made = make_cli(tmp_path_factory.mktemp("golden"))
    made.ran = made.json("bench", "run", "golden-v1", "--reliability", 2)
    made.receipt = made.cwd / "reliability.json"
    return made


def refused(done, code):
    """One line of stderr, nothing on stdout."""
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.startswith("passfloor: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.fixture
def expect_refusal():
    return refused
