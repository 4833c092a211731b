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
    words = list(_words.get())
    if not any(word in {"--resume", "--run"} or word.startswith("--run=") for word in words):
        # Behind two dashes on their own everything is a name.
        words.insert(words.index("--") if "--" in words else len(words), "--resume")
    return shlex.join(["passfloor", *words])
