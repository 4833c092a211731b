"""Laying out plain text: 80 columns, labels in a column, words never broken."""

import textwrap

WIDTH = 80


def wrapped(text: str, indent: str = "", hanging: str | None = None) -> list[str]:
    """``text`` in lines of at most 80 columns; a word that is longer (a digest, a path) stays whole.

    Args:
        text: One paragraph.
        indent: What the first line begins with.
        hanging: What the others begin with; None: as many blanks.
    """
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=" " * len(indent) if hanging is None else hanging,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [indent.rstrip()]


def counted(number: int, noun: str) -> str:
    """``1 task``, ``2 tasks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def portion(number: int, whole: int) -> str:
    """``20 tasks``; ``8 of 20 tasks`` where that is not all of them."""
    return counted(whole, "task") if number == whole else f"{number} of {counted(whole, 'task')}"
