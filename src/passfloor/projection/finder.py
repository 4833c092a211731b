"""Where many words stand in a text, the longest where several begin: a search that is as long as the text."""

from collections.abc import Callable, Iterator, Sequence

import re2

_MOST = 1 << 17
"""Bytes of words in one pattern: a third of what RE2 can make one of."""

_SHORT = 4096

Span = tuple[int, int]
"""Where a word begins in a text and where it ends, in characters."""


class WordFinder:
    """Finds words that become more and more: a pattern that is full is made but once."""

    def __init__(self) -> None:
        self._parts: list[_Part] = []

    def add(self, word: str) -> None:
        """Look for a further word, which is not empty."""
        size = len(word.encode())
        if not self._parts or self._parts[-1].size + size > _MOST:
            self._parts.append(_Part())
        self._parts[-1].add(word, size)

    def replaced(self, text: str, change: Callable[[str], str]) -> str:
        """``text`` with every word in it changed, from the front, the longest where several begin."""
        pieces, at = [], 0
        for begin, end in _apart(self._parts, text):
            pieces += [text[at:begin], change(text[begin:end])]
            at = end
        return "".join([*pieces, text[at:]])


class _Part:
    """Words that one pattern finds.

    Attributes:
        size: bytes of all of them.
    """

    def __init__(self) -> None:
        self.size = 0
        self._words: list[str] = []
        self._pattern: re2._Regexp | None = None

    def add(self, word: str, size: int) -> None:
        self.size += size
        self._words.append(word)
        self._pattern = None

    def spans(self, text: str, begin: int) -> Iterator[Span]:
        """Where words stand at ``begin`` or behind, none over another."""
        if self._pattern is None:
            if len(self._words) == 1:
                # One word may be longer than what a pattern can be made of.
                return _spans_of(self._words[0], text, begin)
            if len(text) < _SHORT and not any(word in text for word in self._words):
                return iter(())  # A pattern costs more than a few looks, and most texts hold no word.
            self._pattern = _pattern(self._words)
        return (found.span() for found in self._pattern.finditer(text, begin))


def _spans_of(word: str, text: str, begin: int) -> Iterator[Span]:
    while (begin := text.find(word, begin)) >= 0:
        yield begin, begin + len(word)
        begin += len(word)


def _pattern(words: Sequence[str]) -> "re2._Regexp":
    """One pattern for all words, the longest first."""
    return re2.compile("|".join(re2.escape(word) for word in sorted(words, key=len, reverse=True)))


def _apart(parts: Sequence[_Part], text: str) -> Iterator[Span]:
    """What any of the parts finds first, the longest where several do, and so on behind it."""
    runs = [part.spans(text, 0) for part in parts]
    heads = [next(run, None) for run in runs]
    while found := min((head for head in heads if head), key=lambda head: (head[0], -head[1]), default=None):
        yield found
        for at, head in enumerate(heads):
            if head and head[0] < found[1]:
                if head != found:
                    # What it found lies over what was taken: something else may begin behind that.
                    runs[at] = parts[at].spans(text, found[1])
                heads[at] = next(runs[at], None)
