"""The receipt inside the page: the same JSON values, spelled so that no HTML parser can end it early."""

import re
from dataclasses import dataclass

from passfloor.report.escape import unhashed

MOST_BYTES = 8 * 1024 * 1024
"""A larger receipt is not put into the page, which says so."""

_ESCAPED = re.compile(r"[^\n\x20-\x7e]|[<>&]")


@dataclass(frozen=True)
class Enclosure:
    """What the page carries to be checked in the browser.

    Attributes:
        content: The bytes of the receipt file that was judged.
        key: The 43-character x of the key that was trusted for it; empty without one.
    """

    content: bytes
    key: str = ""

    @property
    def fits(self) -> bool:
        """Whether the receipt is small enough for the page."""
        return len(self.content) <= MOST_BYTES


def enclosed(content: bytes) -> str:
    r"""The receipt as ASCII JSON text without ``<``, ``>``, ``&`` and two hashes: safe inside a ``script``.

    These and what is not ASCII can stand only inside strings of a strict JSON text, where ``\uXXXX`` is the
    same character (RFC 8259 section 7). Two hashes could be a command to a CI log, and be changed for that
    where the page is printed. Tabs and carriage returns between values become line breaks. So the
    canonical form, and with it the hash, is that of the file.
    """
    return unhashed(_ESCAPED.sub(_escape, content.decode("utf-8")))


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character in "\t\r":
        return "\n"
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
