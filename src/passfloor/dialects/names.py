"""Which dialect a call speaks, by its method and path, and how a reply's text begins."""

import re

OPENAI_CHAT = "openai_chat"
OPENAI_RESPONSES = "openai_responses"
ANTHROPIC = "anthropic"
OTHER = "other"

DIALECTS = (OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC, OTHER)
"""Every value of ``dialect``."""

_ENDS = (("/chat/completions", OPENAI_CHAT), ("/responses", OPENAI_RESPONSES), ("/messages", ANTHROPIC))
_STREAM = re.compile("\ufeff?(?:\r\n|\n|\r)*(?:data|event|id|retry)?:")


def dialect_of(method: str, path: str) -> str:
    """The dialect of a call.

    Args:
        method: As it was sent, such as ``POST``.
        path: With or without a query; what stands before its end does not matter.
    """
    if method == "POST":
        place = path.partition("?")[0].rstrip("/")
        for end, dialect in _ENDS:
            if place.endswith(end):
                return dialect
    return OTHER


def is_stream(text: str) -> bool:
    """Whether a reply's text is a stream of events, by how it begins."""
    return _STREAM.match(text) is not None
