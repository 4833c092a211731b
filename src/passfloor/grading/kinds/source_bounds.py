"""What Python source is judged at all: bounds far below those of any interpreter, so that all answer alike.

CPython's own limits differ by version, by ``PYTHONINTMAXSTRDIGITS`` and by the caller's stack. Text
is refused before it is parsed, by bounds that linear scans can see; a tree is refused by its depth.
"""

import ast
import re

from passfloor.grading.unjudged import CannotJudge

MAX_BYTES = 256 * 1024
"""Bytes of one source file in UTF-8."""
MAX_LINE = 10_000
"""Characters of one physical line."""
MAX_TOKENS = 100_000
"""Runs of word characters, and other characters that are not blank; strings and comments included."""
MAX_DIGITS = 640
"""Digits in a row: the lowest value that the interpreter's own limit on integers can be set to."""
MAX_DOTS = 100
"""Dotted names in a row."""
MAX_DEPTH = 200
"""Nodes of a syntax tree on one path: a chain of operators, calls, attributes or ``elif`` has one each."""
MAX_BRACKETS = 100
"""Brackets open at once in source that is not Python."""

_BRACKET = re.compile(r"[][(){}]")
_TOKEN = re.compile(r"\w++|[^\w\s]")
# A number cannot follow a string directly, so digits after a quote stand inside a string.
_DIGITS = re.compile(rf"""(?<!['"0-9_])[0-9][0-9_]{{{MAX_DIGITS},}}""")
_DOTS = re.compile(rf"(?:\.[\s\\]*+\w++[\s\\]*+){{{MAX_DOTS + 1}}}")


def refuse_text(text: str) -> None:
    """Refuse source that could be costly, or be parsed by one interpreter and not by another.

    Raises:
        CannotJudge: it is past one of the bounds on text.
    """
    if len(text.encode(errors="surrogatepass")) > MAX_BYTES:
        raise too_large()
    longest = max(map(len, text.replace("\r", "\n").split("\n")))
    tokens = sum(1 for _ in _TOKEN.finditer(text))
    if longest > MAX_LINE or tokens > MAX_TOKENS or _DIGITS.search(text) or _DOTS.search(text):
        raise too_large()


def refuse_depth(tree: ast.AST) -> None:
    """Refuse a tree that is deeper than ``MAX_DEPTH``.

    Raises:
        CannotJudge: it is.
    """
    level, depth = [tree], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise too_large()
        level = [child for node in level for child in ast.iter_child_nodes(node)]


def refuse_brackets(text: str) -> None:
    """Refuse broken source with more than ``MAX_BRACKETS`` open at once, also in strings and comments.

    On the way to an error some interpreters run out of stack where others reach it.

    Raises:
        CannotJudge: it has.
    """
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth = depth + 1 if bracket in "([{" else max(0, depth - 1)
        if depth > MAX_BRACKETS:
            raise too_large()


def too_large() -> CannotJudge:
    """The one answer to all such source."""
    return CannotJudge("the Python source is too large or too deeply nested")
