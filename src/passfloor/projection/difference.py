"""The first place where two JSON values differ, in words that are safe to print."""

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from passfloor.canonical import equal

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,59}")
_CAP = 60
_LEAD = 12
_ABSENT = object()


def first_difference(
    a: Any, b: Any, path: str, sides: tuple[str, str] = ("left", "right")
) -> tuple[str, str] | None:
    """Find the first difference of two JSON values, or None where their canonical forms are equal.

    Members are visited in RFC 8785 order, array items from the front, so the answer depends on nothing else.

    Args:
        a: a JSON value that has a canonical form.
        b: the value it is held against.
        path: where both stand; grows by ``.name``, ``['odd name']`` or ``[index]``.
        sides: what ``a`` and ``b`` are called where only one of them has a member.

    Returns:
        The path and a text such as ``('a' != 'b')``, ``(1 != true)`` or ``(only in attempt 0)``: printable
        ASCII, of bounded length for each value and name.

    Raises:
        JsonError: a value has no canonical form.
    """
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        names = sorted(a.keys() | b.keys(), key=utf16_order)
        pairs = [(member_path(path, name), a.get(name, _ABSENT), b.get(name, _ABSENT)) for name in names]
    elif isinstance(a, list) and isinstance(b, list):
        items = zip_longest(a, b, fillvalue=_ABSENT)
        pairs = [(f"{path}[{index}]", x, y) for index, (x, y) in enumerate(items)]
    else:
        return None if equal(a, b) else (path, f"({' != '.join(_shown_apart(a, b))})")
    for inner, x, y in pairs:
        if x is _ABSENT or y is _ABSENT:
            return inner, f"(only in {sides[x is _ABSENT]})"
        if found := first_difference(x, y, inner, sides):
            return found
    return None


def common_length(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many items two sequences begin with alike."""
    both = zip(one, other, strict=False)
    return next((at for at, (x, y) in enumerate(both) if x != y), min(len(one), len(other)))


def utf16_order(name: str) -> bytes:
    """The sort key of a member name in RFC 8785 section 3.2.3: its UTF-16 code units."""
    return name.encode("utf-16-be", "surrogatepass")


def member_path(path: str, name: str) -> str:
    """``path`` with the member ``name`` behind it: ``.name``, or escaped as ``['odd name']``."""
    if _PLAIN_NAME.fullmatch(name):
        return f"{path}.{name}" if path else name
    return f"{path}[{shown(name)}]"


def shown(value: object) -> str:
    """``value`` as short ASCII text: strings quoted, escaped and cut; arrays and objects by their size."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return _cut(value, 0)
        case int() if value.bit_length() > 64:
            # Past CPython's digit limit such a number cannot even be printed.
            return f"an integer of {value.bit_length()} bits"
        case int() | float():
            return repr(value)
        case Mapping():
            return f"an object of {len(value)} members"
        case list():
            return f"an array of {len(value)} items"
    return f"a value of type {type(value).__name__!a}"


def _shown_apart(a: object, b: object) -> tuple[str, str]:
    """Both values; of long strings the stretch where they first differ, not the front they share."""
    if not (isinstance(a, str) and isinstance(b, str)) or max(len(a), len(b)) <= _CAP:
        return shown(a), shown(b)
    start = max(0, common_length(a, b) - _LEAD)
    return _cut(a, start), _cut(b, start)


def _cut(text: str, start: int) -> str:
    before = "..." if start else ""
    after = "..." if len(text) > start + _CAP else ""
    return f"{before}{text[start : start + _CAP]!a}{after}"
