"""Which tools were called: by the agent's own journal, and by what its model was asked next.

A model asks for a tool, and the next request says so: by repeating the call, or by giving the tool's result.
Ids read as symbols there; the answer itself numbers its ids.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_SYMBOL = re.compile(r"@[0-9a-f]{16}(/(?:0|[1-9][0-9]*))")
_USES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_CALLS = frozenset({"function_call", "custom_tool_call"})
_RESULT_IDS = ("tool_call_id", "tool_use_id", "call_id")


def tools_called(events: Sequence[Any], *, requests: bool = True) -> tuple[str, ...]:
    """The names of the tools called, each as often as it was.

    A ``tool.call`` event counts once. A call that an answer asked for counts once where a later request
    shows it; an event with its id, or with no id and its name, is the same call. Examples that a prompt
    merely holds were asked for by no answer and do not count. Never raises.

    Args:
        events: of a run receipt, blobs expanded.
        requests: read requests as well; conversations are long.
    """
    journal: list[tuple[str | None, str]] = []
    answers: list[dict[str, str]] = []
    shown: dict[str, str] = {}
    for event in events:
        kind = event.get("kind") if isinstance(event, Mapping) else None
        if kind == "tool.call" and isinstance(event.get("tool"), str):
            name = event.get("id")
            journal.append((name if isinstance(name, str) else None, event["tool"]))
        elif not requests:
            continue
        elif kind == "model.output" and isinstance(event.get("sample"), Mapping):
            answers.append(dict(_calls(event["sample"].get("said"))))
        elif kind == "model.request":
            _note(event.get("request"), answers, shown)
    return _merged(journal, shown)


def _note(request: Any, answers: Sequence[Mapping[str, str]], shown: dict[str, str]) -> None:
    for name, tool in _calls(request):
        if name not in shown and (_SYMBOL.fullmatch(name) or any(name in asked for asked in answers)):
            shown[name] = tool
    for name in _results(request):
        if name not in shown:
            found = _SYMBOL.fullmatch(name)
            key = f"@{found[1][1:]}" if found else name
            # The latest answer that asked with this number: which one it was is not told by the number.
            shown.update((name, asked[key]) for asked in answers if key in asked)


def _merged(journal: Sequence[tuple[str | None, str]], shown: Mapping[str, str]) -> tuple[str, ...]:
    own = [tool for name, tool in journal if name is not None and name not in shown]
    joined = {name for name, _ in journal}
    loose = Counter(tool for name, tool in shown.items() if name not in joined)
    for tool in (tool for name, tool in journal if name is None):
        if loose[tool]:
            loose[tool] -= 1
        else:
            own.append(tool)
    return (*shown.values(), *own)


def _calls(body: Any) -> Iterator[tuple[str, str]]:
    """Id and name of every call of a tool in a request's conversation, or in what an answer says."""
    for item in _items(body):
        for call in _list(item.get("tool_calls")):
            function = call.get("function", call.get("custom"))
            yield from _pair(call.get("id"), function.get("name") if isinstance(function, Mapping) else None)
        if item.get("type") in _CALLS:
            yield from _pair(item.get("call_id"), item.get("name"))
        for part in (item, *_list(item.get("content"))):
            if part.get("type") in _USES:
                yield from _pair(part.get("id"), part.get("name"))


def _results(body: Any) -> Iterator[str]:
    """The ids of calls whose results a request gives."""
    for item in _items(body):
        for part in (item, *_list(item.get("content"))):
            for member in _RESULT_IDS:
                if isinstance(part.get(member), str):
                    yield part[member]


def _items(body: Any) -> Iterator[Mapping[str, Any]]:
    """The items of a conversation: of a request, of an answer's choices, output or content."""
    if not isinstance(body, Mapping):
        return
    for member in ("messages", "input", "output", "content"):
        yield from _list(body.get(member))
    for choice in _list(body.get("choices")):
        if isinstance(choice.get("message"), Mapping):
            yield choice["message"]


def _list(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _pair(name: Any, tool: Any) -> Iterator[tuple[str, str]]:
    if isinstance(name, str) and isinstance(tool, str):
        yield name, tool
