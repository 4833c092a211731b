"""JUnit XML: one report, or a folder of reports, one a run. A case that comes again is another attempt."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.grading.imported.junit import NAME
from passfloor.importers import rules, trees
from passfloor.importers.files import opened, shown, unreadable
from passfloor.importers.interface import Asked, Convention, Log, Note, Published, Record, Subject
from passfloor.importers.junit.report import Report, is_report
from passfloor.importers.words import counted

_MOST_FILES = 10_000
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
        try:
            found = sorted(path.glob("*.xml"))[:5] if trees.is_folder(path) else [path]
        except (ImportRefused, OSError):
            return None
        if any(map(is_report, found)):
            return "it begins as a JUnit report does, with testsuites or testsuite"
        return None

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer``."""
        rule = rules.rule(asked, self.title)
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
            rule=rule,
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
            parser = Report(file)
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
            for position, case in enumerate(Report(file).cases()):
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
    if not trees.is_folder(path):
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
            f"{counted(summary.retried, 'test case', 'test cases')} passed only when tried again: retries "
            "until success are no independent attempts, and each counts as its first try",
        )
    if summary.repeats:
        yield Note(
            "repeat_suffix",
            "names that end in [1-N] to [N-N] are the attempts of "
            f"{counted(len(summary.repeats), 'test', 'tests')}",
        )
