"""Times in the files of the identity: RFC 3339 in UTC, to the second."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field


def seconds(text: str) -> int:
    """Seconds since the epoch of a time such as ``2026-01-31T09:30:00Z``.

    Raises:
        ValueError: no such time exists.
    """
    return int(datetime.fromisoformat(text).timestamp())


def _real(text: str) -> str:
    try:
        seconds(text)
    except ValueError:
        raise ValueError("no such time exists") from None
    return text


Second = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"), AfterValidator(_real)]
"""An RFC 3339 time in UTC, to the second."""
