"""Plain rows of any tool: one attempt a row, or one task a row with its attempts inside."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from passfloor.canonical import lenient
from passfloor.errors import ImportRefused, JsonError
from passfloor.grading.imported.rows import NAME, at, word
from passfloor.importers import numbering, tables
from passfloor.importers.columns import AGENTS, COMMON, NESTED, Columns, choose
from passfloor.importers.files import shown
from passfloor.importers.interface import Asked, Log, Note, Record, Subject, TaskName
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
        log = _Rows(path, columns, asked)
        agent = log.agent()
        kind = log.numbering()
        return Log(
            importer=NAME,
            suite=path.stem,
            subject=Subject(model=agent) if columns.agent == "model" else Subject(name=agent),
            rule=_rule(columns, asked),
            tasks=log.tasks(),
            planned=None,
            records=log.records,
            notes=tuple(_notes(columns, kind, log)),
        )


class _Rows:
    """A file of rows, read as often as it is asked for."""

    def __init__(self, path: Path, columns: Columns, asked: Asked) -> None:
        self._path = path
        self._columns = columns
        self._asked = asked
        self._kind: numbering.Kind = "none"
        self.cut = ""

    def records(self) -> Iterator[Record]:
        """All attempts."""
        columns = self._columns
        for position, each in enumerate(self._attempts()):
            index = None
            if self._kind in {"zero", "one"}:
                index = numbering.whole(at(each.value, columns.attempt))
                if index is None:
                    raise ImportRefused(f"{each.raw.where}: the attempt has no number; was the file changed?")
                index -= self._kind == "one"
            yield Record(
                task=columns.task_of(each.row, each.raw.where),
                index=index,
                text=each.raw.text,
                where=each.raw.where,
                order=(self._order(each, position),),
                cached=each.value.get("cached") is True,
            )

    def tasks(self) -> tuple[TaskName, ...]:
        """Tasks that hold their attempts: one with none is a task all the same, and all are missing."""
        columns, wanted = self._columns, self._asked.agent
        if columns.nested is None:
            return ()
        found = {
            columns.task_of(row, raw.where): None
            for raw, row in self._read()
            if wanted is None or word(at(row, columns.agent)) == wanted
        }
        return tuple(found)

    def numbering(self) -> numbering.Kind:
        """How the attempts of the file are numbered."""
        columns = self._columns
        if columns.attempt is not None:
            self._kind = numbering.kind_of(
                (columns.task_of(each.row, each.raw.where), at(each.value, columns.attempt))
                for each in self._attempts()
            )
        else:
            # Looked through all the same: a last line that was cut is to be told before anything is read.
            for _ in self._read():
                pass
        return self._kind

    def agent(self) -> str | None:
        """What was measured: the one agent of the file, or the one that was asked for.

        Raises:
            ImportRefused: there are several and none was chosen; or there is none of that name.
        """
        path, wanted = self._columns.agent, self._asked.agent
        if path is None:
            if wanted is not None:
                raise ImportRefused(
                    f"--agent {wanted[:80]!a}: no member of the rows is {' or '.join(AGENTS)}"
                )
            return None
        found: dict[str, None] = {}
        for _, row in self._read():
            if (value := at(row, path)) is not None:
                found[word(value)] = None
            if len(found) > _MOST_AGENTS:
                raise ImportRefused(f"{shown(self._path)}: more than {_MOST_AGENTS} values of {path!a}")
        if wanted is not None and wanted not in found:
            raise ImportRefused(f"--agent {wanted[:80]!a}: {path} is one of {_choices(found)}")
        if wanted is None and len(found) > 1:
            raise ImportRefused(
                f"the rows are of several, by {path!a}: choose with --agent, of {_choices(found)}"
            )
        return wanted if wanted is not None else next(iter(found), None)

    def _order(self, each: _Attempt, position: int) -> int:
        number = numbering.whole(at(each.value, self._columns.attempt)) if self._kind == "running" else None
        return position if number is None else number

    def _attempts(self) -> Iterator[_Attempt]:
        columns, wanted = self._columns, self._asked.agent
        for raw, row in self._read():
            if wanted is not None and word(at(row, columns.agent)) != wanted:
                continue
            if columns.nested is None:
                yield _Attempt(row, raw, row)
                continue
            for inner in tables.elements(raw, columns.nested):
                yield _Attempt(row, inner, _object(inner))

    def _read(self) -> Iterator[tuple[RawRow, Mapping[str, Any]]]:
        """All rows; the last line of JSON lines may have been cut by a killed writer, which is noted."""
        self.cut = ""
        for raw in tables.rows(self._path):
            try:
                yield raw, _object(raw)
            except ImportRefused:
                if not raw.unended:
                    raise
                self.cut = raw.where


def _rule(columns: Columns, asked: Asked) -> dict[str, Any]:
    rule: dict[str, Any] = {}
    for name in ("outcome", "score", "error"):
        if (path := getattr(columns, name)) is not None:
            rule[name] = path
    if asked.threshold is not None:
        rule["threshold"] = decimal_text(asked)
    if asked.pass_values:
        rule["pass_values"] = list(asked.pass_values)
    return rule


def decimal_text(asked: Asked) -> str:
    """The threshold as decimal text."""
    value = asked.threshold or 0
    scaled = next(p for p in range(41) if (value * 10**p).denominator == 1)
    digits = str(abs(int(value * 10**scaled))).rjust(scaled + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[: len(digits) - scaled]}{'.' if scaled else ''}{digits[len(digits) - scaled :]}"


def _notes(columns: Columns, kind: numbering.Kind, log: _Rows) -> Iterable[Note]:
    said = columns.outcome or columns.score
    number = columns.attempt or "the order of the rows"
    yield Note("columns", f"read as: task {'+'.join(columns.task)}, attempt {number}, verdict {said}")
    if kind == "running":
        yield Note(
            "restarted",
            f"the numbers in {columns.attempt!a} run through the whole file: they are no attempt numbers, "
            "and attempts are numbered within each task in their order",
        )
    elif kind == "none" and columns.attempt is not None:
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
            row = _object(raw)
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


def _object(raw: RawRow) -> Mapping[str, Any]:
    try:
        row = lenient.parse(raw.text)
    except JsonError as error:
        raise ImportRefused(f"{raw.where}: {error}") from None
    if not isinstance(row, dict):
        raise ImportRefused(f"{raw.where} is no JSON object: give an object a row")
    return row


def _choices(found: Iterable[str]) -> str:
    names = list(found)
    return ", ".join(ascii(name[:60]) for name in names[:8]) + (", ..." if len(names) > 8 else "")
