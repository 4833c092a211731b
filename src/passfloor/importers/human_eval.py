"""From a human-eval results file to records."""

from collections.abc import Iterator
from pathlib import Path

from passfloor.errors import ImportRefused
from passfloor.importers import files, rules
from passfloor.importers.fields import mapping, task_name, trial
from passfloor.importers.interface import Asked, Convention, Log, Record, Subject, TaskName
from passfloor.importers.streams import lines


class HumanEvalImporter:
    """Reads what ``evaluate_functional_correctness`` writes: one completion a line, in order of sampling."""

    name = "human-eval"
    title = "human-eval"
    reads = "a file ..._results.jsonl: lines with task_id, completion and passed"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer.recognise``."""
        start = files.head(path)
        first = start.lstrip().partition(b"\n")[0]
        if first[:1] == b"{" and all(name in first for name in (b'"task_id"', b'"completion"', b'"passed"')):
            return "its first line has task_id, completion and passed"
        return None

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer.read``."""
        rule = rules.rule(asked, self.title)
        tasks: dict[TaskName, None] = {}
        for each in _records(path):
            tasks[each.task] = None
        if not tasks:
            raise ImportRefused(f"{files.shown(path)} holds no line: no completion was evaluated")
        return Log(
            importer=self.name,
            suite="tasks",
            subject=Subject(),
            rule=rule,
            tasks=tuple(tasks),
            planned=None,
            records=lambda: _records(path),
            convention=Convention(
                errors="excluded",
                why="human-eval divides by the completions that a task has in the file; here a task with "
                "fewer than the others lacks the rest.",
            ),
        )


def _records(path: Path) -> Iterator[Record]:
    with files.opened(path) as stream:
        for number, text, ended in lines(stream, path.name):
            where = f"{path.name}: line {number}"
            try:
                row = mapping(text, where)
            except ImportRefused as refused:
                if ended:
                    raise
                raise ImportRefused(f"{where}, the last, is cut short: get the whole file") from refused
            index = trial(row.get("completion_id"), where)
            yield Record(task_name(row.get("task_id"), where), index, text, where)
