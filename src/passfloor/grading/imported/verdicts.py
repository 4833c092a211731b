"""What one raw record of another tool says about one attempt."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Protocol

_DECIMAL = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?", re.ASCII)

Said = Literal["passed", "wrong", "errored", "cancelled"]
"""``cancelled`` counts as errored and is shown apart."""


class Unreadable(Exception):  # noqa: N818  # it is what the record is
    """The record gives no verdict under this rule. The message is one line: what stands there, what to do."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one raw record says.

    Attributes:
        outcome: ``passed``; ``wrong``: finished, bad answer; ``errored``: did not finish; ``cancelled``.
        score: The source's own score, 0 to 1; None where it gives none.
        error_type: The source's own word for what went wrong, kept beside a verdict too: the verdict wins.
        error_text: Its message.
    """

    outcome: Said
    score: Fraction | None = None
    error_type: str | None = None
    error_text: str | None = None


class Reader(Protocol):
    """The function ``read`` of a format's module."""

    def __call__(self, record: Any, rule: Mapping[str, Any]) -> Reading:
        """Read one record. Pure and total.

        Args:
            record: The raw record, as ``passfloor.canonical.lenient.parse`` reads it.
            rule: JSON data that was fixed on import and is sealed in the suite: scorer, threshold and so on.
                Numbers in it stand as decimal text.

        Raises:
            Unreadable: there is no verdict in it.
        """
        ...


def number(value: object) -> Fraction | None:
    """A number as the lenient reader gives it, exactly; None for anything else, booleans and texts too."""
    return Fraction(value) if isinstance(value, int | Fraction) and not isinstance(value, bool) else None


def decimal(text: object) -> Fraction | None:
    """A number that stands as plain decimal text, such as ``0.65``, exactly; None for anything else."""
    return Fraction(text) if isinstance(text, str) and _DECIMAL.fullmatch(text) else None


def unit(value: Fraction | None) -> Fraction | None:
    """A score from 0 to 1; None for one outside of that."""
    return value if value is not None and 0 <= value <= 1 else None


def text(value: object) -> str | None:
    """A text that is not empty, else None."""
    return value if isinstance(value, str) and value else None
