"""From a tau-bench results file to records."""

import re
from collections.abc import Iterator
from pathlib import Path

from passfloor.errors import ImportRefused
from passfloor.importers import files, rules
from passfloor.importers.fields import MAX_TRIALS, mapping, task_name, trial
from passfloor.importers.interface import Asked, Convention, Log, Note, Record, Subject, TaskName
from passfloor.importers.streams import Cursor
from passfloor.importers.words import counted

_ROW = re.compile(rb'"task_id"\s*:\s*\d')
_SHOWN = 8


class TauBenchImporter:
    """Reads what ``run.py`` of tau-bench writes: one array of rows."""

    name = "tau-bench"
    title = "tau-bench"
    reads = "a results .json file: one array of rows with task_id, trial and reward"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer.recognise``."""
        start = files.head(path)
        known = _ROW.search(start) and b'"reward"' in start and b'"traj"' in start
        if start.lstrip()[:1] == b"[" and known:
            return "it is an array of rows with task_id, reward and traj"
        return None

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer.read``."""
        rule = rules.rule(asked, self.title, "--threshold")
        tasks: dict[TaskName, None] = {}
        trials = 0
        for each in _records(path):
            tasks[each.task] = None
            trials = max(trials, 1 if each.index is None else each.index + 1)
        if not tasks:
            raise ImportRefused(f"{files.shown(path)} is an empty array: no trial was written")
        notes = [] if asked.universe else list(_gaps(tasks))
        return Log(
            importer=self.name,
            suite="tasks",
            subject=Subject(),
            rule=rule,
            tasks=tuple(tasks),
            planned=trials if trials > 1 else None,
            records=lambda: _records(path),
            notes=tuple(notes),
            convention=Convention(
                why="tau-bench counts a trial that raised as a failed one, and divides by the trials of the "
                "file for every task; here a trial that was never written counts too."
            ),
        )


def _records(path: Path) -> Iterator[Record]:
    with files.opened(path) as stream:
        cursor = Cursor(stream, path.name)
        for position in cursor.elements():
            where = f"{path.name}: row {position + 1}"
            text = cursor.value()
            row = mapping(text, where)
            yield Record(task_name(row.get("task_id"), where), trial(row.get("trial"), where), text, where)
        cursor.end()


def _gaps(tasks: dict[TaskName, None]) -> Iterator[Note]:
    """A warning where the numbers of the tasks leave some out."""
    numbers = sorted(task for task in tasks if isinstance(task, int))
    if len(numbers) < len(tasks) or numbers[-1] - numbers[0] + 1 > MAX_TRIALS:
        return
    absent = sorted(set(range(numbers[0], numbers[-1] + 1)) - set(numbers))
    if absent:
        some = ", ".join(map(str, absent[:_SHOWN])) + (", ..." if len(absent) > _SHOWN else "")
        yield Note(
            "task_gaps",
            f"{counted(len(absent), 'task id', 'task ids')} between {numbers[0]} and {numbers[-1]} without a "
            f"row ({some}): if that was planned, name all tasks with --universe FILE",
        )
