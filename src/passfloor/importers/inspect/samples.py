"""A sample of an Inspect log as it is embedded: with all that decides, without its transcript."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.importers.fields import mapping, parsed
from passfloor.importers.interface import TaskName
from passfloor.importers.streams import Cursor

# The members of a whole sample that are no transcript. A summary has no others but its short input.
_KEPT = frozenset(
    {
        "id",
        "epoch",
        "target",
        "scores",
        "limit",
        "invalidation",
        "uuid",
        "started_at",
        "completed_at",
        "total_time",
        "working_time",
    }
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample of one epoch.

    Attributes:
        id: As the log has it: 3 and "3" are two samples.
        epoch: From 1.
        text: JSON text.
        value: The same, read leniently.
        where: For people.
    """

    id: TaskName
    epoch: int
    text: str
    value: Mapping[str, Any]
    where: str


def sample(text: str, where: str) -> Sample:
    """Read the text of a summary or a sample.

    Raises:
        ImportRefused: it is none.
    """
    value = mapping(text, where)
    name, epoch = value.get("id"), value.get("epoch", 1)
    if not isinstance(name, str | int) or isinstance(name, bool) or name == "":
        raise ImportRefused(f"{where} has no id that is a text or a whole number; write the log again")
    if not isinstance(epoch, int) or isinstance(epoch, bool) or not 1 <= epoch <= 1_000_000:
        raise ImportRefused(f"{where} has no epoch from 1 on; write the log again")
    return Sample(name, epoch, text, value, where)


def reduced(cursor: Cursor) -> str:
    """The text of the sample that the cursor stands before, without its transcript.

    Of the error its message is kept, of the retried errors their number, as summaries have it.

    Raises:
        ImportRefused: no JSON object stands there.
    """
    kept: list[str] = []
    for name in cursor.members():
        if name in _KEPT:
            kept.append(f"{json.dumps(name)}:{cursor.value()}")
        elif name == "error":
            kept.append(f'"error":{_message(cursor.value())}')
        elif name == "error_retries" and cursor.peek() == "[":
            kept.append(f'"retries":{_count(cursor)}')
        else:
            cursor.skip()
    return "{" + ",".join(kept) + "}"


def _message(text: str) -> str:
    error = parsed(text, "the error of a sample")
    return (
        json.dumps({"message": error["message"]}) if isinstance(error, dict) and "message" in error else text
    )


def _count(cursor: Cursor) -> int:
    count = 0
    for _ in cursor.elements():
        cursor.skip()
        count += 1
    return count
