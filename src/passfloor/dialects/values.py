"""JSON values of replies: bounds, and parts that arrive piece by piece."""

from typing import Any

MAX_DEPTH = 40
"""Most containers inside one another in a reply that is read: it ends up inside a receipt."""

MAX_EXACT = 2**53
"""Numbers from here on in magnitude are not the same in every reader of JSON."""


class Unreadable(Exception):  # noqa: N818  # caught by whoever reads, never seen outside
    """A reply that this dialect does not read."""


class Pieces(list[str]):
    """A text that arrives in pieces."""


def obj(value: Any) -> dict[str, Any]:
    """The value where it is an object.

    Raises:
        Unreadable: It is none.
    """
    if not isinstance(value, dict):
        raise Unreadable
    return value


def items(value: Any) -> list[Any]:
    """The value where it is an array; null or nothing is an empty one.

    Raises:
        Unreadable: It is something else.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise Unreadable
    return value


def type_of(value: dict[str, Any]) -> str:
    """The ``type`` an object names; "" where it names none that is a text."""
    kind = value.get("type")
    return kind if isinstance(kind, str) else ""


def index_of(value: dict[str, Any], name: str = "index") -> int:
    """A position that a stream names; 0 where it names none.

    Raises:
        Unreadable: It is no whole number from 0.
    """
    index = value.get(name, 0)
    if type(index) is not int or index < 0:
        raise Unreadable
    return index


def joined(value: Any) -> Any:
    """The value with its texts in one piece."""
    if isinstance(value, Pieces):
        return "".join(value)
    if isinstance(value, list):
        return [joined(item) for item in value]
    if isinstance(value, dict):
        return {name: joined(item) for name, item in value.items()}
    return value


def without_empty(value: dict[str, Any]) -> dict[str, Any]:
    """An object without members that are null or an empty array: a stream leaves them out."""
    return {name: item for name, item in value.items() if item is not None and item != []}
