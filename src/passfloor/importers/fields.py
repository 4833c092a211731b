"""Members of a foreign record, taken with care."""

from typing import Any

from passfloor.canonical import lenient
from passfloor.errors import ImportRefused, JsonError
from passfloor.importers.interface import TaskName

MAX_TRIALS = 100_000
"""Most attempts of one task."""

_LARGEST = 2**53 - 1


def whole(value: Any, most: int = _LARGEST) -> int | None:
    """A whole number from 0 to ``most``; None for anything else, booleans too."""
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most
    return int(value) if fits else None


def word(value: Any) -> str:
    """A text; empty for anything else."""
    return value if isinstance(value, str) else ""


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
    number = whole(value, MAX_TRIALS - 1)
    if value is not None and number is None:
        raise ImportRefused(f"{where} has a trial that is no number from 0 to {MAX_TRIALS - 1}")
    return number


def parsed(text: str | bytes, where: str) -> Any:
    """The value of a JSON text, read leniently.

    Raises:
        ImportRefused: it is no JSON, or passes a limit.
    """
    try:
        return lenient.parse(text)
    except JsonError as error:
        raise ImportRefused(f"{where}: {error}") from None


def mapping(text: str, where: str) -> dict[str, Any]:
    """The JSON object of a text, read leniently.

    Raises:
        ImportRefused: it is anything else, or passes a limit.
    """
    value = parsed(text, where)
    if not isinstance(value, dict):
        raise ImportRefused(f"{where} is no JSON object: get the file again")
    return value
