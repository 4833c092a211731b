"""From a pydantic-evals report to records."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.grading.imported.verdicts import text
from passfloor.importers import files
from passfloor.importers.fields import MAX_TRIALS, mapping, parsed
from passfloor.importers.interface import Asked, Convention, Log, Note, Record, Subject, TaskName
from passfloor.importers.rules import only, scored
from passfloor.importers.streams import Cursor
from passfloor.importers.words import listed

_RUN = re.compile(r" \[([1-9][0-9]{0,5})/([1-9][0-9]{0,5})\]", re.ASCII)
_LISTS = ("cases", "failures")


@dataclass
class _Seen:
    """What one pass over the report tells."""

    tasks: dict[TaskName, None] = field(default_factory=dict)
    repeats: int = 1
    cases: int = 0
    asserted: int = 0
    names: dict[str, None] = field(default_factory=dict)


class PydanticEvalsImporter:
    """Reads what ``EvaluationReportAdapter.dump_json`` writes."""

    name = "pydantic-evals"
    title = "pydantic-evals"
    reads = "a report .json file: an EvaluationReport with cases and failures"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer.recognise``."""
        start = files.head(path)
        whole = start.lstrip()[:1] == b"{" and b'"cases"' in start
        if whole and b'"assertions"' in start and b'"task_duration"' in start:
            return "it is a report of cases with assertions and task_duration"
        if whole and b'"failures"' in start and b'"error_stacktrace"' in start:
            return "it is a report of failures with error_stacktrace"
        return None

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer.read``."""
        only(asked, self.title, "--scorer", "--threshold", "--pass-values")
        seen = _seen(path)
        head = _head(path)
        broken = head.get("report_evaluator_failures")
        notes = []
        if broken:
            notes.append(
                Note("report_evaluators", "evaluators of the whole report failed; cases are not affected")
            )
        return Log(
            importer=self.name,
            suite=text(head.get("dataset_name")) or text(head.get("name")) or self.name,
            subject=Subject(text(head.get("name"))),
            rule=scored(asked, **_scorer(seen, asked)),
            tasks=tuple(seen.tasks),
            planned=seen.repeats,
            records=lambda: (record for record, _ in _records(path)),
            notes=tuple(notes),
            convention=Convention(
                errors="dropped",
                estimator="mean",
                partial_credit=True,
                why="pydantic-evals lists cases that failed to run apart and averages over the others, by "
                "assertion; here a case passes where all its assertions hold, and a failure counts.",
            ),
        )


def _scorer(seen: _Seen, asked: Asked) -> dict[str, str]:
    """The member ``scorer`` of the rule; none of it: all assertions decide."""
    if asked.scorer is not None:
        if asked.scorer not in seen.names:
            raise ImportRefused(
                f"--scorer {asked.scorer[:80]!a} is none of the report's evaluators ({listed(seen.names)})"
            )
        return {"scorer": asked.scorer}
    if asked.threshold is not None or asked.pass_values:
        if len(seen.names) == 1:
            return {"scorer": next(iter(seen.names))}
        raise ImportRefused(f"say which score that is for, with --scorer ({listed(seen.names)})")
    if seen.cases and not seen.asserted:
        known = f" of {listed(seen.names)}" if seen.names else ": the report has none, evaluate it first"
        raise ImportRefused(
            f"no case has an assertion, so none has a verdict; judge by one score with --scorer{known}"
        )
    return {}


def _seen(path: Path) -> _Seen:
    seen = _Seen()
    for record, case in _records(path):
        seen.tasks[record.task] = None
        repeats = _run(case)[1]
        seen.repeats = max(seen.repeats, repeats)
        if "error_message" in case:
            continue
        seen.cases += 1
        seen.asserted += bool(case.get("assertions"))
        for member in ("assertions", "scores", "labels"):
            results = case.get(member)
            if isinstance(results, dict):
                seen.names |= dict.fromkeys(results)
    if not seen.tasks:
        raise ImportRefused(f"{files.shown(path)} holds no case and no failure: nothing ran")
    return seen


def _head(path: Path) -> Mapping[str, Any]:
    """The members of the report other than its lists."""
    head: dict[str, Any] = {}
    with files.opened(path) as stream:
        cursor = Cursor(stream, path.name)
        for name in cursor.members():
            if name in ("name", "dataset_name", "report_evaluator_failures"):
                head[name] = parsed(cursor.value(), f"{path.name}: {name}")
            else:
                cursor.skip()
        cursor.end()
    return head


def _records(path: Path) -> Iterator[tuple[Record, Mapping[str, Any]]]:
    with files.opened(path) as stream:
        cursor = Cursor(stream, path.name)
        known = set()
        for name in cursor.members():
            if name not in _LISTS or cursor.peek() != "[":
                cursor.skip()
                continue
            known.add(name)
            for position in cursor.elements():
                where = f"{path.name}: {name}: entry {position + 1}"
                content = cursor.value()
                case = mapping(content, where)
                yield Record(_task(case, where), _run(case)[0], content, where), case
        cursor.end()
    if "cases" not in known:
        raise ImportRefused(f"{files.shown(path)} has no array 'cases': expected a report of pydantic-evals")


def _task(case: Mapping[str, Any], where: str) -> str:
    name = text(case.get("source_case_name")) or text(case.get("name"))
    if name is None:
        raise ImportRefused(f"{where} has no name: expected a case of a report")
    return name


def _run(case: Mapping[str, Any]) -> tuple[int | None, int]:
    """The attempt's number from 0, and of how many: in the name where a case was repeated."""
    source, name = text(case.get("source_case_name")), text(case.get("name"))
    if source is None:
        return 0, 1
    found = _RUN.fullmatch((name or "").removeprefix(source))
    if found is None or int(found.group(2)) > MAX_TRIALS:
        return None, 1
    return int(found.group(1)) - 1, int(found.group(2))
