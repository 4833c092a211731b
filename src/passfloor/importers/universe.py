"""The file behind ``--universe``: all task ids, where the log names only some."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.importers import files
from passfloor.importers.fields import parsed
from passfloor.importers.interface import TaskName

MAX_IDS = 1_000_000
"""Most ids in one file."""

_NAMES = ("instance_id", "task_id", "id")


def read(path: Path) -> tuple[str, ...]:
    """The ids that a file names, in order, each as text.

    Args:
        path: A JSON array of ids or of objects with ``instance_id``, ``task_id`` or ``id``; JSON Lines of
            such objects; or one id a line.

    Raises:
        ImportRefused: it is none of these, or names an id twice, or none.
    """
    name = files.shown(path)
    ids = [
        _id(entry, f"{name}: entry {position + 1}")
        for position, entry in enumerate(_entries(files.text(path), name))
    ]
    if not ids or len(ids) > MAX_IDS:
        raise ImportRefused(f"{name} names {len(ids)} tasks: expected 1 to {MAX_IDS}")
    seen: set[str] = set()
    for each in ids:
        if each in seen:
            raise ImportRefused(f"{name} names {each[:80]!a} twice: name each task once")
        seen.add(each)
    return tuple(ids)


def unlogged(path: Path | None, tasks: Iterable[TaskName]) -> list[str]:
    """The tasks that a file names and the log does not, in order; none where there is no file.

    Raises:
        ImportRefused: as ``read`` does.
    """
    if path is None:
        return []
    known = set(map(str, tasks))
    return [name for name in read(path) if name not in known]


def _entries(content: str, name: str) -> list[Any]:
    if content.lstrip().startswith("["):
        entries: list[Any] = parsed(content, name)
        return entries
    # Not by splitlines: an id may hold what that takes for the end of a line.
    lines = [line.strip() for line in content.split("\n") if line.strip()]
    return [
        parsed(line, f"{name}: line {number}") if line.startswith("{") else line
        for number, line in enumerate(lines, 1)
    ]


def _id(entry: Any, where: str) -> str:
    if isinstance(entry, dict):
        entry = next((entry[name] for name in _NAMES if name in entry), None)
    if isinstance(entry, bool) or not isinstance(entry, str | int) or entry == "":
        raise ImportRefused(f"{where} is no task id: expected a text, or an object with {', '.join(_NAMES)}")
    return str(entry)
