"""Anthropic messages: the reply that a stream of events spells, and where ids are minted."""

from collections.abc import Iterator
from typing import Any

from passfloor.canonical import parse
from passfloor.dialects.minting import Place
from passfloor.dialects.values import MAX_DEPTH, Pieces, Unreadable, index_of, items, joined, obj, type_of
from passfloor.errors import JsonError

# A delta's type -> the member of the block that it adds to, and its own member that holds the piece.
_TEXTS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "input_json_delta": ("input", "partial_json"),
}
_ITEM_IDS = ("id", "tool_use_id")


def assembled(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The reply that a stream's events spell.

    Raises:
        Unreadable: They are no events of this dialect.
    """
    message: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    for event in events:
        match type_of(event):
            case "message_start":
                message = dict(obj(event.get("message")))
            case "content_block_start":
                blocks[index_of(event)] = dict(obj(event.get("content_block")))
            case "content_block_delta":
                _grow(blocks.setdefault(index_of(event), {}), obj(event.get("delta")))
            case "message_delta":
                message |= obj(event.get("delta") or {})
                message["usage"] = _usage(message.get("usage"), event.get("usage"))
            case "error":
                message["error"] = event.get("error")
    if blocks or isinstance(message.get("content"), list):
        message["content"] = [_whole(blocks[index]) for index in sorted(blocks)]
    return message


def ended(events: list[dict[str, Any]], *, done: bool) -> bool:
    """Whether a stream came to its end, good or bad."""
    return done or any(type_of(event) in {"message_stop", "error"} for event in events)


def settled(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply without null members, and text blocks without those that are empty: streams differ in them.

    Raises:
        Unreadable: Its content is no array of objects.
    """
    said = {name: value for name, value in reply.items() if value is not None}
    if isinstance(reply.get("usage"), dict):
        said["usage"] = {name: value for name, value in reply["usage"].items() if value is not None}
    if "content" in said:
        said["content"] = [_block(obj(block)) for block in items(said["content"])]
    return said


def places(said: dict[str, Any]) -> Iterator[Place]:
    """Where ids stand: content blocks; blocks the provider keeps closed; the container."""
    for block in items(said.get("content")):
        yield from ((block, name) for name in _ITEM_IDS)
        if type_of(block) == "redacted_thinking":
            yield block, "data"
    if isinstance(said.get("container"), dict):
        yield said["container"], "id"


def output(said: dict[str, Any]) -> Any:
    """The part that the model said."""
    return said.get("content")


def _block(block: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in block.items() if value is not None and value not in ([], "")}


def _grow(block: dict[str, Any], delta: dict[str, Any]) -> None:
    kind = type_of(delta)
    if kind in _TEXTS:
        name, member = _TEXTS[kind]
        piece = delta.get(member)
        if not isinstance(piece, str):
            raise Unreadable
        if not isinstance(block.get(name), Pieces):
            start = block.get(name)
            block[name] = Pieces([start] if isinstance(start, str) else [])
        block[name].append(piece)
    elif kind == "citations_delta":
        citations = block.get("citations")
        block["citations"] = [*(citations if isinstance(citations, list) else []), delta.get("citation")]
    else:
        block |= {name: value for name, value in delta.items() if name != "type"}


def _whole(block: dict[str, Any]) -> dict[str, Any]:
    """The block with its texts in one piece, and a tool's input read."""
    whole: dict[str, Any] = joined(block)
    if isinstance(block.get("input"), Pieces):
        try:
            whole["input"] = parse(whole["input"].encode("utf-8", "surrogatepass"), max_depth=MAX_DEPTH).value
        except JsonError:
            # Cut, or no JSON: a tool without arguments sends one empty piece.
            whole["input"] = whole["input"] or {}
    return whole


def _usage(first: Any, last: Any) -> dict[str, Any]:
    before = first if isinstance(first, dict) else {}
    after = last if isinstance(last, dict) else {}
    return {**before, **{name: value for name, value in after.items() if value is not None}}
