"""Figures as other tools print them, taken where they are shares."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from passfloor.grading.imported.verdicts import number
from passfloor.importers.interface import Published


def share(value: Any) -> Fraction | None:
    """A number from 0 to 1; None for whatever else stands there."""
    exact = number(value)
    return exact if exact is not None and 0 <= exact <= 1 else None


def pass_at(table: Any, suffix: str, where: str) -> Iterator[Published]:
    """The members of a table of pass@k by k.

    Args:
        table: What stands at its place, of any kind.
        suffix: Behind the name of each figure.
        where: What the table is called.
    """
    for k, value in table.items() if isinstance(table, dict) else ():
        exact = share(value)
        if k.isdecimal() and k.isascii() and exact is not None:
            yield Published(f"pass@{k}{suffix}", exact, where)
