"""Harbor: the trials of a job, or of the jobs in a folder, as attempts.

A trial has no number: trials of one task are numbered by their start. One that was started and left no result
is missing, as is one that was planned and never started.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.grading.imported.harbor import NAME
from passfloor.importers import choices, figures, files, rules, trees, words
from passfloor.importers.fields import whole
from passfloor.importers.harbor.jobs import RESULT, Job, Trial, is_job, jobs, names
from passfloor.importers.interface import (
    Asked,
    Convention,
    Log,
    Note,
    Published,
    Record,
    Subject,
    TaskName,
)

CONVENTION = Convention(
    errors="dropped",
    estimator="unbiased",
    why="Harbor leaves a trial without a valid reward out of the denominator; here every planned attempt "
    "counts, and one without a valid reward did not pass.",
)


class HarborImporter:
    """Reads a job folder, or a folder of jobs of the same tasks."""

    name = NAME
    title = "Harbor"
    reads = "a job's folder: config.json, result.json and a folder with a result.json for each trial"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer``."""
        try:
            if not trees.is_folder(path):
                return None
            alone = f"it is a Harbor job's folder: {RESULT} tells n_total_trials, or holds trials"
            return trees.recognised(path, is_job, alone, "Harbor jobs")
        except (ImportRefused, OSError):
            return None

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer``."""
        rule = rules.rule(asked, self.title, "--scorer", "--threshold", "--agent")
        found = jobs(path)
        trials = [trial for job in found for trial in job.trials]
        if not trials:
            raise files.nothing(path, "trial that ended")
        agents = {trial.label: (trial.agent, trial.model) for trial in trials}
        agent = choices.chosen(asked.agent, agents, "agents")
        trials, notes = _once([trial for trial in trials if trial.label == agent], asked)
        _check_rewards(trials, asked.scorer)
        tasks = names(trials)
        planned = _planned(found, tasks, len(agents), notes)
        notes += _notes(found, trials, tasks)
        first = trials[0]
        versions = sorted({trial.version for trial in trials})
        return Log(
            importer=self.name,
            suite=_suite(path, trials),
            subject=Subject(first.agent, versions[0] if len(versions) == 1 else None, first.model or None),
            rule=rule,
            tasks=tuple(planned),
            planned=planned,
            records=lambda: _records(trials, tasks),
            notes=tuple(notes),
            published=tuple(_published(found, first)),
            convention=CONVENTION,
        )


def _records(trials: list[Trial], tasks: Mapping[Path, TaskName]) -> Iterator[Record]:
    for trial in trials:
        where = trees.plain(trial.path.parent.name, RESULT)
        text = trees.text_or_none(trial.path)
        yield Record(tasks[trial.path], None, text, where, (trial.started, trial.identity))


def _suite(path: Path, trials: list[Trial]) -> str:
    sources = {trial.source for trial in trials}
    return sources.pop() if len(sources) == 1 and "" not in sources else path.resolve().name


def _once(trials: list[Trial], asked: Asked) -> tuple[list[Trial], list[Note]]:
    """Each trial once: a job that was copied holds the same trial, by its identity, twice."""
    kept: dict[str, Trial] = {}
    twice = 0
    for trial in trials:
        other = kept.get(trial.identity) if trial.identity else None
        if other is None:
            kept[trial.identity or str(trial.path)] = trial
            continue
        if _digest(other) != _digest(trial) and asked.keep is None:
            raise ImportRefused(
                f"the trial {trial.identity[:40]!a} stands in {files.shown(other.path)} and differs in "
                f"{files.shown(trial.path)}: choose with --keep first or --keep last"
            )
        twice += 1
        if asked.keep == "last":
            kept[trial.identity] = trial
    told = words.counted(twice, "trial stands", "trials stand")
    note = Note("twice", f"{told} in two folders under one id: each counts once")
    return list(kept.values()), [note] if twice else []


def _digest(trial: Trial) -> bytes:
    return hashlib.sha256(files.read(trial.path)).digest()


def _check_rewards(trials: list[Trial], scorer: str | None) -> None:
    found = {name for trial in trials for name in trial.rewards}
    if scorer is not None and scorer not in found:
        raise ImportRefused(f"no reward is called {scorer[:80]!a}: there are {words.listed(found) or 'none'}")
    several = next((trial for trial in trials if len(trial.rewards) > 1), None)
    if scorer is None and several is not None:
        raise ImportRefused(
            f"{several.path.parent.name[:80]!a} has {len(several.rewards)} rewards "
            f"({words.listed(several.rewards)}): choose one with --scorer"
        )


def _planned(
    found: list[Job], tasks: Mapping[Path, TaskName], agents: int, notes: list[Note]
) -> dict[TaskName, int]:
    """Attempts that were planned for each task, over all jobs."""
    planned: Counter[TaskName] = Counter()
    for job in found:
        here: Counter[TaskName] = Counter(tasks[one.path] for one in job.trials if one.path in tasks)
        known = {one.task for one in job.trials}
        lost = set(job.unfinished) - {""} - known if agents == 1 else set()
        # A lock file that names tasks in another way than the trials do says nothing about which are missing.
        lost |= set(job.locked) - known if known <= set(job.locked) else set()
        attempts = job.attempts
        if attempts is None:
            attempts = max(here.values(), default=1)
            notes.append(Note("attempts_unknown", f"{job.folder.name}: no config.json tells n_attempts"))
        for task in [*here, *sorted(lost)]:
            planned[task] += attempts
        total = whole(job.result.get("n_total_trials"))
        if total is not None and agents == 1:
            _unnamed(job, total - attempts * (len(here) + len(lost)), attempts, planned, notes)
    return dict(planned)


def _unnamed(job: Job, left: int, attempts: int, planned: Counter[TaskName], notes: list[Note]) -> None:
    """Tasks that the job counted and that left no trace: without them the denominator would shrink."""
    count, odd = divmod(left, attempts)
    if count <= 0 or odd or count > files.MAX_ENTRIES:
        return
    notes.append(
        Note(
            "missing_tasks",
            f"{job.folder.name}: n_total_trials counts {words.counted(count, 'task', 'tasks')} that left no "
            "trace; all attempts of it are missing",
        )
    )
    for position in range(count):
        planned[f"(unnamed task {position + 1} of {job.folder.name})"] += attempts


def _notes(found: list[Job], trials: list[Trial], tasks: Mapping[Path, TaskName]) -> Iterator[Note]:
    for job in found:
        if job.unfinished:
            told = words.counted(len(job.unfinished), "trial", "trials")
            yield Note("unfinished", f"{job.folder.name}: {told} started and left no result")
        if job.unreadable:
            shown = words.listed(job.unreadable)
            yield Note(
                "cut",
                f"{job.folder.name}: the {RESULT} of {shown} is no whole JSON object: it counts as missing",
            )
        if job.stat("n_retries"):
            told = words.counted(job.stat("n_retries"), "trial", "trials")
            yield Note(
                "retries",
                f"{job.folder.name}: Harbor ran {told} again after an error: the last run of each is what is "
                "kept",
            )
        if not job.result:
            yield Note("killed", f"{job.folder.name}: no {RESULT} of the job: it did not end or is not whole")
        elif (
            job.stat("n_pending_trials") or job.stat("n_running_trials") or not job.result.get("finished_at")
        ):
            yield Note("killed", f"{job.folder.name}: the job did not finish")
    if any("@" in str(tasks[trial.path]) and "@" not in trial.task for trial in trials):
        yield Note("changed_tasks", "a task changed between trials (task_checksum): each version is a task")
    versions = {trial.version for trial in trials}
    if len(versions) > 1:
        yield Note("versions", f"the agent ran in {len(versions)} versions: {words.listed(versions)}")


def _published(found: list[Job], first: Trial) -> Iterator[Published]:
    prefix = "__".join(filter(None, (first.agent, first.model))) + "__"
    for job in found:
        stats = job.result.get("stats")
        evals = stats.get("evals") if isinstance(stats, dict) else None
        own = (
            {key: each for key, each in evals.items() if key.startswith(prefix)}
            if isinstance(evals, dict)
            else {}
        )
        alone = len(found) == 1 and len(own) == 1
        for key, each in own.items():
            suffix = "" if alone else f" of {job.folder.name}: {key}"
            yield from _figures(each, suffix, f"{job.folder.name}/{RESULT}: stats.evals.{key}")


def _figures(each: object, suffix: str, where: str) -> Iterator[Published]:
    if not isinstance(each, dict):
        return
    yield from figures.pass_at(each.get("pass_at_k"), suffix, f"{where}.pass_at_k")
    metrics: Any = each.get("metrics")
    for metric in metrics if isinstance(metrics, list) else ():
        mean = figures.share(metric.get("mean")) if isinstance(metric, dict) else None
        if mean is not None:
            yield Published(f"mean reward{suffix}", mean, f"{where}.metrics")
