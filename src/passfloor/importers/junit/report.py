"""One JUnit report: no DTD, no entities, one case held at a time."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from passfloor.errors import ImportRefused
from passfloor.grading.imported.junit import OUTCOMES, RETRIED
from passfloor.importers.files import MAX_TEXT, head, opened, shown, unreadable

_CHUNK = 256 * 1024
_LONGEST = 2000
_MOST_RETRIES = 100
_MOST_DEPTH = 200


def is_report(path: Path) -> bool:
    """Whether a file begins as a report does."""
    start = head(path, 8192).lstrip()
    return start.startswith(b"<") and (b"<testsuite" in start or b":testsuite" in start)


class Report:
    """One report, parsed as a stream once.

    Attributes:
        told: How many cases its outermost suites say they hold; known when all cases were given.
        not_passed: Of these, how many they say failed, erred or were skipped.
    """

    def __init__(self, path: Path) -> None:
        self.told = self.not_passed = 0
        self._path = path
        self._done: list[dict[str, Any]] = []
        self._case: dict[str, Any] | None = None
        self._depth = 0
        self._open: list[str] = []
        self._text: list[str] | None = None
        self._size = 0
        self._since = 0
        self._suites = 0
        self._counted = False

    def cases(self) -> Iterator[dict[str, Any]]:
        """All cases, in order.

        Raises:
            ImportRefused: it is no report, broken, or nested too deep; or it has a document type declaration.
        """
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        with opened(self._path) as stream:
            final = False
            while not final:
                try:
                    chunk = stream.read(_CHUNK)
                except OSError as error:
                    raise unreadable(self._path, error) from None
                final = not chunk
                self._since += len(chunk)
                if self._since > MAX_TEXT:
                    raise ImportRefused(f"{shown(self._path)} holds a piece of more than {MAX_TEXT} bytes")
                try:
                    parser.Parse(chunk, final)
                except expat.ExpatError as error:
                    raise self._broken(error) from None
                except (ValueError, LookupError) as error:
                    raise ImportRefused(f"{shown(self._path)} is no XML: {error}; save it as UTF-8") from None
                yield from self._done
                self._done = []
        if not self._suites:
            raise ImportRefused(f"{shown(self._path)} is no JUnit report: it has no testsuite element")

    def _broken(self, error: expat.ExpatError) -> ImportRefused:
        words = expat.errors.messages.get(error.code, "not well-formed")
        if error.code in {3, 4, 5, 6} and self._open:
            return ImportRefused(
                f"{shown(self._path)} ends in the middle or is broken at line {error.lineno} ({words}): get "
                "the whole report"
            )
        return ImportRefused(f"{shown(self._path)} is no XML: {words} (line {error.lineno})")

    def _refuse(self, *_: object) -> None:
        raise ImportRefused(
            f"{shown(self._path)} has a document type declaration: remove it; no report needs it"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        self._since = 0
        if len(self._open) >= _MOST_DEPTH:
            raise ImportRefused(f"{shown(self._path)} is nested deeper than {_MOST_DEPTH} elements")
        self._open.append(name)
        if name in {"testsuite", "testsuites"}:
            self._suites += 1
            self._count(attributes)
        elif name == "testcase" and self._case is None:
            self._case = {
                # Whole: two long names that differ at their ends are two tests.
                "name": attributes.get("name", ""),
                "classname": attributes.get("classname", ""),
                "time": attributes.get("time", "")[:40],
                "result": "passed",
                "type": None,
                "message": None,
                "retries": [],
            }
            self._depth = len(self._open)
        elif self._case is not None and len(self._open) == self._depth + 1:
            self._child(name, attributes)

    def _child(self, name: str, attributes: dict[str, str]) -> None:
        case = self._case
        assert case is not None  # noqa: S101  # asked by the caller
        told = {
            "type": attributes.get("type", "")[:_LONGEST] or None,
            "message": attributes.get("message", "")[:_LONGEST] or None,
        }
        if name in RETRIED:
            if len(case["retries"]) < _MOST_RETRIES:
                case["retries"].append({"kind": name, **told})
        elif name in OUTCOMES and name != "passed" and case["result"] in {"passed", "skipped"}:
            case.update(result=name, **told)
            self._text, self._size = [], 0

    def _end(self, _tag: str) -> None:
        self._since = 0
        closed = self._open.pop()
        if self._case is None:
            return
        if len(self._open) == self._depth and self._text is not None:
            text = "".join(self._text).strip()
            if text and self._case["message"] is None and closed in OUTCOMES:
                self._case["message"] = text[:_LONGEST]
            self._text = None
        if len(self._open) < self._depth:
            self._done.append(self._case)
            self._case = None

    def _data(self, text: str) -> None:
        self._since = 0
        if self._text is not None and self._size < _LONGEST:
            self._text.append(text)
            self._size += len(text)

    def _count(self, attributes: dict[str, str]) -> None:
        """Take the outermost suite's numbers, of those that have them."""
        if "tests" not in attributes or self._counted or "testsuite" in self._open[:-1]:
            return
        numbers = [_whole(attributes.get(name)) for name in ("tests", "failures", "errors", "skipped")]
        self.told += numbers[0]
        self.not_passed += sum(numbers[1:])
        self._counted = self._open == ["testsuites"]


def _whole(text: str | None) -> int:
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) else 0
