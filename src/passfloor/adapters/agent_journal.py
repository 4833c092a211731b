"""The journal lines an agent wrote itself: read strictly, and made the same in every attempt's folder."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from passfloor.canonical import canonical, parse
from passfloor.errors import JsonError
from passfloor.projection import event_problem
from passfloor.recording.headers import LONGEST_LANE, is_lane
from passfloor.workspaces.capture import show
from passfloor.workspaces.folder import read_regular

JOURNAL_CAP = 1024 * 1024
"""Most bytes of a journal that are read."""

MAX_LINE_DEPTH = 40
"""Most containers inside one another in a line: it ends up inside a receipt."""

_REPLACED = "the journal was removed or replaced"
_DECLARED = frozenset({"model.output"})
# What such lines hold; those with a ``ref`` are written for callables by ``attempt.model``.
_BY_ITSELF = ["other", "CALL", ""]
_SHAPES = {
    "model.output": ({"kind", "sample"}, {"kind", "ref", "sample"}),
    "model.request": ({"kind", "ref", "dialect", "method", "path", "request"},),
}
_HARNESS_KINDS = ("task.", "attempt.", "agent.", "model.")


@dataclass
class JournalLines:
    """What an agent wrote.

    Attributes:
        events: The lines before the first bad one, without ``seq``.
        fault: Which line is bad and why, None where none is.
        lines: How many were looked at.
    """

    events: list[dict[str, Any]] = field(default_factory=list)
    fault: str | None = None
    lines: int = 0


class _BadLineError(Exception):
    """Why a line is refused."""


def read_journal(path: Path) -> JournalLines:
    """Read an agent's journal up to its first bad line; never through a link."""
    # A byte more than the cap, by which a longer one is known.
    data = read_regular(path, JOURNAL_CAP + 1)
    return JournalLines(fault=_REPLACED) if data is None else parse_journal(data)


def parse_journal(data: bytes) -> JournalLines:
    """Read journal lines up to the first bad one. The last line may lack its line end."""
    return _parsed(data, 0, frozenset(), room=JOURNAL_CAP)


def _parsed(data: bytes, before: int, allowed: frozenset[str], *, room: int) -> JournalLines:
    """The lines in ``data``, which ``before`` others precede, as far as there is ``room`` for them."""
    found = JournalLines()
    lines = data[:room].split(b"\n")
    too_long = len(data) > room
    if too_long or not lines[-1]:
        lines.pop()
    found.lines = len(lines)
    for number, line in enumerate(lines, start=before + 1):
        try:
            found.events.append(_event(line, allowed))
        except _BadLineError as bad:
            found.fault = f"line {number}: {bad}"
            return found
    if too_long:
        found.fault = f"line {before + len(lines) + 1}: the journal is longer than {JOURNAL_CAP} bytes"
    return found


class JournalTail:
    """Reads an agent's journal as it grows, line by line, for attempts whose model calls are recorded.

    There the agent may declare a ``model.output`` itself, and with ``calls`` a ``model.request`` as well.

    Attributes:
        fault: Which line is bad and why, None where none is; nothing after it is read.
    """

    def __init__(self, path: Path, *, calls: bool = False) -> None:
        self.fault: str | None = None
        self._path = path
        self._allowed = _DECLARED | {"model.request"} if calls else _DECLARED
        self._read = 0
        self._lines = 0

    def read(self, final: bool) -> list[dict[str, Any]]:
        """The whole lines written since the last look; ``final``: also a last one without its line end."""
        data = None if self.fault else read_regular(self._path, JOURNAL_CAP + 1)
        if data is None:
            self.fault = self.fault or _REPLACED
            return []
        end = len(data) if final else data.rfind(b"\n", 0, JOURNAL_CAP) + 1
        if end <= self._read:
            return []
        found = _parsed(data[self._read : end], self._lines, self._allowed, room=JOURNAL_CAP - self._read)
        self._read = end
        self._lines += found.lines
        self.fault = found.fault
        return found.events


def substituted(value: Any, words: Mapping[str, str]) -> Any:
    """A JSON value with each key of ``words``, in their order, replaced inside its strings (not in names)."""
    if isinstance(value, str):
        for old, new in words.items():
            value = value.replace(old, new)
        return value
    if isinstance(value, list):
        return [substituted(item, words) for item in value]
    if isinstance(value, dict):
        return {name: substituted(item, words) for name, item in value.items()}
    return value


def _check_recorded(event: Mapping[str, Any]) -> None:
    """Further rules for lines of an attempt whose calls are recorded: lanes, and answers."""
    lane = event.get("lane", "")
    if not isinstance(lane, str) or not is_lane(lane):
        raise _BadLineError(f"lane is not at most {LONGEST_LANE} printable characters")
    kind = event["kind"]
    if kind in _SHAPES and not isinstance(event.get("ref", ""), str):
        raise _BadLineError("ref is not a string")
    if kind in _SHAPES and event.keys() - {"lane"} not in _SHAPES[kind]:
        raise _BadLineError("a model.output has a sample and may have a lane, and nothing else")
    if kind == "model.request" and [event[name] for name in ("dialect", "method", "path")] != _BY_ITSELF:
        raise _BadLineError("a model.request is written by attempt.model alone")


def _event(line: bytes, allowed: frozenset[str]) -> dict[str, Any]:
    if not line.strip():
        raise _BadLineError("is empty")
    try:
        value = parse(line, max_depth=MAX_LINE_DEPTH).value
        canonical(value)
    except JsonError as error:
        raise _BadLineError(str(error)) from None
    if not isinstance(value, dict):
        raise _BadLineError("is not a JSON object")
    _check_kind(value, allowed)
    _check_members(value)
    if allowed:
        _check_recorded(value)
    return value


def _check_kind(event: Mapping[str, Any], allowed: frozenset[str]) -> None:
    kind = event.get("kind")
    if not isinstance(kind, str) or not kind:
        raise _BadLineError("kind is not a non-empty string")
    if kind.startswith(_HARNESS_KINDS) and kind not in allowed:
        raise _BadLineError(f"the kind {show(kind)} is the harness's to write")


def _check_members(event: Mapping[str, Any]) -> None:
    if "seq" in event:
        raise _BadLineError("seq is the harness's to write")
    problem = event_problem({"seq": 0, **event}, 0)
    if problem is not None:
        place, reason = problem
        raise _BadLineError(f"{place.removeprefix('.')} {reason}")
