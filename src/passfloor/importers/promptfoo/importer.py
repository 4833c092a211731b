"""promptfoo: the repeats of each test as attempts of one column, which is a provider with a prompt."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from passfloor.errors import ImportRefused
from passfloor.grading.imported.promptfoo import NAME
from passfloor.importers import files, rules, words
from passfloor.importers.interface import Asked, Convention, Log, Note, Published, Record, Subject
from passfloor.importers.promptfoo import groups
from passfloor.importers.promptfoo.rows import VERSION, Column, Output, Row, is_lines, scan, texts, where

CONVENTION = Convention(
    errors="counted",
    estimator="mean",
    why="promptfoo prints the share of all rows that passed, errors counted, and no figure of repeats.",
)
_COUNTS = ("testPassCount", "testFailCount", "testErrorCount")
_STATS = ("successes", "failures", "errors")


class PromptfooImporter:
    """Reads what ``promptfoo eval --repeat N --output`` writes as .json or .jsonl."""

    name = NAME
    title = "promptfoo"
    reads = "an output of promptfoo eval: .json (results.version 3) or .jsonl"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer``."""
        start = files.head(path)
        if b'"testIdx"' in start and b'"promptIdx"' in start and b'"testCase"' in start:
            try:
                kind = "lines" if is_lines(path) else "results"
            except ImportRefused:
                return None
            return f"its {kind} are rows with testIdx, promptIdx and testCase, as promptfoo writes them"
        if b'"evalId"' in start and b'"results"' in start and b'"prompts"' in start:
            return "it has evalId and results with prompts, as promptfoo writes them"
        return None

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer``."""
        rule = rules.rule(asked, self.title, "--scorer", "--threshold", "--agent")
        _check_first(path)
        found = scan(path)
        _check_version(path, found)
        if not found.rows:
            raise ImportRefused(f"{files.shown(path)} holds no rows: there is nothing to import")
        name, column = groups.chosen(found, asked.agent)
        rows = groups.once([row for row in found.rows if row.column == column], asked.keep)
        repeat = _repeat(found)
        tests = groups.tests(rows, found, repeat)
        described = found.told("config", "description")
        return Log(
            importer=self.name,
            suite=described if isinstance(described, str) and described else path.stem,
            subject=Subject(name, None, column.provider),
            rule=rule,
            tasks=tests.names,
            planned=tests.planned or None,
            records=lambda: _records(path, found, tests),
            notes=(*_notes(found, rows, repeat), *tests.notes),
            published=tuple(_published(found, rows, column)),
            convention=CONVENTION,
        )


def _records(path: Path, found: Output, tests: groups.Tests) -> Iterator[Record]:
    for position, text in texts(path, Output(lines=found.lines)):
        if position in tests.places:
            task, index, cached = tests.places[position]
            yield Record(task, index, text, where(path, position), (), cached)


def _check_first(path: Path) -> None:
    """Refuse by the version already, where it is told before the rows: rows of another have other members."""
    found = Output(lines=is_lines(path))
    next(texts(path, found), None)
    if found.version is not None:
        _check_version(path, found)


def _check_version(path: Path, found: Output) -> None:
    """Refuse another version than what is read here.

    Raises:
        ImportRefused: it is another, or none is told. Lines never tell one.
    """
    version = found.version
    if found.lines or version == VERSION:
        return
    if version is None:
        raise ImportRefused(f"{files.shown(path)} has no results.version: expected {VERSION}")
    if version in (1, 2) and version is not True:
        raise ImportRefused(
            f"{files.shown(path)} is promptfoo output of version {version}, whose rows do not say which test "
            f"they are of: run the eval with a promptfoo that writes version {VERSION}"
        )
    raise ImportRefused(f"{files.shown(path)} has results.version {str(version)[:20]!a}: expected {VERSION}")


def _repeat(found: Output) -> int:
    for place in (("runtimeOptions", "repeat"), ("config", "evaluateOptions", "repeat")):
        value = found.told(*place)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= files.MAX_ENTRIES:
            return value
    # The tool leaves it out where it was not asked for: one attempt a test. Lines tell nothing of it.
    return 1 if isinstance(found.told("runtimeOptions"), dict) else 0


def _notes(found: Output, rows: list[Row], repeat: int) -> Iterator[Note]:
    if found.cut:
        yield Note("cut", f"line {found.cut}, the last, is cut in the middle and left out")
    if not repeat:
        yield Note(
            "repeat_unknown",
            "the output does not tell its repeat: rows of one test count as its attempts",
        )
    unjudged = sum(not found.groups[row.group].judged for row in rows)
    if unjudged:
        unjudged_rows = words.counted(unjudged, "row has", "rows have")
        yield Note("no_assertions", f"{unjudged_rows} no assertion: promptfoo takes that for passed")
    told = _counts(found.told("stats"), _STATS)
    if told and sum(told) != len(found.rows):
        total = words.counted(sum(told), "row", "rows")
        yield Note("missing_rows", f"results.stats counts {total}, the file holds {len(found.rows)}")


def _published(found: Output, rows: list[Row], column: Column) -> Iterator[Published]:
    prompts = found.told("prompts")
    numbers = {row.prompt for row in rows}
    if isinstance(prompts, list) and len(numbers) == 1 and (number := numbers.pop()) < len(prompts):
        own = prompts[number] if isinstance(prompts[number], dict) else {}
        told, place = _counts(own.get("metrics"), _COUNTS), f"results.prompts[{number}].metrics"
    elif all(row.column == column for row in found.rows):
        told, place = _counts(found.told("stats"), _STATS), "results.stats"
    else:
        return
    if told and sum(told):
        passed, failed, errors = told
        place += f": {passed} passed, {failed} failed, {errors} errors"
        yield Published("success rate", Fraction(passed, sum(told)), place)


def _counts(holder: object, names: tuple[str, ...]) -> tuple[int, ...]:
    """The counts of these names; empty where one of them is missing."""
    values = tuple(holder.get(name) for name in names) if isinstance(holder, dict) else ()
    counts = tuple(
        value for value in values if isinstance(value, int) and not isinstance(value, bool) and value >= 0
    )
    return counts if len(counts) == len(names) else ()
