"""The rows of a promptfoo output: JSON with an envelope, or JSON Lines without one.

A row names its column (provider and prompt) and its test (``testCase`` and ``vars``); ``testIdx`` counts up
over tests, repeats and combinations of variables alike. Which repeat it is stands nowhere.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.importers import files, trees
from passfloor.importers.fields import mapping, parsed, whole, word
from passfloor.importers.streams import Cursor, lines

VERSION = 3
_ROW = ("testIdx", "promptIdx", "success", "gradingResult", "testCase")
_ENVELOPE = ("evalId", "results", "config", "version")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the results table: a provider with a prompt."""

    provider: str
    label: str
    prompt: str
    prompt_label: str


@dataclass(frozen=True, slots=True)
class Row:
    """One row: what is needed to place it."""

    position: int
    column: Column
    prompt: int
    test: int
    group: bytes
    cached: bool


@dataclass(frozen=True, slots=True)
class Group:
    """What the rows of one test have in common.

    Attributes:
        repeat: The test's own number of repeats; 0 where it follows the eval's.
        filtered: The test names the providers that it is for.
        judged: It has an assertion.
    """

    description: str
    variables: str
    repeat: int
    filtered: bool
    judged: bool


@dataclass
class Output:
    """What one pass over an output finds.

    Attributes:
        lines: It is JSON Lines.
        cut: The last line, where it is no whole row.
        version: ``results.version``; None where there is none.
        head: ``runtimeOptions``, ``config`` and ``metadata``, and of ``results`` the prompts and stats.
    """

    lines: bool = False
    cut: int = 0
    version: object = None
    head: dict[str, Any] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    groups: dict[bytes, Group] = field(default_factory=dict)

    def told(self, *names: str) -> Any:
        """A member of a member of the head; None where there is none."""
        value: Any = self.head
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return value


def scan(path: Path) -> Output:
    """Read an output once, and keep what is needed to place its rows.

    Raises:
        ImportRefused: it is no promptfoo output, or broken.
    """
    found = Output(lines=is_lines(path))
    for position, text in texts(path, found):
        row, group = _row(mapping(text, where(path, position)), position, where(path, position))
        found.rows.append(row)
        found.groups.setdefault(row.group, group)
    return found


def is_lines(path: Path) -> bool:
    """Whether an output is JSON Lines, by the first members of its first object.

    Raises:
        ImportRefused: it is neither that nor an envelope.
    """
    name = files.shown(path)
    with files.opened(path) as stream:
        cursor = Cursor(stream, name)
        if cursor.peek() == "{":
            for member in cursor.members():
                if member in _ENVELOPE:
                    return False
                if member in _ROW:
                    return True
                cursor.skip()
    raise ImportRefused(f"{name} is no promptfoo output: expected evalId and results, or lines with testIdx")


def texts(path: Path, found: Output) -> Iterator[tuple[int, str]]:
    """Position and text of each row; what stands beside the rows goes to ``found``.

    Raises:
        ImportRefused: it is broken, or cut before its last line.
    """
    with files.opened(path) as stream:
        if found.lines:
            yield from _texts_of_lines(lines(stream, files.shown(path)), found)
            return
        cursor = Cursor(stream, files.shown(path))
        for member in cursor.members():
            if member == "results" and cursor.peek() == "{":
                yield from _results(cursor, found, path)
            elif member in {"runtimeOptions", "config", "metadata", "version"}:
                found.head[member] = _value(cursor, path)
            else:
                cursor.skip()
        cursor.end()
    if found.version is None:
        found.version = found.head.get("version")


def _results(cursor: Cursor, found: Output, path: Path) -> Iterator[tuple[int, str]]:
    for member in cursor.members():
        if member == "results" and cursor.peek() == "[":
            for position in cursor.elements():
                yield position, cursor.value()
        elif member == "version":
            found.version = _value(cursor, path)
        elif member in {"prompts", "stats"}:
            found.head[member] = _value(cursor, path)
        else:
            cursor.skip()


def _texts_of_lines(each: Iterator[tuple[int, str, bool]], found: Output) -> Iterator[tuple[int, str]]:
    for number, text, ended in each:
        if not ended:
            try:
                mapping(text, "")
            except ImportRefused:
                found.cut = number
                return
        yield number - 1, text


def _value(cursor: Cursor, path: Path) -> Any:
    return parsed(cursor.value(), files.shown(path))


def where(path: Path, position: int) -> str:
    """A row's place, for people."""
    return f"{trees.plain(path.name)}: row {position + 1}"


def _row(record: Mapping[str, Any], position: int, place: str) -> tuple[Row, Group]:
    test, prompt = whole(record.get("testIdx")), whole(record.get("promptIdx"))
    case = record.get("testCase")
    if test is None or prompt is None or not isinstance(case, dict):
        raise ImportRefused(
            f"{place} is no row of version {VERSION}: expected testIdx, promptIdx and testCase"
        )
    variables = record.get("vars")
    variables = variables if isinstance(variables, dict) else {}
    options = case.get("options")
    repeat = whole(options.get("repeat")) if isinstance(options, dict) else None
    key = json.dumps([case, variables], sort_keys=True, default=_fraction)
    group = Group(
        word(case.get("description")),
        ", ".join(f"{name}={_shown(value)}" for name, value in sorted(variables.items())),
        repeat or 0,
        bool(case.get("providers")),
        bool(case.get("assert")),
    )
    digest = hashlib.sha256(key.encode(errors="surrogatepass")).digest()
    return Row(position, _column(record), prompt, test, digest, _cached(record)), group


def _fraction(value: Fraction) -> dict[str, str]:
    return {"number": str(value)}


def _shown(value: object) -> str:
    words = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return words if len(words) <= 80 else words[:79] + "…"


def _column(record: Mapping[str, Any]) -> Column:
    provider, prompt = record.get("provider"), record.get("prompt")
    named = provider if isinstance(provider, dict) else {"id": provider}
    label = prompt.get("label") if isinstance(prompt, dict) else None
    return Column(
        word(named.get("id")) or "unknown",
        word(named.get("label")),
        word(record.get("promptId")) or word(label),
        word(label),
    )


def _cached(record: Mapping[str, Any]) -> bool:
    response, metadata = record.get("response"), record.get("metadata")
    replayed = isinstance(response, dict) and response.get("cached") is True
    return replayed or (isinstance(metadata, dict) and bool(metadata.get("cachedResponse")))
