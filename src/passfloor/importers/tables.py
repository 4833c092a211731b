"""Files of rows: JSON lines, a JSON array, CSV or TSV with a header, told apart by how they begin."""

import csv
import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from passfloor.errors import ImportRefused
from passfloor.importers.files import MAX_TEXT, head, opened, shown, without_mark
from passfloor.importers.streams import Cursor, CutShort, lines, refuse_many

_BLANK = b" \t\r\n"


class RawRow(NamedTuple):
    """One row: where it stands, its JSON text, and whether it is the last line, without an end."""

    where: str
    text: str
    unended: bool = False


def rows(path: Path) -> Iterator[RawRow]:
    """The rows of a file, one at a time.

    Raises:
        ImportRefused: it is no regular file, cannot be read, is not UTF-8, or not of one of the four forms.
    """
    name = path.name or str(path)
    with opened(path) as stream:
        start = without_mark(stream.read(64 * 1024), shown(name)).lstrip(_BLANK)
        stream.seek(0)
        if not start:
            raise ImportRefused(f"{shown(path)} is empty: there are no rows to import")
        if start.startswith(b"{"):
            yield from _json_lines(stream, name)
        elif start.startswith(b"["):
            yield from _array(stream, name)
        else:
            yield from _table(stream, name)


def elements(row: RawRow, member: str) -> Iterator[RawRow]:
    """The objects of the array at a member of a row, each as a row of its own; none where it is absent."""
    cursor = Cursor(BytesIO(row.text.encode()), row.where)
    if not cursor.enter(member) or cursor.peek() != "[":
        return
    for position in cursor.elements():
        yield RawRow(f"{row.where}, {member}[{position}]", cursor.value())


def form(path: Path) -> str | None:
    """Which of the forms a file begins like, for people; None where it is empty or not readable."""
    start = head(path).lstrip(_BLANK)
    if not start or b"\0" in start:
        return None
    if start.startswith(b"{"):
        return "JSON lines"
    return "a JSON array" if start.startswith(b"[") else "a table with a header"


def _json_lines(stream: BinaryIO, name: str) -> Iterator[RawRow]:
    for number, text, ended in lines(stream, name):
        yield RawRow(f"{name}: line {number}", text, not ended)


def _array(stream: BinaryIO, name: str) -> Iterator[RawRow]:
    cursor = Cursor(stream, name)
    try:
        for position in cursor.elements():
            yield RawRow(f"{name}: row {position + 1}", cursor.value())
        cursor.end()
    except CutShort as error:
        raise ImportRefused(str(error)) from None


def _table(stream: BinaryIO, name: str) -> Iterator[RawRow]:
    csv.field_size_limit(MAX_TEXT)
    text = _decoded(stream, name)
    first = next(text, "")
    delimiter = next((each for each in "\t,;" if each in first), None)
    if delimiter is None or "\0" in first:
        raise ImportRefused(
            f"{name} is neither JSON lines, a JSON array nor a table: give rows such as "
            '{"task": "a", "attempt": 0, "outcome": "passed"}'
        )
    (columns,) = csv.reader([first], delimiter=delimiter)
    columns = [column.strip() for column in columns]
    if len(set(columns)) != len(columns):
        raise ImportRefused(f"{name}: the header names a column twice; rename one")
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    try:
        for number, cells in enumerate(reader, 1):
            refuse_many(number, name)
            if not any(cells):
                continue
            where = f"{name}: line {reader.line_num + 1}"
            if len(cells) != len(columns):
                raise ImportRefused(
                    f"{where} has {len(cells)} cells, the header {len(columns)}: is the file cut, or a cell "
                    "not quoted?"
                )
            yield RawRow(where, json.dumps(dict(zip(columns, cells, strict=True)), separators=(",", ":")))
    except csv.Error as error:
        raise ImportRefused(f"{name}: line {reader.line_num + 1}: {error}") from None


def _decoded(stream: BinaryIO, name: str) -> Iterator[str]:
    """All lines with their ends, the blank ones before the header left out."""
    number = 0
    while line := stream.readline(MAX_TEXT + 1):
        number += 1
        if len(line) > MAX_TEXT:
            raise ImportRefused(f"{name}: line {number} is longer than {MAX_TEXT} bytes")
        if number == 1:
            line = without_mark(line, name)
        try:
            words = line.decode()
        except UnicodeDecodeError:
            raise ImportRefused(f"{name}: line {number} is not UTF-8: save it as UTF-8") from None
        if number > 1 or words.strip():
            yield words
