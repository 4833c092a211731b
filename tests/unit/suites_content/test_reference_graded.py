"""The packaged agent on golden-v1, judged by the assertions of the suite."""

import json
import os
import subprocess
import sys

import pytest


@pytest.fixture
def attempt(tmp_path):
    """A function that starts the agent on a task in a fresh folder and returns the files it leaves."""

    def start(task, *argv):
        work = tmp_path / "work"
        for path, content in task.file_bytes.items():
            (work / path).parent.mkdir(parents=True, exist_ok=True)
            (work / path).write_bytes(content)
        told = tmp_path / "task.json"
        told.write_text(json.dumps({"id": task.id, "description": task.description, "steps": task.steps}))
        ended = subprocess.run(
            [sys.executable, "-m", "passfloor.agents.reference", *argv],
            cwd=work,
            env={**os.environ, "PASSFLOOR_TASK": str(told)},
            input=task.description.encode(),
            capture_output=True,
            timeout=60,
        )
        assert (ended.returncode, ended.stderr) == (0, b"")
        return {
            path.relative_to(work).as_posix(): path.read_bytes() for path in work.rglob("*") if path.is_file()
        }

    return start


def test_it_passes_every_task(golden, failed, attempt, right_way):
    task = golden.by_id[right_way[0]]
    assert failed(task, attempt(task)) == []


def test_flaky_one_fails_every_task(golden, failed, attempt, right_way):
    task = golden.by_id[right_way[0]]
    assert failed(task, attempt(task, "--flaky", "1")) != []
