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


_OPTIONS = _options()


def found(pattern: str, text: str) -> bool:
    """Whether the RE2 pattern matches anywhere in the text.

    Raises:
        CannotJudge: the pattern is not RE2, is too large, or one of the two is not Unicode text.
    """
    try:
        # Bytes, since spans of a str would be counted back into characters, which nobody asks for.
        return re2.compile(pattern, _OPTIONS).search(text.encode()) is not None
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else error
        raise CannotJudge(f"the pattern is not RE2: {reason}") from error
    except UnicodeEncodeError as error:
        raise CannotJudge("the pattern or the text holds a lone surrogate") from error
