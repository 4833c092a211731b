"""JUnit XML: one report, or a folder of reports, one a run. No DTD, no entities, one case held at a time."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.parsers import expat

from passfloor.errors import ImportRefused
from passfloor.grading.imported.junit import NAME, OUTCOMES, RETRIED
from passfloor.importers.files import MAX_TEXT, head, opened, shown, unreadable
from passfloor.importers.interface import Asked, Convention, Log, Note, Published, Record, Subject

_CHUNK = 256 * 1024
_LONGEST = 2000
_MOST_RETRIES = 100
_MOST_FILES = 10_000
_MOST_DEPTH = 200
_MOST_CASES = 2_000_000
_REPEATED = re.compile(r"(.*)\[(?:(.*)-)?([1-9][0-9]{0,4})-([1-9][0-9]{0,4})\]", re.ASCII | re.DOTALL)

_WHY = (
    "a JUnit report counts test cases and knows no attempts; a case that passed when it was tried again "
    "counts as passed there, and as its first try here"
)


class JunitImporter:
    """Reads what test runners write."""

    name = NAME
    title = "JUnit XML"
    reads = "a report, or a folder of reports, one a run; a case that comes again is another attempt"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer``."""
        files = [path]
        if path.is_dir():
            files = sorted(path.glob("*.xml"))[:5]
        if any(_is_report(file) for file in files):
            return "it begins as a JUnit report does, with testsuites or testsuite"
        return None

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer``."""
        files = _files(path, keep=asked.keep)
        reports = _Reports(files)
        summary = reports.look_over()
        notes = list(_notes(summary))
        published: tuple[Published, ...] = ()
        if summary.told:
            rate = Fraction(max(0, summary.told - summary.not_passed), summary.told)
            published = (Published("success rate", rate, "the attributes of its testsuite elements"),)
        return Log(
            importer=NAME,
            suite=path.stem or "report",
            subject=Subject(),
            rule={},
            tasks=tuple(summary.tasks),
            planned=dict(summary.repeats) or None,
            records=reports.records,
            notes=tuple(notes),
            published=published,
            convention=Convention(errors="counted", estimator="mean", why=_WHY),
        )


@dataclass
class _Summary:
    """What all reports hold: tasks in order, repeats that names speak of, retries, and what was told."""

    tasks: dict[str, None] = field(default_factory=dict)
    repeats: dict[str | int, int] = field(default_factory=dict)
    retried: int = 0
    told: int = 0
    not_passed: int = 0


class _Reports:
    """Some report files, read as often as they are asked for."""

    def __init__(self, files: list[Path]) -> None:
        self._files = files
        self._repeats: Mapping[str | int, int] = {}

    def look_over(self) -> _Summary:
        """Read everything once and keep names alone."""
        summary = _Summary()
        names: dict[str, None] = {}
        for file in self._files:
            parser = _Parser(file)
            for case in parser.cases():
                names[_name(case)] = None
                summary.retried += bool(case["retries"]) and case["result"] == "passed"
                if len(names) > _MOST_CASES:
                    raise ImportRefused(
                        f"{shown(file)}: more than {_MOST_CASES} test cases; split the report"
                    )
            summary.told += parser.told
            summary.not_passed += parser.not_passed
        summary.repeats = dict(_repeats(names))
        self._repeats = summary.repeats
        summary.tasks = {self._task(name)[0]: None for name in names}
        return summary

    def records(self) -> Iterator[Record]:
        """All cases."""
        for number, file in enumerate(self._files):
            for position, case in enumerate(_Parser(file).cases()):
                task, index = self._task(_name(case))
                text = json.dumps(case, separators=(",", ":"))
                where = f"{file.name}: test case {position + 1}"
                # A name with its number comes again in another report: that is another run of it.
                one = index if len(self._files) == 1 else None
                yield Record(task, one, text, where, (number, index or 0, position))

    def _task(self, name: str) -> tuple[str, int | None]:
        found = _REPEATED.fullmatch(name)
        base = _base(found) if found else None
        if found is None or base not in self._repeats:
            return name, None
        return str(base), int(found[3]) - 1


def _files(path: Path, *, keep: str | None) -> list[Path]:
    """The reports, of which none is there twice.

    Raises:
        ImportRefused: there are none, or too many; or two hold the same bytes and nobody said which counts.
    """
    if not path.is_dir():
        return [path]
    try:
        found = sorted(each for each in path.iterdir() if each.suffix == ".xml" and not each.is_symlink())
    except OSError as error:
        raise unreadable(path, error) from None
    if not found or len(found) > _MOST_FILES:
        raise ImportRefused(
            f"{shown(path)} holds {len(found)} .xml files: name a folder of 1 to {_MOST_FILES}"
        )
    known: dict[str, Path] = {}
    kept = []
    for file in found:
        digest = _digest(file)
        before = known.setdefault(digest, file)
        if before is file:
            kept.append(file)
        elif keep is None:
            raise ImportRefused(
                f"{shown(before.name)} and {shown(file.name)} are the same report twice, one run and not "
                "two: remove one, or pass over it with --keep first"
            )
    return kept


def _digest(file: Path) -> str:
    with opened(file) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _is_report(path: Path) -> bool:
    start = head(path, 8192).lstrip()
    return start.startswith(b"<") and (b"<testsuite" in start or b":testsuite" in start)


def _name(case: Mapping[str, Any]) -> str:
    return "::".join(part for part in (case["classname"], case["name"]) if part) or "(unnamed)"


def _repeats(names: Mapping[str, None]) -> Iterator[tuple[str, int]]:
    """Base name -> N, of names that end in ``[1-N]`` to ``[N-N]``, all of them, as some plugins write."""
    found: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for name in names:
        if match := _REPEATED.fullmatch(name):
            found[_base(match)][int(match[4])].add(int(match[3]))
    for base, by_size in found.items():
        for size, seen in by_size.items():
            if len(by_size) == 1 and size > 1 and seen == set(range(1, size + 1)) and base not in names:
                yield base, size


def _base(match: re.Match[str]) -> str:
    return f"{match[1]}[{match[2]}]" if match[2] is not None else match[1]


def _notes(summary: _Summary) -> Iterator[Note]:
    if summary.retried:
        yield Note(
            "retries",
            f"{summary.retried} test cases passed only when they were tried again: retries until success are "
            "no independent attempts, and each counts as its first try",
        )
    if summary.repeats:
        yield Note(
            "repeat_suffix",
            f"names that end in [1-N] to [N-N] are the attempts of {len(summary.repeats)} tests",
        )


class _Parser:
    """One report, parsed as a stream.

    Attributes:
        told: How many cases its outermost suites say they hold.
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
        """All cases, in order."""
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
                "name": attributes.get("name", "")[:_LONGEST],
                "classname": attributes.get("classname", "")[:_LONGEST],
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
