"""Whole runs of agents that do nothing, each attempt held against the least that anybody must do.

``python tests/benchmarks/runs.py ROW COUNT`` does one row in this process and prints its figures.
"""

import contextlib
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

from passfloor.executors.local import default_concurrency
from passfloor.models.suite import Suite
from passfloor.running.plan import make_plan
from passfloor.running.recorded import RecordedRun
from passfloor.running.runner import Runner
from passfloor.running.saving import place

PER_TASK = 100
FLUSH: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
LINE = b"x" * 1000 + b"\n"
AGENT = "def act(task, attempt):\n    return 'done'\n"


def _bare(root: Path) -> None:
    """A fresh folder with a starting file, HOME and TMPDIR, a group of its own, capture, and all deleted."""
    path = Path(tempfile.mkdtemp(dir=root))
    work, home, tmp = path / "work", path / "home", path / "tmp"
    for inside in (work, home, tmp):
        inside.mkdir()
    (work / "a.txt").write_text("x\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(tmp)}
    process = subprocess.Popen(
        ["true"],
        cwd=work,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    process.communicate(b"do nothing")
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    files = {entry.name: Path(entry).read_bytes() for entry in os.scandir(work)}
    if process.returncode or list(files) != ["a.txt"]:
        raise AssertionError(files)
    shutil.rmtree(path)


def _synced(root: Path) -> None:
    """Two lines, each on the disk before the next."""
    file = os.open(root / "lines", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for _ in range(2):
        os.write(file, LINE)
        FLUSH(file)
    os.close(file)


def processes(folder: Path, count: int) -> dict[str, float]:
    """``count`` process attempts, each followed by a bare one of the same contract."""
    from passfloor.adapters.process import ProcessAdapter

    return _run(ProcessAdapter(["true"], workspace_root=folder), folder, count, beside=_bare)


def functions(folder: Path, count: int) -> dict[str, float]:
    """``count`` function attempts, each followed by two synced lines."""
    with _function(folder) as adapter:
        return _run(adapter, folder, count, beside=_synced)


def many(folder: Path, count: int) -> dict[str, float]:
    """``count`` function attempts, as many side by side as there are processors."""
    with _function(folder) as adapter:
        return _run(adapter, folder, count, concurrency=default_concurrency())


ROWS = {"processes": processes, "functions": functions, "many": many}


def _function(folder: Path) -> Any:
    from passfloor.adapters.function import FunctionAdapter

    folder.joinpath("benched_agent.py").write_text(AGENT)
    adapter = FunctionAdapter("benched_agent:act", start_folder=folder, workspace_root=folder)
    return contextlib.closing(adapter)


def _run(
    adapter: Any,
    folder: Path,
    count: int,
    *,
    concurrency: int = 1,
    beside: Callable[[Path], None] = lambda _root: None,
) -> dict[str, float]:
    """A run with journal and receipt, and after each attempt what it is held against.

    Returns:
        Milliseconds: ``attempt`` and ``beside`` (medians), ``seal`` and ``all`` (an attempt's share).
    """
    suite = _suite(-(-count // PER_TASK))
    plan = make_plan(suite, adapter, k=1, n=count // len(suite.tasks))
    recorded = RecordedRun.start(
        folder / "runs",
        plan,
        suite_version=suite.version,
        seed=0,
        out=folder / "out.json",
        concurrency=concurrency,
        ledger=None,
    )
    watch = _Watch(lambda: beside(folder))
    with recorded.open() as run:
        runner = Runner(
            suite,
            adapter,
            plan,
            session=run.session,
            store=run.store,
            concurrency=concurrency,
            environments=run.environments,
            observer=watch.observe,
        )
        watch.start()
        runner.execute()
        ran = time.perf_counter()
        with runner.draft(run.folder) as draft:
            if draft.head.counts.passed != plan.n * len(suite.tasks):
                raise AssertionError(draft.head.counts)
            place(draft.file(draft.head), folder / "out.json", replace=False, run=run.session.run)
    return watch.figures(ran, time.perf_counter())


class _Watch:
    """Times the attempts of a run, and after each what it is held against."""

    def __init__(self, beside: Callable[[], None]) -> None:
        self._beside = beside
        self._attempts = array("d")
        self._others = array("d")

    def start(self) -> None:
        self._first = self._last = time.perf_counter()

    def observe(self, _task: Any, _attempt: Any) -> None:
        over = time.perf_counter()
        self._beside()
        self._attempts.append(over - self._last)
        self._last = time.perf_counter()
        self._others.append(self._last - over)

    def figures(self, ran: float, sealed: float) -> dict[str, float]:
        count = len(self._attempts)
        seconds = {
            "attempt": statistics.median(self._attempts),
            "beside": statistics.median(self._others),
            "seal": (sealed - ran) / count,
            "all": (ran - self._first) / count,
        }
        return {name: value * 1000 for name, value in seconds.items()}


def _suite(tasks: int) -> Suite:
    members = {"description": "do nothing", "files": {"a.txt": "x\n"}, "assertions": [{"kind": "completed"}]}
    return Suite.model_validate(
        {"version": "bench", "tasks": [{"id": f"t{position}", **members} for position in range(tasks)]}
    )


def measure(row: str, count: int) -> dict[str, float]:
    """One row in this process: its milliseconds, and MiB at the peak of this process."""
    with tempfile.TemporaryDirectory() as folder:
        figures = ROWS[row](Path(folder).resolve(), count)
    return {**figures, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
