"""OpenAI chat completions: the reply that a stream of chunks spells, and where ids are minted."""

from collections.abc import Iterator
from typing import Any

from passfloor.dialects.minting import Place
from passfloor.dialects.values import Pieces, index_of, items, joined, obj, without_empty

_ONCE = frozenset({"id", "index", "name", "object", "role", "type"})
"""Members that a stream may repeat; the first that says something counts."""
_MADE_UP = frozenset({"choices", "object", "obfuscation"})


def assembled(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """The reply that a stream's chunks spell.

    Raises:
        Unreadable: They are no chunks.
    """
    reply: dict[str, Any] = {}
    choices: dict[int, dict[str, Any]] = {}
    for chunk in chunks:
        reply |= {name: value for name, value in chunk.items() if name not in _MADE_UP and value is not None}
        for given in items(chunk.get("choices")):
            choice = choices.setdefault(index_of(obj(given)), {"message": {}})
            _merge(choice["message"], obj(given.get("delta") or {}))
            _merge(choice, {name: value for name, value in given.items() if name not in {"delta", "message"}})
    if chunks and not choices and "error" in reply:
        return reply
    reply["object"] = "chat.completion"
    reply["choices"] = [joined(choices[index]) for index in sorted(choices)]
    return reply


def ended(chunks: list[dict[str, Any]], *, done: bool) -> bool:
    """Whether a stream came to its end: ``[DONE]``, or an error in its place."""
    return done or any(chunk.get("error") is not None for chunk in chunks)


def settled(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply in the one form that streams and plain replies share.

    Raises:
        Unreadable: Its choices are of another shape.
    """
    if "choices" not in reply:
        return reply
    said = {name: value for name, value in reply.items() if value is not None}
    said["choices"] = [_choice(obj(choice)) for choice in items(reply["choices"])]
    return said


def places(said: dict[str, Any]) -> Iterator[Place]:
    """Where ids stand: messages, their tool calls, audio and reasoning."""
    for choice in items(said.get("choices")):
        message = choice.get("message")
        if not isinstance(message, dict):
            continue
        yield message, "id"
        for name in ("tool_calls", "reasoning_details"):
            for part in items(message.get(name)):
                if isinstance(part, dict):
                    yield part, "id"
        if isinstance(message.get("audio"), dict):
            yield message["audio"], "id"


def output(said: dict[str, Any]) -> Any:
    """The part that the model said."""
    return said.get("choices")


def _choice(choice: dict[str, Any]) -> dict[str, Any]:
    kept = without_empty(choice)
    if isinstance(choice.get("message"), dict):
        message = without_empty(choice["message"])
        if "tool_calls" in message:
            message["tool_calls"] = [_call(call) for call in items(message["tool_calls"])]
        kept["message"] = message
    return kept


def _call(call: Any) -> dict[str, Any]:
    return {name: value for name, value in obj(call).items() if name != "index"}


def _merge(into: dict[str, Any], delta: dict[str, Any]) -> None:
    """Add what a chunk brings: texts grow, arrays grow or are filled by ``index``, the rest is the latest."""
    for name, value in delta.items():
        if value is None:
            into.setdefault(name, None)
        elif isinstance(value, dict):
            if not isinstance(into.get(name), dict):
                into[name] = {}
            _merge(into[name], value)
        elif isinstance(value, list):
            if not _is_list(into.get(name)):
                into[name] = []
            _extend(into[name], value)
        elif isinstance(value, str) and name not in _ONCE and name != "finish_reason":
            if not isinstance(into.get(name), Pieces):
                into[name] = Pieces()
            into[name].append(value)
        elif name not in _ONCE or not into.get(name):
            into[name] = value


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and not isinstance(value, Pieces)


def _extend(into: list[Any], new: list[Any]) -> None:
    known = {
        item["index"]: item for item in into if isinstance(item, dict) and type(item.get("index")) is int
    }
    for item in new:
        if isinstance(item, dict) and type(item.get("index")) is int:
            if item["index"] not in known:
                known[item["index"]] = {}
                into.append(known[item["index"]])
            _merge(known[item["index"]], item)
        else:
            into.append(item)
