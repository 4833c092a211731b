"""The one door for untrusted text on its way to a terminal."""

import re
import unicodedata

_HASHES = re.compile(r"##(?=\[|vso\[)", re.IGNORECASE)
_ESCAPED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def show(text: object, limit: int = 200) -> str:
    r"""``text`` on one line, without anything a terminal, a log or a bidi algorithm would act on.

    Control, format (bidi included), surrogate, private and unassigned characters, line and paragraph
    separators become ``\\xNN``, ``\\uNNNN`` or ``\\UNNNNNNNN``; what is past ``limit`` is counted.
    """
    whole = str(text)
    shown = "".join(_escaped(character) for character in whole[:limit])
    return shown if len(whole) <= limit else f"{shown}... ({len(whole) - limit} more characters)"


def _escaped(character: str) -> str:
    if unicodedata.category(character) not in _ESCAPED_CATEGORIES:
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def inert(line: str) -> str:
    r"""``line`` without what a CI log takes for a command: ``\x3a:error::`` for ``::error::``.

    Runners obey lines that begin with ``::``, blanks before it aside, and find ``##[`` and ``##vso[``
    anywhere in a line.
    """
    line = _HASHES.sub(r"\\x23#", line)
    body = line.lstrip()
    if not body.startswith("::"):
        return line
    blanks = line[: len(line) - len(body)]
    return f"{blanks}\\x3a{body[1:]}"
