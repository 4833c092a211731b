"""Plain rows of any tool: one attempt a row, or one task a row with its attempts inside."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.grading.imported.rows import NAME, at, word
from passfloor.importers import numbering, tables
from passfloor.importers.choices import chosen
from passfloor.importers.columns import AGENTS, COMMON, NESTED, Columns, choose
from passfloor.importers.fields import mapping
from passfloor.importers.files import shown
from passfloor.importers.interface import Asked, Log, Note, Record, Subject, TaskName
from passfloor.importers.rules import scored
from passfloor.importers.tables import RawRow

_LOOKED_AT = 200
_MOST_MEMBERS = 1000
_MOST_AGENTS = 1000


@dataclass(frozen=True)
class _Attempt:
    """One attempt before it is a record: the row it stands in, and itself."""

    row: Mapping[str, Any]
    raw: RawRow
    value: Mapping[str, Any]


class RowsImporter:
    """Reads JSON lines, a JSON array, CSV or TSV."""

    name = NAME
    title = "rows of any tool"
    reads = "JSON lines, a JSON array of objects, CSV or TSV: a task, an attempt number, an outcome or score"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer``."""
        form = tables.form(path)
        if form is None:
            return None
        try:
            members, inner, nested = _members(path, most=20)
        except (ImportRefused, OSError):
            return None
        of_attempt = inner if nested else members
        task = next((name for name in COMMON["task"] if name in members), None)
        said = next((name for name in (*COMMON["outcome"], *COMMON["score"]) if name in of_attempt), None)
        said = said or next((name for name in of_attempt if name.startswith("scores.")), None)
        if task is None or said is None:
            return None
        return f"it is {form} whose rows have the members {task!a} and {said!a}"

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer``."""
        if asked.threshold is not None and asked.pass_values:
            raise ImportRefused("--threshold and --pass-values both say what passes: give one of them")
        members, inner, nested = _members(path, most=_LOOKED_AT)
        columns = choose(members, inner, nested, asked)
        if columns.agent is None and asked.agent is not None:
            raise ImportRefused(
                f"--agent {asked.agent[:80]!a}: no member of the rows is {' or '.join(AGENTS)}"
            )
        log = _Rows(path, columns, asked)
        log.look_over()
        agent = log.agent()
        return Log(
            importer=NAME,
            suite=path.stem,
            subject=Subject(model=agent) if columns.agent == "model" else Subject(name=agent),
            rule=_rule(columns, asked),
            tasks=tuple(log.tasks),
            planned=None,
            records=log.records,
            notes=tuple(_notes(columns, log)),
        )


class _Rows:
    """A file of rows, read as often as it is asked for.

    Attributes:
        kind: How its attempts are numbered; known, as all that follows, once it was looked over.
        tasks: Those that hold their attempts: one with none is a task all the same, and all are missing.
        cut: Where the last line stands that was cut; empty where none was.
    """

    def __init__(self, path: Path, columns: Columns, asked: Asked) -> None:
        self._path = path
        self._columns = columns
        self._wanted = asked.agent
        self._agents: dict[str, None] = {}
        self.kind: numbering.Kind = "none"
        self.tasks: dict[TaskName, None] = {}
        self.cut = ""

    def look_over(self) -> None:
        """Read all rows once.

        Raises:
            ImportRefused: one is no row, or names no task; or there are too many agents.
        """
        numbers = self._numbers()
        if self._columns.attempt is not None:
            self.kind = numbering.kind_of(numbers)
        # To the end, wherever the numbers were enough to tell.
        for _ in numbers:
            pass

    def agent(self) -> str | None:
        """What was measured: the one agent of the file, or the one that was asked for.

        Raises:
            ImportRefused: there are several and none was chosen; or there is none of that name.
        """
        if self._columns.agent is None or (self._wanted is None and not self._agents):
            return None
        what = f"values of {self._columns.agent[:80]!a}"
        return chosen(self._wanted, dict.fromkeys(self._agents, ()), what)

    def records(self) -> Iterator[Record]:
        """All attempts."""
        columns = self._columns
        for position, each in enumerate(self._attempts()):
            index = None
            if self.kind in {"zero", "one"}:
                index = numbering.whole(at(each.value, columns.attempt))
                if index is None:
                    raise ImportRefused(f"{each.raw.where}: the attempt has no number; was the file changed?")
                index -= self.kind == "one"
            yield Record(
                task=columns.task_of(each.row, each.raw.where),
                index=index,
                text=each.raw.text,
                where=each.raw.where,
                order=(self._order(each, position),),
                cached=word(each.value.get("cached")).casefold() == "true",
            )

    def _numbers(self) -> Iterator[tuple[TaskName, Any]]:
        """The task of each attempt, and what stands for its number."""
        columns = self._columns
        for raw, row in self._read():
            self._note_agent(row)
            if not self._is_wanted(row):
                continue
            task = columns.task_of(row, raw.where)
            if columns.nested is not None:
                self.tasks[task] = None
            for each in self._of(raw, row):
                yield task, at(each.value, columns.attempt)

    def _note_agent(self, row: Mapping[str, Any]) -> None:
        value = at(row, self._columns.agent)
        if value is None:
            return
        self._agents[word(value)] = None
        if len(self._agents) > _MOST_AGENTS:
            raise ImportRefused(
                f"{shown(self._path)} has more than {_MOST_AGENTS} values of {self._columns.agent!a}: is it "
                "what was measured? rename the member"
            )

    def _is_wanted(self, row: Mapping[str, Any]) -> bool:
        return self._wanted is None or word(at(row, self._columns.agent)) == self._wanted

    def _order(self, each: _Attempt, position: int) -> int:
        number = numbering.whole(at(each.value, self._columns.attempt)) if self.kind == "running" else None
        return position if number is None else number

    def _attempts(self) -> Iterator[_Attempt]:
        for raw, row in self._read():
            if self._is_wanted(row):
                yield from self._of(raw, row)

    def _of(self, raw: RawRow, row: Mapping[str, Any]) -> Iterator[_Attempt]:
        """The attempts of a row: itself, or those in it."""
        if self._columns.nested is None:
            yield _Attempt(row, raw, row)
            return
        for inner in tables.elements(raw, self._columns.nested):
            yield _Attempt(row, inner, mapping(inner.text, inner.where))

    def _read(self) -> Iterator[tuple[RawRow, Mapping[str, Any]]]:
        """All rows; the last line of JSON lines may have been cut by a killed writer, which is noted."""
        self.cut = ""
        for raw in tables.rows(self._path):
            try:
                yield raw, mapping(raw.text, raw.where)
            except ImportRefused:
                if not raw.unended:
                    raise
                self.cut = raw.where


def _rule(columns: Columns, asked: Asked) -> dict[str, Any]:
    paths = {"outcome": columns.outcome, "score": columns.score, "error": columns.error}
    return scored(asked, **{name: path for name, path in paths.items() if path is not None})


def _notes(columns: Columns, log: _Rows) -> Iterator[Note]:
    said = columns.outcome or columns.score
    number = columns.attempt or "the order of the rows"
    yield Note("columns", f"read as: task {'+'.join(columns.task)}, attempt {number}, verdict {said}")
    if log.kind == "running":
        yield Note(
            "restarted",
            f"the numbers in {columns.attempt!a} run through the whole file: they are no attempt numbers, "
            "and attempts are numbered within each task in their order",
        )
    elif log.kind == "none" and columns.attempt is not None:
        yield Note(
            "unnumbered",
            f"{columns.attempt!a} holds no whole numbers: attempts are numbered in the order of the rows",
        )
    if log.cut:
        yield Note("cut", f"{log.cut} is cut short: the writer was stopped, and that attempt is lost")


def _members(path: Path, *, most: int) -> tuple[list[str], list[str], str | None]:
    """Members of the first rows, of their attempts, and which member holds these; ``a.b`` for ``scores``."""
    members: dict[str, None] = {}
    inner: dict[str, None] = {}
    nested: str | None = None
    for raw in islice(tables.rows(path), most):
        try:
            row = mapping(raw.text, raw.where)
        except ImportRefused:
            if raw.unended and members:
                break
            raise
        _add(members, row)
        if nested is None:
            nested = next((name for name in NESTED if _are_objects(row.get(name))), None)
        if nested is not None and _are_objects(row.get(nested)):
            for element in islice(row[nested], 20):
                _add(inner, element)
    return list(members), list(inner), nested


def _add(members: dict[str, None], row: Mapping[str, Any]) -> None:
    for name, value in row.items():
        if len(members) >= _MOST_MEMBERS:
            break
        members[name] = None
        if name == "scores" and isinstance(value, dict):
            members.update(dict.fromkeys(f"scores.{each}" for each in islice(value, 100)))


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)
