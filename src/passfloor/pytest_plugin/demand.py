"""What a marker asks: how many attempts, the draw size, and the floor that keeps the item green."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from passfloor.errors import UsageError
from passfloor.stats import pass_hat_k

_NAMES = ("n", "k", "floor")
_MOST = 10_000


@dataclass(frozen=True)
class Demand:
    """n attempts, draws of k of them, 1 <= k <= n; ``floor`` is the least pass^k, 0 to 1, exact."""

    n: int
    k: int
    floor: Fraction


def read_demand(marker: pytest.Mark, item: pytest.Item) -> Demand | str:
    """The demand of a marker, or why it cannot be met, in one line.

    ``k`` is n where it is left out, ``floor`` is 1: every attempt has to pass unless less is asked for. A
    float is taken as it is written, 0.9 for nine tenths.
    """
    if item.get_closest_marker("xfail") is not None:
        return "reliability and xfail contradict each other; remove one of the two marks"
    given: Mapping[str, Any] = {**dict(zip(_NAMES, marker.args, strict=False)), **marker.kwargs}
    unknown = sorted(set(given) - set(_NAMES))
    if len(marker.args) > len(_NAMES) or unknown:
        return f"reliability takes n, k and floor, not {', '.join(unknown) or marker.args}"
    if twice := [name for name in _NAMES[: len(marker.args)] if name in marker.kwargs]:
        return f"reliability is given {twice[0]} twice, by place and by name; keep one of them"
    if "n" not in given:
        return "reliability needs the number of attempts: @pytest.mark.reliability(n=10, k=5, floor=0.9)"
    n, k = given["n"], given.get("k", given["n"])
    if isinstance(n, int) and n > _MOST:
        return f"n={n} attempts are more than {_MOST}; ask for fewer"
    try:
        pass_hat_k(n, 0, k)
    except UsageError as error:
        return str(error)
    floor = _fraction(given.get("floor", 1))
    if floor is None:
        return f"floor={given['floor']!r} is no number from 0 to 1; 0.9 asks for a pass^{k} of at least 90%"
    return Demand(n, k, floor)


def _fraction(value: object) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        return None
    try:
        floor = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return None
    return floor if 0 <= floor <= 1 else None
