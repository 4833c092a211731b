"""Vally: the ``trial-result`` rows of a ``results.jsonl`` as attempts.

``trialIndex`` and ``totalTrials`` stand in a row only where a stimulus was tried more than once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.grading.imported.vally import NAME
from passfloor.importers import choices, files, rules, trees, words
from passfloor.importers.fields import mapping, whole, word
from passfloor.importers.ids import told_apart
from passfloor.importers.interface import Asked, Convention, Log, Note, Record, Subject, TaskName
from passfloor.importers.streams import lines

RESULTS = "results.jsonl"
_TYPE = "trial-result"
_HEAD = b'"trial-result"'

CONVENTION = Convention(
    errors="counted",
    estimator="mean",
    why="Vally prints the share of trials that passed, and no figure of repeated trials.",
)


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    label: str
    variant: str
    model: str
    evaluation: str
    stimulus: str
    index: int
    total: int


class VallyImporter:
    """Reads a results.jsonl, or the folder of a run that holds one."""

    name = NAME
    title = "Vally"
    reads = f"a {RESULTS}, or the folder that holds one"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer``."""
        try:
            file = _file(path)
        except (ImportRefused, OSError):
            return None
        return "it has rows of type trial-result, as Vally writes them" if _HEAD in files.head(file) else None

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer``."""
        rule = rules.rule(asked, self.title, "--threshold", "--agent")
        file = _file(path)
        cut: list[int] = []
        rows = [_row(record, file, line) for line, _, record in _trials(file, cut)]
        if not rows:
            raise files.nothing(file, f"row of type {_TYPE}")
        label = choices.chosen(asked.agent, {row.label: (row.variant, row.model) for row in rows}, "agents")
        rows = [row for row in rows if row.label == label]
        names = told_apart((row.evaluation, row.stimulus) for row in rows)
        planned = dict.fromkeys(names.values(), 1)
        for row in rows:
            name = names[row.evaluation, row.stimulus]
            planned[name] = max(planned[name], row.total)
        first = rows[0]
        evaluations = {row.evaluation for row in rows}
        places = {row.line: (names[row.evaluation, row.stimulus], row.index) for row in rows}
        return Log(
            importer=self.name,
            suite=first.evaluation if len(evaluations) == 1 and first.evaluation else NAME,
            subject=Subject(first.variant or label, None, first.model or None),
            rule=rule,
            tasks=tuple(planned),
            planned=planned,
            records=lambda: _records(file, places),
            notes=tuple(Note("cut", f"line {line}, the last, is cut and left out") for line in cut),
            convention=CONVENTION,
        )


def _file(path: Path) -> Path:
    """The file itself, or the one in a folder or in the folders of a folder.

    Raises:
        ImportRefused: there is none, or several.
    """
    if not trees.is_folder(path):
        return path
    places = [path, *trees.folders(path)]
    found = [place / RESULTS for place in places if trees.present(place / RESULTS)]
    if len(found) != 1:
        shown = words.listed([file.parent.name for file in found])
        fault = f"has {len(found)} ({shown}): name one" if found else "has none: name the file"
        raise ImportRefused(f"expected one {RESULTS} in {files.shown(path)}, which {fault}")
    return found[0]


def _trials(file: Path, cut: list[int]) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    with files.opened(file) as stream:
        for line, text, ended in lines(stream, files.shown(file)):
            try:
                record = mapping(text, f"{trees.plain(file.name)}: line {line}")
            except ImportRefused:
                if ended:
                    raise
                cut.append(line)
                return
            if record.get("type") == _TYPE:
                yield line, text, record


def _records(file: Path, places: Mapping[int, tuple[TaskName, int]]) -> Iterator[Record]:
    for line, text, _ in _trials(file, []):
        if line in places:
            task, index = places[line]
            yield Record(task, index, text, f"{trees.plain(file.name)}: line {line}")


def _row(record: Mapping[str, Any], file: Path, line: int) -> _Row:
    stimulus = word(record.get("stimulus")) or word(record.get("itemId"))
    if not stimulus:
        raise ImportRefused(
            f"{trees.plain(file.name)}: line {line} names no stimulus and no itemId: correct the file"
        )
    variant, model = word(record.get("variant")), word(record.get("model"))
    index = whole(record.get("trialIndex", 0), files.MAX_ENTRIES)
    total = whole(record.get("totalTrials", 1), files.MAX_ENTRIES)
    if index is None or total is None:
        raise ImportRefused(
            f"{trees.plain(file.name)}: line {line} has a trialIndex or totalTrials that is no count"
        )
    label = "/".join(filter(None, (variant, model))) or "unknown"
    evaluation = word(record.get("evalName"))
    return _Row(line, label, variant, model, evaluation, stimulus, index, total)
