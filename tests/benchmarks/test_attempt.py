"""A process attempt with its whole contract, beside a bare fresh folder and the same program."""

import shutil
import subprocess
import tempfile

from passfloor.adapters.interface import AttemptSpec
from passfloor.adapters.process import ProcessAdapter
from passfloor.models.suite import Task

TASK = Task.model_validate(
    {"id": "t", "description": "do nothing", "files": {"a.txt": "x\n"}, "assertions": [{"kind": "completed"}]}
)


def bare(root) -> None:
    folder = tempfile.mkdtemp(dir=root)
    subprocess.run(["true"], cwd=folder, input=b"do nothing", capture_output=True, check=True)
    shutil.rmtree(folder)


def test_a_bare_folder_and_true(benchmark, tmp_path):
    benchmark.group = "process attempt"
    benchmark(bare, tmp_path)


def test_an_attempt_of_true(benchmark, tmp_path):
    benchmark.group = "process attempt"
    adapter = ProcessAdapter(["true"], workspace_root=tmp_path)
    numbers = iter(range(10**9))

    def attempt() -> None:
        index = next(numbers)
        receipt = adapter.run_attempt(TASK, AttemptSpec(index, f"{index:064x}", "", 0, index), {})
        assert receipt["events"][-1]["kind"] == "task.completed"

    benchmark(attempt)
