"""The words this process was started with, so that a person can be told how to go on."""

import shlex
from collections.abc import Sequence
from contextvars import ContextVar

_words: ContextVar[tuple[str, ...]] = ContextVar("words", default=())


def remember(words: Sequence[str]) -> None:
    """Keep the words after the program's name."""
    _words.set(tuple(words))


def resume_command() -> str:
    """The user's own words, plus ``--resume`` unless they go on with a run already."""
    words = _words.get()
    goes_on = any(word in {"--resume", "--run"} or word.startswith("--run=") for word in words)
    return shlex.join(["passfloor", *words, *([] if goes_on else ["--resume"])])
