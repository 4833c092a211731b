"""The file behind ``--universe``: all task ids, where the log names only some."""

from pathlib import Path
from typing import Any

from passfloor.canonical import lenient
from passfloor.errors import ImportRefused, JsonError
from passfloor.importers import files

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
    content = files.without_mark(files.read(path), name)
    try:
        words = content.decode()
    except UnicodeDecodeError:
        raise ImportRefused(f"{name} is not UTF-8: save it as UTF-8") from None
    entries = _entries(words, name)
    ids = [_id(entry, f"{name}: entry {position + 1}") for position, entry in enumerate(entries)]
    if not ids or len(ids) > MAX_IDS:
        raise ImportRefused(f"{name} names {len(ids)} tasks: expected 1 to {MAX_IDS}")
    seen: set[str] = set()
    for each in ids:
        if each in seen:
            raise ImportRefused(f"{name} names {each[:80]!a} twice: name each task once")
        seen.add(each)
    return tuple(ids)


def _entries(words: str, name: str) -> list[Any]:
    if words.lstrip().startswith("["):
        entries = _parsed(words, name)
        return entries if isinstance(entries, list) else []
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    return [
        _parsed(line, f"{name}: line {number}") if line.startswith("{") else line
        for number, line in enumerate(lines, 1)
    ]


def _id(entry: Any, where: str) -> str:
    if isinstance(entry, dict):
        entry = next((entry[name] for name in _NAMES if name in entry), None)
    if isinstance(entry, bool) or not isinstance(entry, str | int) or entry == "":
        raise ImportRefused(f"{where} is no task id: expected a text, or an object with {', '.join(_NAMES)}")
    return str(entry)


def _parsed(words: str, where: str) -> Any:
    try:
        return lenient.parse(words)
    except JsonError as error:
        raise ImportRefused(f"{where}: {error}") from None
