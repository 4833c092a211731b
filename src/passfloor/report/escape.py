"""The one door for untrusted text on its way to a terminal."""

import unicodedata

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
    r"""``line`` with a beginning that no CI log takes for a command: ``\x3a:error::`` for ``::error::``.

    The runners of GitHub and Azure obey lines that begin with ``::`` or ``##[``, blanks before them aside.
    """
    body = line.lstrip()
    if not body.startswith(("::", "##[")):
        return line
    blanks = line[: len(line) - len(body)]
    return f"{blanks}\\x{ord(body[0]):02x}{body[1:]}"
