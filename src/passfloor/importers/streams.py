"""Large JSON read piece by piece: one element of an array, or one line, at a time."""

import codecs
import json
from collections.abc import Iterator
from typing import BinaryIO

from passfloor.canonical.lenient import MAX_DEPTH, MAX_NODES
from passfloor.canonical.reading import size_up
from passfloor.errors import ImportRefused
from passfloor.importers.files import MAX_TEXT, without_mark

MAX_PIECES = 2_000_000
"""Most elements of an array, and most lines of a file: an import holds no more attempts."""

_CHUNK = 256 * 1024
_UNSIZED = 8 * 1024 * 1024
_BLANK = " \t\r\n"


class CutShort(ImportRefused):
    """The text ends before its value does."""


class Cursor:
    """Goes through one JSON text from its start; what was passed is let go.

    ``member`` and ``elements`` lead into objects and arrays; ``value`` takes what stands at the place whole.
    """

    def __init__(self, stream: BinaryIO, name: str, *, most: int = MAX_TEXT) -> None:
        """Start.

        Args:
            stream: At its start.
            name: What it is called in messages.
            most: Most characters of a value that is taken whole.
        """
        self._stream = stream
        self._name = name
        self._most = most
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._ended = False
        self._started = False

    def peek(self) -> str:
        """The next character that is no white space; "" at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _BLANK:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def value(self) -> str:
        """The text of the value that stands here; the place is then behind it.

        Raises:
            CutShort: the text ends within it.
            ImportRefused: it is no JSON, or larger than allowed.
        """
        if not self.peek():
            raise self._cut()
        size = _CHUNK
        while True:
            self._hold(size)
            self._check_size()
            try:
                _, end = _SCANNER.raw_decode(self._text, self._at)
            except RecursionError:
                raise ImportRefused(
                    f"{self._name} holds JSON nested deeper than {MAX_DEPTH} levels"
                ) from None
            except json.JSONDecodeError as error:
                if self._ended and len(self._text) - self._at <= size:
                    raise self._broken(error) from None
            else:
                # A number at the very end of what is held may go on.
                if self._ended or end < len(self._text):
                    taken, self._at = self._text[self._at : end], end
                    return taken
            if size > self._most:
                raise ImportRefused(f"{self._name} holds a value of more than {self._most} characters")
            size *= 2

    def elements(self) -> Iterator[int]:
        """Stand before each element of the array that is here, and give its position, from 0.

        The caller takes or enters each one before asking for the next.
        """
        self._take("[")
        if self.peek() == "]":
            self._at += 1
            return
        position = 0
        while True:
            yield position
            position += 1
            refuse_many(position, self._name)
            if self._separator("]"):
                return

    def members(self) -> Iterator[str]:
        """Stand before the value of each member of the object that is here, and give the member's name.

        The caller takes, skips or enters each one before asking for the next.
        """
        self._take("{")
        if self.peek() == "}":
            self._at += 1
            return
        while True:
            if self.peek() != '"':
                raise self._unexpected("a member's name")
            name = str(json.loads(self.value()))
            self._take(":")
            yield name
            if self._separator("}"):
                return

    def skip(self) -> None:
        """Pass the value that stands here; an array or object is passed element by element."""
        kind = self.peek()
        if kind == "[":
            for _ in self.elements():
                self.value()
        elif kind == "{":
            for _ in self.members():
                self.value()
        else:
            self.value()

    def enter(self, *names: str) -> bool:
        """Go to the value of a member of a member; False where there is none. What is before it is passed."""
        for name in names:
            if self.peek() != "{":
                return False
            for found in self.members():
                if found == name:
                    break
                self.skip()
            else:
                return False
        return True

    def end(self) -> None:
        """Nothing but white space follows.

        Raises:
            ImportRefused: something does.
        """
        if self.peek():
            raise ImportRefused(f"{self._name} goes on after its JSON value: were two files joined?")

    def _take(self, character: str) -> None:
        if self.peek() != character:
            raise self._unexpected(repr(character))
        self._at += 1

    def _separator(self, closing: str) -> bool:
        """Pass a comma or the closing bracket; says whether it was the latter."""
        found = self.peek()
        if found not in {",", closing} or not found:
            raise self._unexpected(f"',' or {closing!r}")
        self._at += 1
        return found == closing

    def _unexpected(self, wanted: str) -> ImportRefused:
        found = self.peek()
        if not found:
            return self._cut()
        return ImportRefused(f"{self._name} is no JSON of this kind: expected {wanted}, found {found!a}")

    def _cut(self) -> CutShort:
        return CutShort(f"{self._name} ends in the middle: it was cut short; get the whole file")

    def _broken(self, error: json.JSONDecodeError) -> ImportRefused:
        if error.pos >= len(self._text.rstrip()) or error.msg.startswith("Unterminated string"):
            return self._cut()
        return ImportRefused(f"{self._name} is not JSON: {error.msg}")

    def _check_size(self) -> None:
        """What is small is built to find its end; what is large is counted first."""
        if len(self._text) - self._at > _UNSIZED:
            nodes = size_up(self._text[self._at :].encode(errors="replace")).nodes
            if nodes > MAX_NODES:
                raise ImportRefused(f"{self._name} holds one value of more than {MAX_NODES} JSON values")

    def _hold(self, size: int) -> None:
        """Have so many characters from the place on, where there are as many."""
        while len(self._text) - self._at < size and self._more():
            pass

    def _more(self) -> bool:
        if self._ended:
            return False
        try:
            chunk = self._stream.read(_CHUNK)
            if not self._started:
                chunk, self._started = without_mark(chunk, self._name), True
            words = self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            raise ImportRefused(f"{self._name} is not UTF-8: save it as UTF-8") from None
        except OSError as error:
            raise ImportRefused(f"cannot read {self._name}: {error.strerror or error}") from None
        self._ended = not chunk
        self._text = self._text[self._at :] + words
        self._at = 0
        return not self._ended


_SCANNER = json.JSONDecoder(parse_int=len, parse_float=len, parse_constant=len)


def refuse_many(pieces: int, name: str) -> None:
    """Refuse to go on where so many pieces were passed already.

    Raises:
        ImportRefused: there are more than ``MAX_PIECES``.
    """
    if pieces > MAX_PIECES:
        raise ImportRefused(f"{name} holds more than {MAX_PIECES} attempts or lines: split the log")


def lines(stream: BinaryIO, name: str, *, most: int = MAX_TEXT) -> Iterator[tuple[int, str, bool]]:
    """The lines of a text that are not blank: number from 1, text without its end, whether it had an end.

    Raises:
        ImportRefused: a line is longer than ``most`` bytes or not UTF-8; the stream cannot be read.
    """
    number = 0
    while True:
        try:
            line = stream.readline(most + 1)
        except OSError as error:
            raise ImportRefused(f"cannot read {name}: {error.strerror or error}") from None
        if not line:
            return
        number += 1
        refuse_many(number, name)
        if len(line) > most:
            raise ImportRefused(f"{name}: line {number} is longer than {most} bytes")
        if number == 1:
            line = without_mark(line, name)
        try:
            words = line.decode()
        except UnicodeDecodeError:
            raise ImportRefused(f"{name}: line {number} is not UTF-8: save it as UTF-8") from None
        stripped = words.rstrip("\r\n")
        if stripped.strip():
            yield number, stripped, words.endswith("\n")
