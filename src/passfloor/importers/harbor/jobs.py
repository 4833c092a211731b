"""A Harbor job on disk: its settings and the trials that left a folder.

``<job>/`` holds ``config.json`` (``n_attempts``), ``result.json`` (counts and figures), in later releases
``lock.json`` (every trial that was planned), and one folder a trial with a ``result.json`` once it ended.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.grading.imported.harbor import rewards_of
from passfloor.importers import files, trees
from passfloor.importers.fields import whole, word
from passfloor.importers.interface import TaskName

RESULT = "result.json"
_CONFIG, _LOCK = "config.json", "lock.json"
_STARTED = (_CONFIG, _LOCK, "trial.log")


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial that ended: what is needed to place it; its record is read again when it is asked for."""

    path: Path
    identity: str
    task: str
    checksum: str
    source: str
    agent: str
    model: str
    provider: str
    version: str
    started: str
    rewards: tuple[str, ...]

    @property
    def label(self) -> str:
        """The agent and its model, as ``--agent`` names them."""
        return f"{self.agent}/{self.model}" if self.model else self.agent


@dataclass(frozen=True)
class Job:
    """One job.

    Attributes:
        attempts: ``n_attempts`` of its configuration; None where that is missing.
        unfinished: Of each folder of a trial that has no result: the task, "" where that is not told.
        unreadable: Folders of trials whose result is no JSON object.
        result: Its ``result.json``, empty where there is none.
        locked: The tasks of its lock file, in order.
    """

    folder: Path
    attempts: int | None
    trials: tuple[Trial, ...]
    unfinished: tuple[str, ...]
    unreadable: tuple[str, ...]
    result: Mapping[str, Any]
    locked: tuple[str, ...]

    def stat(self, name: str) -> int:
        """A count of the job's own statistics; 0 where it is not told."""
        stats = self.result.get("stats")
        return whole(stats.get(name)) or 0 if isinstance(stats, dict) else 0


def jobs(path: Path) -> list[Job]:
    """The job in a folder, or the jobs in the folders of a folder.

    Raises:
        ImportRefused: there is none, or a file of it is no regular file or no JSON.
    """
    if not trees.is_folder(path):
        raise ImportRefused(f"{files.shown(path)} is no folder: name the job's folder, with its {RESULT}")
    if "trial_name" in _peek(path):
        raise ImportRefused(f"{files.shown(path)} is one trial: name the job's folder, which is above it")
    found = trees.holding(path, is_job)
    if not found:
        raise ImportRefused(
            f"{files.shown(path)} is no Harbor job: expected {RESULT} with n_total_trials, or trials' folders"
        )
    return [_job(folder) for folder in found]


def is_job(folder: Path) -> bool:
    """Whether a folder is a job: by its result, its settings, or the first trial in it."""
    if "n_total_trials" in _peek(folder) or "n_attempts" in _peek(folder, _CONFIG):
        return True
    for child in trees.folders(folder):
        if trees.present(child / RESULT):
            seen = _peek(child)
            return "trial_name" in seen and "task_name" in seen
    return False


def _peek(folder: Path, name: str = RESULT) -> str:
    """The start of a folder's file as text, without parsing: it may be cut or huge."""
    return files.head(folder / name).decode(errors="replace") if trees.present(folder / name) else ""


def _job(folder: Path) -> Job:
    config = trees.optional(folder / _CONFIG)
    trials: list[Trial] = []
    unfinished: list[str] = []
    unreadable: list[str] = []
    for child in trees.folders(folder):
        if trees.present(child / RESULT):
            try:
                trial = _trial(child / RESULT)
            except _NotReadable:
                unreadable.append(child.name)
                unfinished.append(_task_of(child))
                continue
            if trial is not None:
                trials.append(trial)
        elif any(trees.present(child / name) for name in _STARTED):
            unfinished.append(_task_of(child))
    return Job(
        folder,
        whole(config.get("n_attempts"), files.MAX_ENTRIES) or None,
        tuple(trials),
        tuple(unfinished),
        tuple(unreadable),
        trees.optional(folder / RESULT),
        tuple(_locked(trees.optional(folder / _LOCK))),
    )


class _NotReadable(Exception):  # noqa: N818
    pass


def _trial(path: Path) -> Trial | None:
    try:
        record = trees.document(path)
    except ImportRefused:
        raise _NotReadable from None
    if "task_name" not in record:
        return None
    agent = record.get("agent_info")
    agent = agent if isinstance(agent, dict) else {}
    model = agent.get("model_info")
    model = model if isinstance(model, dict) else {}
    return Trial(
        path,
        word(record.get("id")),
        word(record["task_name"]),
        word(record.get("task_checksum")),
        word(record.get("source")),
        word(agent.get("name")) or "unknown",
        word(model.get("name")),
        word(model.get("provider")),
        word(agent.get("version")),
        word(record.get("started_at")),
        tuple(sorted(rewards_of(record))),
    )


def _task_of(folder: Path) -> str:
    """The task of a trial that did not end: it stands in the trial's own settings."""
    try:
        task = trees.optional(folder / _CONFIG).get("task")
    except ImportRefused:
        return ""
    if not isinstance(task, dict):
        return ""
    name, path = word(task.get("name")), word(task.get("path"))
    return name or PurePosixPath(path.replace("\\", "/")).name


def _locked(lock: Mapping[str, Any]) -> Iterator[str]:
    trials = lock.get("trials")
    tasks = (
        [each.get("task") for each in trials if isinstance(each, dict)] if isinstance(trials, list) else []
    )
    names = [word(task.get("name")) for task in tasks if isinstance(task, dict)]
    yield from dict.fromkeys(name for name in names if name)


def names(trials: list[Trial]) -> dict[Path, TaskName]:
    """Each trial's task: its name, told apart by data set and content where one name stands for several."""
    sources: dict[str, set[str]] = {}
    contents: dict[tuple[str, str], set[str]] = {}
    for trial in trials:
        sources.setdefault(trial.task, set()).add(trial.source)
        contents.setdefault((trial.task, trial.source), set()).add(trial.checksum)
    made: dict[Path, TaskName] = {}
    for trial in trials:
        name = f"{trial.source or 'adhoc'}/{trial.task}" if len(sources[trial.task]) > 1 else trial.task
        if len(contents[trial.task, trial.source]) > 1:
            name += f"@{trial.checksum[:12] or 'unknown'}"
        made[trial.path] = name
    return made
