"""OpenAI responses: the reply that a stream of events spells, and where ids are minted."""

from collections.abc import Iterator
from typing import Any

from passfloor.dialects.minting import Place
from passfloor.dialects.values import Pieces, index_of, items, joined, obj, type_of

_ENDS = frozenset({"response.completed", "response.failed", "response.incomplete"})
_ITEM_IDS = ("approval_request_id", "call_id", "id")


def assembled(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The reply that a stream's events spell: its last event's, else the first's with what came since.

    Raises:
        Unreadable: They are no events of this dialect.
    """
    reply: dict[str, Any] = {}
    output: dict[int, dict[str, Any]] = {}
    for event in events:
        kind = type_of(event)
        if kind == "error":
            reply["error"] = {name: value for name, value in event.items() if name != "sequence_number"}
        elif "response" in event:
            reply = dict(obj(event["response"]))
            if kind in _ENDS:
                return reply
        elif "item" in event:
            output[index_of(event, "output_index")] = dict(obj(event["item"]))
        elif kind and isinstance(event.get("delta"), str):
            _grow(output.setdefault(index_of(event, "output_index"), {}), kind, event)
    if output:
        reply["output"] = [joined(output[index]) for index in sorted(output)]
    return reply


def ended(events: list[dict[str, Any]], *, done: bool) -> bool:
    """Whether a stream came to its end, good or bad."""
    return done or any(type_of(event) in _ENDS or type_of(event) == "error" for event in events)


def settled(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply as it is: a stream ends in the very reply."""
    return reply


def places(said: dict[str, Any]) -> Iterator[Place]:
    """Where ids stand: the items."""
    for item in items(said.get("output")):
        if isinstance(item, dict):
            yield from ((item, name) for name in _ITEM_IDS)


def output(said: dict[str, Any]) -> Any:
    """The part that the model said."""
    return said.get("output")


def _grow(item: dict[str, Any], kind: str, event: dict[str, Any]) -> None:
    """Add a piece to an item that is not done; ``done`` brings the whole of it."""
    parts = [str(event[name]) for name in ("content_index", "summary_index") if type(event.get(name)) is int]
    name = ".".join([kind, *parts])
    if not isinstance(item.get(name), Pieces):
        item[name] = Pieces()
    item[name].append(event["delta"])
