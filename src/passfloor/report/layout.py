"""Laying out plain text: 80 columns, labels in a column, words never broken."""

import textwrap
import unicodedata

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


def columns(text: str) -> int:
    """Columns that a terminal gives to escaped ``text``: two for wide characters, none for combining ones."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1
        for each in text
    )


def padded(text: str, width: int) -> str:
    """``text`` with blanks behind it up to ``width`` columns."""
    return text + " " * (width - columns(text))
