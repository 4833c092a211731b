"""What a model's reply says, read from the text that arrived; pure, and total on hostile input."""

from passfloor.dialects.names import (
    ANTHROPIC,
    DIALECTS,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    OTHER,
    dialect_of,
    is_stream,
)
from passfloor.dialects.reading import Reply, is_whole, read_reply

__all__ = [
    "ANTHROPIC",
    "DIALECTS",
    "OPENAI_CHAT",
    "OPENAI_RESPONSES",
    "OTHER",
    "Reply",
    "dialect_of",
    "is_stream",
    "is_whole",
    "read_reply",
]
