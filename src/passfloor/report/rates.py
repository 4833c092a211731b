"""The one form that an exact number has in machine output."""

from fractions import Fraction
from typing import Any

from passfloor.aggregate import nearest


def rate(value: Fraction) -> dict[str, Any]:
    """An exact number in lowest terms, and the double nearest to it."""
    return {"fraction": str(value), "float": nearest(value)}


def spelled(**numbers: Fraction | None) -> dict[str, Any]:
    """Exact numbers by name as fractions alone, and once more in ``as_rates`` as rates; None is null."""
    return {
        **{name: None if value is None else str(value) for name, value in numbers.items()},
        "as_rates": {name: None if value is None else rate(value) for name, value in numbers.items()},
    }
