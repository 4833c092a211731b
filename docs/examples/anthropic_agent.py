"""An agent with two tools on the official ``anthropic`` client, streaming. It reads its task from stdin."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from anthropic import Anthropic
from anthropic.types import ToolUseBlock

MODEL = "claude-sonnet-4-5"
INSTRUCTIONS = "You keep a shop's books. Look up what you need with the tools. Answer with the number alone."


def read_file(name: str) -> str:
    """The text of a file in the working directory."""
    path = Path(name)
    return path.read_text(encoding="utf-8") if path.is_file() else f"there is no file {name!r}"


def add(amounts: list[int]) -> str:
    """The sum of some amounts."""
    return str(sum(amounts))


def described(tool: Any, **properties: Any) -> Any:
    """What the model is told about a tool."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": tool.__name__, "description": tool.__doc__, "input_schema": schema}


TOOLS = {"read_file": read_file, "add": add}
DESCRIBED = [
    described(read_file, name={"type": "string"}),
    described(add, amounts={"type": "array", "items": {"type": "integer"}}),
]


def used(call: ToolUseBlock) -> Any:
    """What a tool says when the model calls it; a bad call is told to the model, which may try again."""
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return {**result, "content": TOOLS[call.name](**call.input)}
    except (KeyError, TypeError, ValueError) as error:
        return {**result, "content": f"{type(error).__name__}: {error}", "is_error": True}


def answer(task: str) -> str:
    """Talk with the model until it calls no more tools, and show on standard error what it says meanwhile."""
    messages: list[Any] = [{"role": "user", "content": task}]
    asked: dict[str, Any] = {"model": MODEL, "max_tokens": 1024, "system": INSTRUCTIONS, "tools": DESCRIBED}
    with Anthropic() as client, ThreadPoolExecutor() as side_by_side:
        while True:
            with client.messages.stream(messages=messages, **asked) as stream:
                for text in stream.text_stream:
                    print(text, end="", file=sys.stderr, flush=True)
                message = stream.get_final_message()
            messages.append({"role": "assistant", "content": message.content})
            calls = [block for block in message.content if block.type == "tool_use"]
            if not calls:
                return "".join(block.text for block in message.content if block.type == "text")
            messages.append({"role": "user", "content": list(side_by_side.map(used, calls))})


print(answer(sys.stdin.read()))
