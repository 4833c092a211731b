"""The ids a provider mints afresh in every reply, numbered so that two replies can be compared."""

from collections.abc import Iterable, Iterator
from typing import Any

Place = tuple[dict[str, Any], str]
"""An object and the name of a member of it that holds a minted id, if it is there."""

DROPPED = frozenset({"completed_at", "created", "created_at", "id", "service_tier", "system_fingerprint"})
"""Members of a reply that tell which reply it is, not what it says."""

OPAQUE = frozenset({"encrypted_content", "encrypted_index", "signature", "thought_signature"})
"""Members anywhere in what the model said that are made anew each time, for the provider alone to read."""

LEAST = 8
"""A shorter id is left as it is: in other places it would be taken for what it is not."""

_CLOSED = frozenset({"arguments", "input"})
"""Members that hold what a tool is given: names in there are the tool's own."""


def number(places: Iterable[Place], output: Any, own: Any) -> tuple[str, ...]:
    """Replace minted ids by ``@0``, ``@1``, ... where they stand: what is given is changed.

    Ids are numbered in the order in which ``places`` gives them, then opaque members of ``output`` in order
    (names sorted), then the reply's own id, which stands in neither. An id that comes again, anywhere
    in ``output``, has its number.

    Returns:
        The ids, by number.
    """
    numbers: dict[str, int] = {}
    for holder, name in (*places, *_opaque(output)):
        value = holder.get(name)
        if isinstance(value, str) and len(value) >= LEAST:
            holder[name] = f"@{numbers.setdefault(value, len(numbers))}"
    if isinstance(own, str) and len(own) >= LEAST:
        numbers.setdefault(own, len(numbers))
    if numbers:
        _replace(output, numbers)
    return tuple(numbers)


def _opaque(value: Any) -> Iterator[Place]:
    if isinstance(value, list):
        for item in value:
            yield from _opaque(item)
    elif isinstance(value, dict):
        for name in sorted(value):
            if name in OPAQUE:
                yield value, name
            if name not in _CLOSED:
                yield from _opaque(value[name])


def _replace(value: Any, numbers: dict[str, int]) -> None:
    if not isinstance(value, list | dict):
        return
    inner = list(enumerate(value)) if isinstance(value, list) else list(value.items())
    for key, item in inner:
        if isinstance(item, str):
            if item in numbers:
                value[key] = f"@{numbers[item]}"
        elif key not in _CLOSED:
            _replace(item, numbers)
