r"""Hash-chained JSON lines, as bytes: each line vouches for itself and for all before it.

A line is ``{"body":B,"chain":"<hex>","seq":i}`` and a line feed, in exactly this spelling; B is JSON on one
line and i counts from 0. Its chain value is SHA-256(value before || SHA-256(bytes of B)), the values as raw
32 bytes; the value before line 0 is that of ``start``. Nobody signs it: the chain finds damage and clumsy
edits, not somebody who computes it anew.

A process that dies leaves at most one line unfinished, the last. Such a line is *torn*: it never counted, and
is set aside. Any other line that is wrong is an error.
"""

import hashlib
import re

from passfloor.errors import JournalError

LINE = re.compile(rb'\{"body":(.*),"chain":"([0-9a-f]{64})","seq":(0|[1-9][0-9]{0,15})\}', re.DOTALL)
"""A line without its line feed: its body, its chain value and its number."""


def start(*names: str) -> bytes:
    """The value before line 0: SHA-256 over what the chain is of, parts joined by one zero byte."""
    return hashlib.sha256("\0".join(names).encode()).digest()


def link(before: bytes, body: bytes) -> bytes:
    """The chain value of a line with this body after the value ``before``."""
    return hashlib.sha256(before + hashlib.sha256(body).digest()).digest()


def line(seq: int, chain: bytes, body: bytes) -> bytes:
    """The bytes of a line."""
    return b'{"body":%b,"chain":"%b","seq":%d}\n' % (body, chain.hex().encode(), seq)


class Chain:
    """Follows a chain line by line.

    Attributes:
        count: Lines taken so far.
        head: Chain value of the last of them.
    """

    def __init__(self, before: bytes) -> None:
        """Nothing is taken yet. ``before`` is the value of ``start`` that the chain was begun with."""
        self.count = 0
        self.head = before

    def take(self, data: bytes, *, is_last: bool) -> bytes | None:
        """The body of the next line, as bytes, or None where it is torn.

        Args:
            data: The line with its line feed, where it has one.
            is_last: Nothing stands behind it.

        Raises:
            JournalError: it is no line of this chain; says why, and not where.
        """
        if not data.endswith(b"\n"):
            return None
        found = LINE.fullmatch(data, 0, len(data) - 1)
        if found is None:
            # Ended by a line feed all the same: an unsynced line after a loss of power.
            if is_last:
                return None
            raise JournalError("is not a line of a chain")
        body, chain, seq = bytes(found[1]), found[2], found[3]
        if int(seq) != self.count:
            raise JournalError(f"says seq {int(seq)} where {self.count} is due")
        head = link(self.head, body)
        if head.hex().encode() != chain:
            # Nor does a line that was written hold a zero byte; a block that never reached the disk does.
            if is_last and b"\0" in body:
                return None
            raise JournalError("does not follow: its content or what stands before was changed")
        self.count, self.head = self.count + 1, head
        return body
