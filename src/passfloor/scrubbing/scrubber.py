"""Takes secrets out of texts, bytes and JSON values."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from passfloor.scrubbing import cuts, formats
from passfloor.scrubbing.forms import forms
from passfloor.scrubbing.readings import Reading, readings
from passfloor.scrubbing.values import LEAST, secrets_of

MARK = "[scrubbed]"
"""What stands where a secret stood."""

_MARK = MARK.encode()
_LONG = 256
"""Longer byte strings are looked for one by one: in one pattern they would take too much memory."""

_MOST_BITS = 64

_MOST_ROUNDS = 12
"""A text in which replacing still makes new secrets after so many rounds is replaced whole."""

Span = tuple[int, int]


class Scrubber:
    """Replaces secrets by ``[scrubbed]``, in time linear in the text.

    What was scrubbed once is not changed by scrubbing again, and holds no secret, also where a replacement
    brought two pieces of one together. A secret that is part of the mark itself is the one exception. It may
    be copied, pickled and used from several threads; its ``repr`` shows no secret.

    Attributes:
        unprotected: Variables whose names say secret but whose values are too short to be looked for.
    """

    def __init__(
        self, secrets: Iterable[str] = (), patterns: Sequence[str] = (), unprotected: tuple[str, ...] = ()
    ) -> None:
        """Look for the given secrets in all their forms, for patterns (RE2), and for common key formats.

        Raises:
            UsageError: A pattern is not RE2.
        """
        self._secrets = tuple(sorted(set(secrets)))
        self._patterns = tuple(patterns)
        self.unprotected = unprotected
        literals = {form for secret in self._secrets for form in forms(secret) if len(form) >= LEAST}
        self._literals = tuple(sorted(literals, key=lambda literal: (-len(literal), literal)))
        short = tuple(literal for literal in self._literals if len(literal) <= _LONG)
        self._short = formats.any_of(short)
        self._long = self._literals
        if self._short is not None:
            self._long = self._literals[: len(self._literals) - len(short)]
        self._asked = [formats.compiled(pattern, at) for at, pattern in enumerate(self._patterns, start=1)]

    @classmethod
    def from_environment(
        cls, passed: Mapping[str, str], patterns: Sequence[str] = (), *, certain: bool = False
    ) -> "Scrubber":
        """Know the secrets among the variables that are let through to the agent.

        Args:
            passed: Name -> value of the variables that are let through.
            patterns: Further patterns (RE2) of what to replace; the whole match is.
            certain: All of the variables are secret, whatever their names say.

        Raises:
            UsageError: A pattern is not RE2.
        """
        found, unprotected = secrets_of(passed, certain=certain)
        return cls(found, patterns, unprotected)

    def __repr__(self) -> str:
        return f"<Scrubber of {len(self._secrets)} secrets and {len(self._patterns)} patterns>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Scrubber, (self._secrets, self._patterns, self.unprotected)

    def scrub_text(self, text: str, *, cut: bool = False, cut_start: bool = False) -> tuple[str, int]:
        """Replace every secret.

        Scrub before cutting where you can: a cut text ends in a piece of a secret, which looks like nothing.

        Args:
            text: Any text.
            cut: Its end is missing: the beginning of a secret at its end goes as well.
            cut_start: Its start is missing: the end of a secret at its start goes as well.

        Returns:
            The text and how many replacements were made.
        """
        if self._is_short(len(text)) and not (cut or cut_start):
            return text, 0
        data = text.encode(errors="surrogatepass")
        kept, count = self._scrub(data, whole_characters=True, cut=cut, cut_start=cut_start)
        return (kept.decode(errors="surrogatepass") if count else text), count

    def scrub_bytes(self, data: bytes, *, cut: bool = False) -> tuple[bytes, int]:
        """The same for bytes that need not be text."""
        if self._is_short(len(data)) and not cut:
            return data, 0
        return self._scrub(data, whole_characters=False, cut=cut, cut_start=False)

    def scrub_json(self, value: Any) -> tuple[Any, int]:
        """The same for each string, number and object name of a JSON value; what has none is not copied.

        A number that is a secret becomes the mark. Names that become equal are numbered, in the order of
        what they were.
        """
        if isinstance(value, str):
            return self.scrub_text(value)
        if isinstance(value, dict):
            return self._scrub_object(value)
        if isinstance(value, list):
            pairs = [self.scrub_json(item) for item in value]
            count = sum(n for _, n in pairs)
            return ([item for item, _ in pairs] if count else value), count
        if isinstance(value, int | float) and not isinstance(value, bool):
            # As RFC 8785 writes it: 12345678.0 without its fraction. No integer of JSON is longer.
            number = int(value) if isinstance(value, float) and value.is_integer() else value
            if isinstance(number, int) and number.bit_length() > _MOST_BITS:
                return value, 0
            _, count = self.scrub_text(str(number))
            return (MARK if count else value), count
        return value, 0

    def scrub_names(self, names: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Name -> (what it becomes, how many replacements), in the given order; no two become equal."""
        new = {name: self.scrub_text(name) for name in names}
        taken = {name for name, (_, count) in new.items() if not count}
        serials: dict[str, int] = {}
        for name in sorted(new.keys() - taken):
            base, count = new[name]
            candidate = base
            while candidate in taken:
                serials[base] = serials.get(base, 1) + 1
                candidate = f"{base}-{serials[base]}"
            taken.add(candidate)
            new[name] = candidate, count
        return new

    def _scrub_object(self, value: dict[Any, Any]) -> tuple[dict[Any, Any], int]:
        names = self.scrub_names(name for name in value if isinstance(name, str))
        count, new = 0, {}
        for name, item in value.items():
            kept_name, in_name = names.get(name, (name, 0))
            new[kept_name], in_item = self.scrub_json(item)
            count += in_name + in_item
        return (new if count else value), count

    def _is_short(self, size: int) -> bool:
        return size < LEAST and not self._patterns

    def _scrub(self, data: bytes, *, whole_characters: bool, cut: bool, cut_start: bool) -> tuple[bytes, int]:
        total = 0
        for _ in range(_MOST_ROUNDS):
            found = [reading.span(*span) for reading, span in self._found(data, cut=cut, cut_start=cut_start)]
            if whole_characters:
                found = [_whole_characters(data, span) for span in found]
            spans = _outside_marks(data, found)
            if not spans:
                return data, total
            total += len(spans)
            data = _replaced(data, spans)
        return _MARK, total

    def _found(self, data: bytes, *, cut: bool, cut_start: bool) -> Iterator[tuple[Reading, Span]]:
        for reading in readings(data):
            for span in self._in_reading(reading):
                yield reading, span
            if cut:
                for span in cuts.at_end(reading.data, self._literals):
                    yield reading, span
                if not reading.joined and (key := formats.CUT_SHORT.search(reading.data)) is not None:
                    yield reading, key.span()
            if cut_start:
                for span in cuts.at_start(reading.data, self._literals):
                    yield reading, span

    def _in_reading(self, reading: Reading) -> Iterator[Span]:
        data = reading.data
        if self._short is not None:
            yield from (match.span() for match in self._short.finditer(data))
        for literal in self._long:
            at = data.find(literal)
            while at >= 0:
                yield at, at + len(literal)
                at = data.find(literal, at + len(literal))
        # Joined lines are for what we know: a pattern would run on into the next line.
        if reading.joined:
            return
        for pattern in formats.COMMON:
            yield from (match.span(match.lastindex or 0) for match in pattern.finditer(data))
        for pattern in self._asked:
            yield from (span for match in pattern.finditer(data) if (span := match.span())[0] < span[1])


def _whole_characters(data: bytes, span: Span) -> Span:
    """The span widened to whole characters of UTF-8."""
    start, end = span
    while start > 0 and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return start, end


def _outside_marks(data: bytes, found: Iterable[Span]) -> list[Span]:
    """What to replace: spans that touch a mark take all of it, spans inside one are no secret any more."""
    marks = []
    at = data.find(_MARK)
    while at >= 0:
        marks.append(at)
        at = data.find(_MARK, at + len(_MARK))
    return _merged(widened for span in _merged(found) if (widened := _around_marks(span, marks)) is not None)


def _around_marks(span: Span, marks: Sequence[int]) -> Span | None:
    start, end = span
    first = bisect_left(marks, start - len(_MARK) + 1)
    if first < len(marks) and marks[first] <= start and end <= marks[first] + len(_MARK):
        return None
    if first < len(marks) and marks[first] < end:
        start = min(start, marks[first])
        last = bisect_left(marks, end) - 1
        end = max(end, marks[last] + len(_MARK))
    return start, end


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _replaced(data: bytes, spans: Sequence[Span]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for start, end in spans:
        parts += data[at:start], _MARK
        at = end
    return b"".join((*parts, data[at:]))
