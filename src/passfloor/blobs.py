"""Large values that repeat: kept once in the receipt's ``blobs``, referred to by digest from the events.

Conversations repeat in every turn and starting files in every attempt; without this a receipt grows with
the square of the turns. A reference is ``{"blob": sha256}``, the SHA-256 of the value's RFC 8785 form, and
stands at declared positions only; anywhere else such an object is plain data.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from passfloor.canonical import canonical, sha256_hex

THRESHOLD = 1024
"""A value of more canonical bytes than this is kept as a blob."""

_WHOLE = ("tools", "system")
_ITEMS = ("messages", "input")
_CAPTURED = {"model.artifact": "sample", "agent.artifact": "value"}

Slot = tuple[tuple[str | int, ...], Any]
"""Where a blob may stand in an event (the way down from the event) and what stands there."""


def externalise(events: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Move large values out of ``events``.

    Returns:
        The events with references in place of large values, and the blobs, sha256 -> value.
    """
    blobs: dict[str, Any] = {}
    moved = []
    for event in events:
        changed = dict(event)
        for way, value in _slots(event):
            encoded = canonical(value)
            if len(encoded) > THRESHOLD or is_reference(value):
                name = sha256_hex(encoded)
                blobs[name] = value
                changed = _replaced(changed, way, {"blob": name})
        moved.append(changed)
    return moved, blobs


def expand(events: Sequence[Mapping[str, Any]], blobs: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Put the values back. A reference to a blob that is absent stays as it is."""
    expanded: list[Mapping[str, Any]] = []
    for event in events:
        whole = event
        for way, name in references(event):
            if name in blobs:
                whole = _replaced(whole, way, blobs[name])
        expanded.append(whole)
    return expanded


def references(event: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Each blob an event refers to: the way down to the reference, and its digest."""
    for way, value in _slots(event):
        if is_reference(value):
            yield way, value["blob"]


def may_hold(event: Mapping[str, Any]) -> bool:
    """Whether an event is of a kind that has positions for blobs at all."""
    return event.get("kind") in _CAPTURED or event.get("kind") == "model.request"


def is_reference(value: object) -> TypeGuard[dict[str, str]]:
    """Whether ``value``, at a declared position, refers to a blob; any other shape is plain data."""
    return isinstance(value, dict) and len(value) == 1 and isinstance(value.get("blob"), str)


def _slots(event: Mapping[str, Any]) -> Iterator[Slot]:
    kind = event.get("kind")
    if kind in _CAPTURED:
        member = _CAPTURED[str(kind)]
        captured = event.get(member)
        if isinstance(captured, dict):
            for path, entry in captured.items():
                if isinstance(entry, dict) and "text" in entry:
                    yield (member, path, "text"), entry["text"]
    elif kind == "model.request" and isinstance(event.get("request"), dict):
        request = event["request"]
        for member in _WHOLE:
            if member in request:
                yield ("request", member), request[member]
        for member in _ITEMS:
            if isinstance(request.get(member), list):
                for position, item in enumerate(request[member]):
                    yield ("request", member, position), item


def _replaced(value: Any, way: tuple[str | int, ...], new: Any) -> Any:
    """A copy of ``value`` with ``new`` at the end of ``way``; what lies beside the way is shared."""
    if not way:
        return new
    copy: Any = list(value) if isinstance(value, list) else dict(value)
    copy[way[0]] = _replaced(value[way[0]], way[1:], new)
    return copy
