"""Patterns over untrusted text, in time linear in its length.

Syntax: https://github.com/google/re2/wiki/Syntax
"""

from typing import Any

import re2

from passfloor.grading.unjudged import CannotJudge

MAX_MEMORY = 8 << 20
"""Bytes a compiled pattern and its automaton may take; a pattern that needs more is refused."""


def _options() -> Any:
    options = re2.Options()
    options.max_mem = MAX_MEMORY
    options.log_errors = False
    return options


def found(pattern: str, text: str) -> bool:
    """Whether the RE2 pattern matches anywhere in the text.

    Raises:
        CannotJudge: the pattern is not RE2, is too large, or one of the two is not Unicode text.
    """
    return found_by(compiled(pattern), text)


def compiled(pattern: str) -> Any:
    """The pattern as an RE2 automaton.

    Raises:
        CannotJudge: it is not RE2, is too large, or is not Unicode text.
    """
    try:
        return re2.compile(pattern, _options())
    except re2.error as error:
        reason = error.args[0].decode(errors="replace")
        raise CannotJudge(f"the pattern is not RE2: {reason}") from error
    except UnicodeEncodeError as error:
        raise CannotJudge("the pattern or the text holds a lone surrogate") from error


def found_by(automaton: Any, text: str) -> bool:
    """Whether the automaton that ``compiled`` gave matches anywhere in the text.

    Raises:
        CannotJudge: the text is not Unicode.
    """
    try:
        # Bytes, since spans of a str would be counted back into characters, which nobody asks for.
        return automaton.search(text.encode()) is not None
    except UnicodeEncodeError as error:
        raise CannotJudge("the pattern or the text holds a lone surrogate") from error
