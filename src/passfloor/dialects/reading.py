"""From a reply's text to what it says."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from passfloor.canonical import parse
from passfloor.dialects import anthropic, openai_chat, openai_responses
from passfloor.dialects.minting import DROPPED, number
from passfloor.dialects.names import ANTHROPIC, OPENAI_CHAT, OPENAI_RESPONSES, is_stream
from passfloor.dialects.streams import documents
from passfloor.dialects.values import MAX_DEPTH, MAX_EXACT, Unreadable
from passfloor.errors import JsonError

_DIALECTS: Mapping[str, ModuleType] = {
    ANTHROPIC: anthropic,
    OPENAI_CHAT: openai_chat,
    OPENAI_RESPONSES: openai_responses,
}


@dataclass(frozen=True)
class Reply:
    """What a reply says.

    Attributes:
        said: JSON data: the reply less what tells which one it is, minted ids as ``@0``, ``@1``, ...
        minted: The ids, by number; the reply's own id stands last and not in ``said``.
        model: The model the provider says it served; None where it does not.
        fingerprint: Its ``system_fingerprint``; None where there is none.
        cached: It says that it was answered from a cache of replies.
    """

    said: Any
    minted: tuple[str, ...]
    model: str | None
    fingerprint: str | None
    cached: bool


def read_reply(dialect: str, text: str) -> Reply | None:
    """Read a reply: plain JSON or a stream of events, whole or cut.

    A stream says what the plain reply says that it spells. Never raises.

    Args:
        dialect: Of the call, as ``dialect_of`` gives it.
        text: As it arrived.

    Returns:
        None where the dialect does not read it: it then says its own text.
    """
    reader = _DIALECTS.get(dialect)
    if reader is None:
        return None
    try:
        return _read(reader, text)
    except (Unreadable, JsonError, RecursionError):
        return None


def is_whole(dialect: str, text: str) -> bool | None:
    """Whether a stream holds the mark of its end; None where the text is no stream of a known dialect."""
    reader = _DIALECTS.get(dialect)
    if reader is None or not is_stream(text):
        return None
    try:
        events, done = documents(text)
    except Unreadable:
        return None
    return bool(reader.ended(events, done=done))


def _read(reader: ModuleType, text: str) -> Reply:
    if is_stream(text):
        events, _ = documents(text)
        if not events:
            raise Unreadable
        whole = reader.assembled(events)
    else:
        whole = parse(text.encode("utf-8", "surrogatepass"), max_depth=MAX_DEPTH).value
    if not isinstance(whole, dict) or not _is_exact(whole):
        raise Unreadable
    # Parts of events may stand in it twice, and numbering changes what it numbers.
    said = deepcopy({name: value for name, value in reader.settled(whole).items() if name not in DROPPED})
    minted = number(list(reader.places(said)), reader.output(said), whole.get("id"))
    return Reply(
        said,
        minted,
        _text(whole.get("model")),
        _text(whole.get("system_fingerprint")),
        whole.get("cached") is True or whole.get("cache_hit") is True,
    )


def _is_exact(value: Any) -> bool:
    """Whether all numbers are the same to every reader of JSON, and nothing is nested too deep."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        if any(isinstance(item, float) and abs(item) >= MAX_EXACT for item in level):
            return False
        boxes = [item for item in level if isinstance(item, list | dict)]
        level = [inner for box in boxes for inner in (box.values() if isinstance(box, dict) else box)]
        if not level:
            return True
    return False


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
