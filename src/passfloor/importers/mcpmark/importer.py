"""MCPMark: the runs of each task as attempts.

Run folders are numbered from 1. Runs that share no task are parts of one run, and runs up to the first pass
are retries: both are said.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from passfloor.errors import ImportRefused
from passfloor.grading.imported.mcpmark import NAME
from passfloor.importers import choices, figures, files, rules, trees
from passfloor.importers.ids import told_apart
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
from passfloor.importers.mcpmark.attempts import META, Attempt, find, overall, shape, texts

_MOST_RUNS = 1000

CONVENTION = Convention(
    errors="counted",
    estimator="unbiased",
    why="MCPMark counts an attempt that ended in an error as not passing, as here; it runs one again whose "
    "error it takes for temporary, and keeps the last run alone.",
)


class McpMarkImporter:
    """Reads an experiment's folder, or published files."""

    name = NAME
    title = "MCPMark"
    reads = f"an experiment's folder (<model>__<service>/run-1/<task>/{META}), or a folder of files with runs"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer``."""
        try:
            found = shape(path)
        except (ImportRefused, OSError):
            return None
        return f"it is {found}, as MCPMark writes them" if found else None

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer``."""
        rule = rules.rule(asked, self.title, "--agent")
        found = find(path)
        if not found.attempts:
            raise files.nothing(path, "attempt that ended")
        model = choices.chosen(asked.agent, {each.model: () for each in found.attempts}, "models")
        attempts = [each for each in found.attempts if each.model == model]
        begun = attempts + [each for each in found.lost if each.model == model]
        names = told_apart((each.service, each.task) for each in begun)
        groups: dict[TaskName, list[Attempt]] = {}
        for each in begun:
            groups.setdefault(names[each.service, each.task], []).append(each)
        notes = list(found.notes)
        planned, first = _planned(groups, notes)
        return Log(
            importer=self.name,
            suite=NAME,
            subject=Subject(model, None, model),
            rule=rule,
            tasks=tuple(groups),
            planned=planned,
            records=lambda: _records(attempts, names, first),
            notes=tuple(notes),
            published=tuple(_published(path, model)),
            convention=CONVENTION,
        )


def _planned(groups: Mapping[TaskName, Sequence[Attempt]], notes: list[Note]) -> tuple[int, int | None]:
    """Attempts that were planned for each task, and the number of the first run.

    None in place of the latter: the runs' names do not number attempts.
    """
    runs = {each.name for group in groups.values() for each in group}
    numbers = {each.run for group in groups.values() for each in group}
    if len(runs) > 1 and max(map(len, groups.values())) == 1:
        notes.append(
            Note(
                "parts", f"no task stands in two of the {len(runs)} runs: they are parts of one, not attempts"
            )
        )
        return 1, None
    first, last = min(numbers), max(numbers)
    if not first or last - first >= _MOST_RUNS:
        return len(runs), None
    lost = sorted(set(range(first, last + 1)) - numbers)
    if lost:
        named = ", ".join(f"run-{number}" for number in lost[:8])
        notes.append(Note("missing_runs", f"between run-{first} and run-{last} there is no {named}"))
    return last - first + 1, first


def _records(
    attempts: list[Attempt], names: Mapping[tuple[str, str], TaskName], first: int | None
) -> Iterator[Record]:
    published: dict[Path, dict[str, Attempt]] = {}
    for each in attempts:
        if each.file.name == META:
            yield _record(each, names, first, trees.text_or_none(each.file))
        else:
            published.setdefault(each.file, {})[each.name] = each
    for file, runs in published.items():
        for name, text in texts(file):
            if name in runs:
                yield _record(runs[name], names, first, text)


def _record(each: Attempt, names: Mapping[tuple[str, str], TaskName], first: int | None, text: str) -> Record:
    index = None if first is None else each.run - first
    return Record(names[each.service, each.task], index, text, each.where, (each.run, each.name))


def _published(path: Path, model: str) -> Iterator[Published]:
    table = overall(path).get(model)
    for name, told in table.items() if isinstance(table, dict) else ():
        if not name.startswith(("pass@", "pass^")):
            continue
        value = figures.share(told.get("avg") if isinstance(told, dict) else told)
        if value is not None:
            yield Published(name, value, f"summary.json: overall.{model}")
