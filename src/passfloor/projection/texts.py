"""The strings in a JSON value: each of them, and all of them changed."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any


def strings_of(value: Any) -> Iterator[str]:
    """Every string in a JSON value, names of members included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            yield from strings_of(item)


def in_strings(value: Any, change: Callable[[str], str], *, names: bool) -> Any:
    """A JSON value with each string changed.

    Args:
        value: stays as it is.
        change: what becomes of a string.
        names: names of members are changed too, in objects where no two would fall together.
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [in_strings(item, change, names=names) for item in value]
    if isinstance(value, Mapping):
        inner = {name: in_strings(item, change, names=names) for name, item in value.items()}
        changed = {change(name): item for name, item in inner.items()} if names else inner
        return changed if len(changed) == len(inner) else inner
    return value
