"""A Terminal-Bench run on disk and the trials in it.

``<run>/`` holds ``results.json`` (all trials as rows, and figures), ``run_metadata.json`` and, for each
trial, the same row once more in ``<task>/<trial>/results.json``. Either level may be missing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.importers import files, trees, words
from passfloor.importers.fields import mapping, parsed, whole, word
from passfloor.importers.interface import Note
from passfloor.importers.streams import Cursor

RESULTS = "results.json"
_METADATA = "run_metadata.json"
_FIGURES = ("pass_at_k", "accuracy")
_NUMBER = re.compile(r"\.([0-9]{1,6})-of-([0-9]{1,6})(?=\.|$)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial: what is needed to place it; its record is read again when it is asked for.

    Attributes:
        row: Its position in the file; None for the file of one trial.
        number: From 1, of ``of``, as the trial's name tells; 0 where it does not.
    """

    task: str
    name: str
    verdict: tuple[object, object]
    started: str
    file: Path
    row: int | None
    number: int
    of: int

    @property
    def where(self) -> str:
        """For people."""
        return trees.plain(*self.file.parts[-2:]) + ("" if self.row is None else f": row {self.row + 1}")


@dataclass(frozen=True)
class Run:
    """One run.

    Attributes:
        trials: Each once.
        started: Tasks that a trial was started of, also such as left no result, each with the ``n`` of the
            names of those trials.
        metadata: Its ``run_metadata.json``, empty where there is none.
        figures: Of its results file.
    """

    name: str
    trials: tuple[Trial, ...]
    started: Mapping[str, int]
    metadata: Mapping[str, Any]
    figures: Mapping[str, Any]
    notes: tuple[Note, ...]

    def told(self, name: str) -> str:
        """A text of the metadata; "" where it is not told."""
        return word(self.metadata.get(name))

    def count(self, name: str) -> int:
        """A count of the metadata; 0 where it is not told."""
        return whole(self.metadata.get(name), files.MAX_ENTRIES) or 0

    @property
    def label(self) -> str:
        """The agent and its model, as ``--agent`` names them."""
        return "/".join(filter(None, (self.told("agent_name"), self.told("model_name")))) or "unknown"

    @property
    def attempts(self) -> int:
        """Trials that were planned for each task."""
        told = (trial.of for trial in self.trials)
        return max([self.count("n_attempts"), 1, *told, *self.started.values()])


def runs(path: Path, keep: str | None) -> list[Run]:
    """The run in a file or a folder, or the runs in the folders of a folder, by name.

    Args:
        path: The file or folder.
        keep: ``first`` or ``last`` of two unlike rows of one trial; None: they are refused.

    Raises:
        ImportRefused: there is none, a file of it is broken, or a trial stands there twice and differs.
    """
    if not trees.is_folder(path):
        return [_run(path.name, path, None, keep)]
    if _is_trial(path / RESULTS):
        raise ImportRefused(f"{files.shown(path)} is one trial: name the run's folder, two levels above it")
    found = trees.holding(path, is_run)
    if not found:
        raise ImportRefused(
            f"{files.shown(path)} is no Terminal-Bench run: expected {RESULTS} with results, or "
            f"<task>/<trial>/{RESULTS}"
        )
    return [_run(folder.name, folder / RESULTS, folder, keep) for folder in found]


def is_run(folder: Path) -> bool:
    """Whether a folder is a run: by its results, its metadata, or the first trial in it."""
    if trees.present(folder / RESULTS):
        return is_results(folder / RESULTS)
    if trees.present(folder / _METADATA):
        return True
    return any(_is_trial(file) for file in _trial_files(folder))


def is_results(file: Path) -> bool:
    """Whether a file begins as a run's results do: rows first or soon, each with ``is_resolved``."""
    start = files.head(file)
    rows = start.find(b'"results"')
    return rows >= 0 and b'"is_resolved"' in start[rows:] and not _is_trial(file)


def _is_trial(file: Path) -> bool:
    if not trees.present(file):
        return False
    start = files.head(file)
    rows, name = start.find(b'"results"'), start.find(b'"trial_name"')
    return name >= 0 and b'"is_resolved"' in start and (rows < 0 or name < rows)


def _trial_folders(folder: Path) -> Iterator[Path]:
    for task in trees.folders(folder):
        yield from trees.folders(task)


def _trial_files(folder: Path) -> Iterator[Path]:
    for trial in _trial_folders(folder):
        if trees.present(trial / RESULTS):
            yield trial / RESULTS


def _run(name: str, results: Path, folder: Path | None, keep: str | None) -> Run:
    figures: dict[str, Any] = {}
    once: dict[tuple[str, str], Trial] = {}
    lone: list[str] = []
    twice = 0
    if folder is None or trees.present(results):
        for trial in _rows(results, figures):
            _enter(once, trial, keep)
    rows = len(once)
    for file in _trial_files(folder) if folder else ():
        try:
            trial = _trial(trees.document(file), file, None)
        except ImportRefused:
            lone.append(file.parent.name)
            continue
        before = len(once)
        _enter(once, trial, keep)
        twice += before == len(once)
    begun = {each: _number(each.name)[1] for each in _trial_folders(folder)} if folder else {}
    known = {trial for _, trial in once}
    unfinished = [each for each, of in begun.items() if of and each.name not in {*known, *lone}]
    return Run(
        name,
        tuple(once.values()),
        {each.parent.name: of for each, of in begun.items() if of},
        trees.optional(folder / _METADATA) if folder else {},
        figures,
        (
            *_notes(name, rows, len(once), twice, [each for each in lone if each not in known]),
            *_unfinished(name, len(unfinished)),
        ),
    )


def _enter(once: dict[tuple[str, str], Trial], trial: Trial, keep: str | None) -> None:
    key = (trial.task, trial.name)
    other = once.setdefault(key, trial)
    if other is trial:
        return
    same_level = (other.row is None) == (trial.row is None)
    if keep is None and (same_level or other.verdict != trial.verdict):
        raise ImportRefused(
            f"the trial {trial.name[:80]!a} stands at {other.where} and again at {trial.where}: "
            "choose with --keep first or --keep last"
        )
    if keep == "last":
        once[key] = trial


def _notes(name: str, rows: int, all_: int, twice: int, broken: list[str]) -> Iterator[Note]:
    if twice:
        yield Note(
            "twice",
            f"{name}: {words.counted(twice, 'trial stands', 'trials stand')} in {RESULTS} and once more in a "
            "folder of its own: each counts once",
        )
    if rows and all_ > rows:
        told = words.counted(all_ - rows, "trial stands", "trials stand")
        yield Note("killed", f"{name}: {told} in a folder of its own alone: the run was cut off")
    elif not rows:
        yield Note("killed", f"{name}: no {RESULTS} of the run: its trials are read from their own folders")
    if broken:
        yield Note("cut", f"{name}: {RESULTS} of {words.listed(broken)} is no trial: counted as missing")


def _unfinished(name: str, count: int) -> Iterator[Note]:
    if count:
        told = words.counted(count, "trial", "trials")
        yield Note("unfinished", f"{name}: {told} started and left no result")


def _rows(file: Path, figures: dict[str, Any]) -> Iterator[Trial]:
    for position, text in row_texts(file, figures):
        yield _trial(mapping(text, f"{trees.plain(file.name)}: row {position + 1}"), file, position)


def row_texts(file: Path, figures: dict[str, Any] | None = None) -> Iterator[tuple[int, str]]:
    """Position and text of each row of a run's results; the figures beside them go where they are asked for.

    Raises:
        ImportRefused: it is no results file, or it is cut.
    """
    name = files.shown(file)
    with files.opened(file) as stream:
        cursor = Cursor(stream, name)
        if cursor.peek() != "{":
            raise ImportRefused(f"{name} is no Terminal-Bench run: expected a JSON object with results")
        seen = False
        for member in cursor.members():
            if member == "results" and cursor.peek() == "[":
                seen = True
                for position in cursor.elements():
                    yield position, cursor.value()
            elif figures is not None and member in _FIGURES:
                figures[member] = parsed(cursor.value(), name)
            else:
                cursor.skip()
        cursor.end()
    if not seen:
        raise ImportRefused(f"{name} is no Terminal-Bench run: expected a list of results in it")


def _trial(record: Mapping[str, Any], file: Path, row: int | None) -> Trial:
    where = f"{trees.plain(file.name)}: row {row + 1}" if row is not None else files.shown(file)
    task, name = record.get("task_id"), record.get("trial_name")
    if not isinstance(task, str) or not isinstance(name, str) or "is_resolved" not in record:
        raise ImportRefused(f"{where} is no trial: expected task_id, trial_name and is_resolved")
    return Trial(
        task,
        name,
        (_plain(record["is_resolved"]), _plain(record.get("failure_mode"))),
        word(record.get("trial_started_at")),
        file,
        row,
        *_number(name),
    )


def _number(name: str) -> tuple[int, int]:
    """The number of a trial and of how many, as its name tells; 0 of 0 where it does not."""
    found = _NUMBER.findall(name)
    number, of = map(int, found[-1]) if found else (0, 0)
    return (number, of) if 1 <= number <= of <= files.MAX_ENTRIES else (0, 0)


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, bool | str) else repr(value)[:80]
