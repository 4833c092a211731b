"""Attempt numbers as they are found: from 0 or 1, running through the whole file, or no numbers at all."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

from passfloor.importers.interface import TaskName

_DIGITS = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_FEW = 3

Kind = Literal["zero", "one", "running", "none"]
"""``zero``, ``one``: each task counts from there. ``running``: no number comes twice in the file, though it
holds several tasks: they are row or task numbers and say in which order attempts came, no more. ``none``:
not all of them are numbers."""


def whole(value: Any) -> int | None:
    """A whole number, also one that stands as text; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and _DIGITS.fullmatch(value.strip()) else None


def kind_of(pairs: Iterable[tuple[TaskName, Any]]) -> Kind:
    """How the numbers of all attempts of a file are to be read.

    Args:
        pairs: Task and what stands for the attempt's number, of each row.
    """
    least: int | None = None
    seen: set[int] = set()
    again = False
    sizes = Counter[TaskName]()
    for task, value in pairs:
        number = whole(value)
        if number is None:
            return "none"
        least = number if least is None else min(least, number)
        again |= number in seen
        seen.add(number)
        sizes[task] += 1
    if not again and len(sizes) >= _FEW:
        return "running"
    return "one" if least == 1 else "zero"
