"""An agent with two tools on the official ``openai`` client. It reads its task from stdin."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from openai import OpenAI
from openai.types.chat import ChatCompletionMessageToolCall

MODEL = "gpt-5-mini"
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
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {
        "type": "function",
        "function": {"name": tool.__name__, "description": tool.__doc__, "parameters": parameters},
    }


TOOLS = {"read_file": read_file, "add": add}
DESCRIBED = [
    described(read_file, name={"type": "string"}),
    described(add, amounts={"type": "array", "items": {"type": "integer"}}),
]


def used(call: ChatCompletionMessageToolCall) -> str:
    """What a tool says when the model calls it; a bad call is told to the model, which may try again."""
    try:
        return TOOLS[call.function.name](**json.loads(call.function.arguments))
    except (KeyError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def answer(task: str) -> str:
    """Talk with the model until it calls no more tools."""
    messages: list[Any] = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": task}]
    with OpenAI() as client, ThreadPoolExecutor() as side_by_side:
        while True:
            completion = client.chat.completions.create(model=MODEL, messages=messages, tools=DESCRIBED)
            message = completion.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content or ""
            for call, said in zip(
                message.tool_calls, side_by_side.map(used, message.tool_calls), strict=True
            ):
                messages.append({"role": "tool", "tool_call_id": call.id, "content": said})


print(answer(sys.stdin.read()))
