"""Streams of events (HTML Living Standard, section 9.2.6), as far as model providers use them."""

import re
from typing import Any

from passfloor.canonical import parse
from passfloor.dialects.values import MAX_DEPTH, Unreadable
from passfloor.errors import JsonError

DONE = "[DONE]"
"""The data of the event that ends an OpenAI chat stream."""

_LINE_END = re.compile("\r\n|\n|\r")


def datas(text: str) -> list[str]:
    """The data of each event, in order; that of a last event which lacks its blank line as well."""
    found: list[str] = []
    lines: list[str] = []
    for line in _LINE_END.split(text.removeprefix("\ufeff")):
        if not line:
            if lines:
                found.append("\n".join(lines))
                lines = []
        elif line == "data" or line.startswith("data:"):
            value = line[5:]
            lines.append(value.removeprefix(" "))
    if lines:
        found.append("\n".join(lines))
    return found


def documents(text: str) -> tuple[list[dict[str, Any]], bool]:
    """The JSON objects of a stream, and whether ``[DONE]`` was among its events.

    What follows ``[DONE]`` is passed over, and so is a last event that is cut.

    Raises:
        Unreadable: An event is no JSON object.
    """
    found: list[dict[str, Any]] = []
    all_datas = datas(text)
    for position, data in enumerate(all_datas):
        if data.strip() == DONE:
            return found, True
        try:
            value = parse(data.encode("utf-8", "surrogatepass"), max_depth=MAX_DEPTH).value
        except JsonError:
            if position == len(all_datas) - 1:
                break
            raise Unreadable from None
        if not isinstance(value, dict):
            raise Unreadable
        found.append(value)
    return found, False
