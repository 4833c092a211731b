"""The one form that an exact number has in machine output."""

from fractions import Fraction
from typing import Any

from passfloor.aggregate import nearest


def rate(value: Fraction) -> dict[str, Any]:
    """An exact number in lowest terms, and the double nearest to it."""
    return {"fraction": str(value), "float": nearest(value)}
