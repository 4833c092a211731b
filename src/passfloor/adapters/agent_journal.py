"""The journal lines an agent wrote itself: read strictly, and made the same in every attempt's folder."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from passfloor.canonical import canonical, parse
from passfloor.errors import JsonError
from passfloor.projection import event_problem
from passfloor.workspaces.capture import show

JOURNAL_CAP = 1024 * 1024
"""Most bytes of a journal that are read."""

MAX_LINE_DEPTH = 40
"""Most containers inside one another in a line: it ends up inside a receipt."""

_REPLACED = "the journal was removed or replaced"
_HARNESS_KINDS = ("task.", "attempt.", "agent.", "model.")


@dataclass
class JournalLines:
    """What an agent wrote.

    Attributes:
        events: The lines before the first bad one, without ``seq``.
        fault: Which line is bad and why, None where none is.
    """

    events: list[dict[str, Any]] = field(default_factory=list)
    fault: str | None = None


class _BadLineError(Exception):
    """Why a line is refused."""


def read_journal(path: Path) -> JournalLines:
    """Read an agent's journal up to its first bad line; never through a link."""
    try:
        # Not blocking: the agent may have put a pipe there.
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return JournalLines(fault=_REPLACED)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        return JournalLines(fault=_REPLACED)
    with open(opened, "rb") as file:  # noqa: PTH123  # a descriptor, not a path
        return parse_journal(file.read(JOURNAL_CAP + 1))


def parse_journal(data: bytes) -> JournalLines:
    """Read journal lines up to the first bad one. The last line may lack its line end."""
    found = JournalLines()
    lines = data[:JOURNAL_CAP].split(b"\n")
    too_long = len(data) > JOURNAL_CAP
    if too_long or not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, start=1):
        try:
            found.events.append(_event(line))
        except _BadLineError as bad:
            found.fault = f"line {number}: {bad}"
            return found
    if too_long:
        found.fault = f"line {len(lines) + 1}: the journal is longer than {JOURNAL_CAP} bytes"
    return found


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


def _event(line: bytes) -> dict[str, Any]:
    if not line.strip():
        raise _BadLineError("is empty")
    try:
        value = parse(line, max_depth=MAX_LINE_DEPTH).value
        canonical(value)
    except JsonError as error:
        raise _BadLineError(str(error)) from None
    if not isinstance(value, dict):
        raise _BadLineError("is not a JSON object")
    _check_kind(value)
    _check_members(value)
    return value


def _check_kind(event: Mapping[str, Any]) -> None:
    kind = event.get("kind")
    if not isinstance(kind, str) or not kind:
        raise _BadLineError("kind is not a non-empty string")
    if kind.startswith(_HARNESS_KINDS):
        raise _BadLineError(f"the kind {show(kind)} is the harness's to write")


def _check_members(event: Mapping[str, Any]) -> None:
    if "seq" in event:
        raise _BadLineError("seq is the harness's to write")
    problem = event_problem({"seq": 0, **event}, 0)
    if problem is not None:
        place, reason = problem
        raise _BadLineError(f"{place.removeprefix('.')} {reason}")
