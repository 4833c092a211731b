"""The one door for untrusted text on its way to a terminal."""

import json
import re
import unicodedata
from typing import Any

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


def json_text(document: Any) -> str:
    r"""``document`` as JSON that ``inert`` leaves as it is: ASCII, and ``#\u0023`` for two hashes.

    ASCII, so that no locale can break it. Two hashes stand in strings alone, where one of them may be spelled
    as an escape (RFC 8259 section 7); what ``inert`` puts in their place is none of JSON's.
    """
    return unhashed(json.dumps(document, indent=2))


def unhashed(text: str) -> str:
    r"""JSON text with ``#\u0023`` for every two hashes: the same value, and no command to a CI log."""
    return text.replace("##", "#\\u0023")


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
