"""An agent with two tools in the framework Pydantic AI. It reads its task from stdin."""

import sys
from pathlib import Path

from pydantic_ai import Agent

INSTRUCTIONS = "You keep a shop's books. Look up what you need with the tools. Answer with the number alone."

agent = Agent("openai-chat:gpt-5-mini", instructions=INSTRUCTIONS)


@agent.tool_plain
def read_file(name: str) -> str:
    """The text of a file in the working directory."""
    path = Path(name)
    return path.read_text(encoding="utf-8") if path.is_file() else f"there is no file {name!r}"


@agent.tool_plain
def add(amounts: list[int]) -> int:
    """The sum of some amounts."""
    return sum(amounts)


print(agent.run_sync(sys.stdin.read()).output)
