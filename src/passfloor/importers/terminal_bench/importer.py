"""Terminal-Bench: the trials of a run, or of the runs in a folder, as attempts.

A trial's number stands in its name, ``<task>.<i>-of-<n>``. It starts again in every run, so that over several
runs trials are numbered on, run after run.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from passfloor.errors import ImportRefused
from passfloor.grading.imported.terminal_bench import NAME
from passfloor.importers import choices, figures, files, rules, trees, words
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
from passfloor.importers.terminal_bench.runs import RESULTS, Run, Trial, is_results, is_run, row_texts, runs

CONVENTION = Convention(
    errors="counted",
    estimator="unbiased",
    why="A run's own figures take a null for a failure, as ours do; the public table drops trials that ended "
    "in unknown_agent_error and takes the mean over runs.",
)


class TerminalBenchImporter:
    """Reads a run's results, its folder, or a folder of runs of the same tasks."""

    name = NAME
    title = "Terminal-Bench"
    reads = "a run's results.json or folder, or a folder of runs"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer``."""
        try:
            if not trees.is_folder(path):
                return (
                    f"{files.shown(path.name)} lists results with is_resolved" if is_results(path) else None
                )
            alone = f"it is a Terminal-Bench run's folder, with trials in {RESULTS}"
            return trees.recognised(path, is_run, alone, "Terminal-Bench runs")
        except (ImportRefused, OSError):
            return None

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer``."""
        rule = rules.rule(asked, self.title, "--agent")
        found = runs(path, asked.keep)
        labels = {run.label: (run.told("agent_name"), run.told("model_name")) for run in found}
        agent = choices.chosen(asked.agent, labels, "agents")
        found = [run for run in found if run.label == agent]
        if not any(run.trials for run in found):
            raise files.nothing(path, "trial that ended")
        notes = [note for run in found for note in run.notes]
        planned = _planned(found, notes)
        places = _places(found, planned, notes)
        first = found[0]
        return Log(
            importer=self.name,
            suite="@".join(filter(None, (first.told("dataset_name"), first.told("dataset_version")))) or NAME,
            subject=Subject(first.told("agent_name") or None, None, first.told("model_name") or None),
            rule=rule,
            tasks=tuple(planned),
            planned=planned,
            records=lambda: _records(places),
            notes=tuple(notes),
            published=tuple(_published(found)),
            convention=CONVENTION,
        )


_Place = tuple[Trial, int | None, int]
"""A trial, its index where there is one run alone, and its run's position."""


def _places(
    found: list[Run], planned: dict[TaskName, int], notes: list[Note]
) -> dict[Path, dict[int, _Place]]:
    """Where each trial goes, by file and row; the file of one trial has the one row -1."""
    tasks_numbered = len(found) == 1 and _numbers_tasks(found[0])
    if tasks_numbered:
        notes.append(
            Note(
                "task_numbers",
                "each task has one trial, and i of n counts the tasks: n is no number of attempts",
            )
        )
        planned.update(dict.fromkeys(planned, 1))
    if len(found) > 1 and all(note.code != "parts" for note in notes):
        notes.append(
            Note("restarted", f"trial numbers start again in each of {len(found)} runs: they are numbered on")
        )
    own = len(found) == 1 and not tasks_numbered and all(trial.number for trial in found[0].trials)
    places: dict[Path, dict[int, _Place]] = {}
    for position, run in enumerate(found):
        for trial in run.trials:
            row = -1 if trial.row is None else trial.row
            places.setdefault(trial.file, {})[row] = (trial, trial.number - 1 if own else None, position)
    return places


def _numbers_tasks(run: Run) -> bool:
    tasks = {trial.task for trial in run.trials}
    numbers = {trial.number for trial in run.trials}
    return (
        1 < len(tasks) == len(run.trials) == len(numbers)
        and {trial.of for trial in run.trials} == {len(tasks)}
        and not run.count("n_attempts")
    )


def _records(places: Mapping[Path, Mapping[int, _Place]]) -> Iterator[Record]:
    for file, rows in places.items():
        if -1 in rows:
            trees.present(file)
            yield _record(rows[-1], files.text(file))
            continue
        for row, text in row_texts(file):
            if row in rows:
                yield _record(rows[row], text)


def _record(place: _Place, text: str) -> Record:
    trial, index, run = place
    return Record(trial.task, index, text, trial.where, (run, trial.number, trial.started, trial.row or 0))


def _planned(found: list[Run], notes: list[Note]) -> dict[TaskName, int]:
    """Attempts that were planned for each task, over all runs.

    Runs that share no task are parts of one run; else every run was to try every task.
    """
    seen = [dict.fromkeys(trial.task for trial in run.trials) for run in found]
    named = [_named(run) or {*tasks, *run.started} for run, tasks in zip(found, seen, strict=True)]
    tasks = list(dict.fromkeys(task for each in seen for task in each))
    tasks += sorted(set().union(*named) - set(tasks))
    parts = len(found) > 1 and sum(map(len, named)) == len(set().union(*named))
    if parts:
        notes.append(Note("parts", f"no task stands in two of the {len(found)} runs: they are parts of one"))
    told = all(_named(run) for run in found)
    planned: Counter[TaskName] = Counter()
    for run, own, here in zip(found, named, seen, strict=True):
        attempts = run.attempts
        for task in tasks:
            planned[task] += attempts if task in own or not (parts or told) else 0
        left = run.count("dataset_size") - len(own | set(here))
        if left > 0 and (parts or len(found) == 1):
            notes.append(
                Note(
                    "missing_tasks",
                    f"{run.name}: {words.counted(left, 'task', 'tasks')} of dataset_size left no trace: all "
                    "attempts are missing",
                )
            )
            for position in range(left):
                planned[f"(unnamed task {position + 1} of {run.name})"] = attempts
    return dict(planned)


def _named(run: Run) -> set[str]:
    ids = run.metadata.get("task_ids")
    named = {each for each in ids if isinstance(each, str)} if isinstance(ids, list) else set()
    return named | {trial.task for trial in run.trials} | set(run.started) if named else set()


def _published(found: list[Run]) -> Iterator[Published]:
    for run in found:
        suffix = f" of {run.name}" if len(found) > 1 else ""
        where = f"{run.name}/{RESULTS}" if suffix else RESULTS
        yield from figures.pass_at(run.figures.get("pass_at_k"), suffix, f"{where}: pass_at_k")
        accuracy = figures.share(run.figures.get("accuracy"))
        if accuracy is not None:
            yield Published(f"success rate{suffix}", accuracy, f"{where}: accuracy")
