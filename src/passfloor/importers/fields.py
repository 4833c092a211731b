"""Members of a foreign record, taken with care."""

from typing import Any

from passfloor.canonical import lenient
from passfloor.errors import ImportRefused, JsonError
from passfloor.importers.interface import TaskName

MAX_TRIALS = 100_000
"""Most attempts of one task."""


def whole(value: Any) -> int | None:
    """A whole number that is not negative; None for anything else, booleans too."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def task_name(value: Any, where: str) -> TaskName:
    """A task id: a text or a whole number.

    Raises:
        ImportRefused: it is neither.
    """
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise ImportRefused(f"{where} has no task_id that is a text or a whole number: get the file again")
    return value


def trial(value: Any, where: str) -> int | None:
    """A trial's number from 0; None where it has none.

    Raises:
        ImportRefused: it is no such number, or too large.
    """
    number = whole(value)
    if value is not None and (number is None or number >= MAX_TRIALS):
        raise ImportRefused(f"{where} has a trial that is no number from 0 to {MAX_TRIALS - 1}")
    return number


def parsed(text: str, where: str) -> dict[str, Any]:
    """A JSON object.

    Raises:
        ImportRefused: it is none, or passes a limit.
    """
    try:
        value = lenient.parse(text)
    except JsonError as error:
        raise ImportRefused(f"{where}: {error}") from None
    if not isinstance(value, dict):
        raise ImportRefused(f"{where} is no JSON object: expected one attempt")
    return value
