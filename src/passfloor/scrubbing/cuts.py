"""Pieces of secrets at the ends of what was cut."""

import re
from collections.abc import Iterator, Sequence

_PIECE = 8
_LEAST_PIECE = 4
_LONGEST_ESCAPE = 5
# An escape that was cut itself reads as nothing.
_CUT_ESCAPE = re.compile(rb"(?:%[0-9A-Fa-f]?|\\(?:u[0-9A-Fa-f]{0,3}|x[0-9A-Fa-f]?)?|\r?\n[ \t]*)\Z")


def least_piece(literal: bytes) -> int:
    """How many bytes of a secret are worth hiding: 8, or half of a shorter one, but no less than 4."""
    return max(_LEAST_PIECE, min(_PIECE, len(literal) // 2))


def at_end(data: bytes, literals: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """For each literal, from where on ``data`` ends in the longest beginning of it."""
    cut_escape = _CUT_ESCAPE.search(data, max(0, len(data) - 64))
    stop = cut_escape.start() if cut_escape else len(data)
    for literal in literals:
        head = literal[: least_piece(literal)]
        at = data.find(head, max(0, stop - len(literal) + 1), stop)
        while at >= 0:
            if literal.startswith(data[at:stop]):
                yield at, len(data)
                break
            at = data.find(head, at + 1, stop)


def at_start(data: bytes, literals: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """For each literal, up to where ``data`` starts with the longest end of it.

    The first few bytes may be what is left of an escape.
    """
    for literal in literals:
        tail = literal[-least_piece(literal) :]
        at = data.rfind(tail, 0, len(literal) - 1 + _LONGEST_ESCAPE)
        while at >= 0:
            end = at + len(tail)
            if any(literal.endswith(data[skip:end]) for skip in range(min(_LONGEST_ESCAPE, at) + 1)):
                yield 0, end
                break
            at = data.rfind(tail, 0, end - 1)
