"""From SWE-bench reports to records: each report is one attempt at every instance."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.grading.imported.swe_bench import BROKEN, RESOLVED, WRONG
from passfloor.importers import choices, files, rules, trees, universe, words
from passfloor.importers.fields import mapping, whole
from passfloor.importers.interface import Asked, Convention, Log, Note, Published, Record, Subject, TaskName

_RUN_LISTS = (
    "completed_ids",
    "incomplete_ids",
    "empty_patch_ids",
    "resolved_ids",
    "unresolved_ids",
    "error_ids",
)
_SUBMITTED = "submitted_ids"
_ONE = "report.json"


@dataclass(frozen=True)
class _Report:
    """One report: for each instance it names the lists that hold it."""

    name: str
    listed: Mapping[str, tuple[str, ...]]
    total: int | None
    resolved: int | None
    implied: bool


class SweBenchImporter:
    """Reads the report of a run, the results of a submission, or the reports of single instances."""

    name = "swe-bench"
    title = "SWE-bench"
    reads = "a report with resolved_ids, a results.json with resolved, or a folder of such or of report.json"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer.recognise``."""
        try:
            if trees.is_folder(path):
                told = ((each, _why(each)) for each in trees.some(path, 3))
                return next((f"{files.shown(each.name)}: {why}" for each, why in told if why), None)
        except (ImportRefused, OSError, ValueError):
            return None
        return _why(path)

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer.read``."""
        rule = rules.rule(asked, self.title, "--agent")
        known = None if asked.universe is None else universe.read(asked.universe)
        folder = trees.is_folder(path)
        found = list(_paths(path))
        singles = folder and all(each.name == _ONE for each in found)
        model = choices.chosen(asked.agent, {_model(each, singles=singles): () for each in found}, "models")
        found = [each for each in found if _model(each, singles=singles) == model]
        if singles:
            return _single(path, found, known, rule, _subject(model))
        reports = [_report(each, str(each.relative_to(path)) if folder else path.name) for each in found]
        tasks, notes = _tasks(reports, known)
        if len(reports) > 1:
            names = words.listed([report.name for report in reports])
            notes.append(Note("reports", f"{len(reports)} reports count as so many attempts ({names})"))
        return Log(
            importer=self.name,
            suite="tasks",
            subject=_subject(model),
            rule=rule,
            tasks=tasks,
            planned=len(reports),
            records=lambda: _records(reports, tasks),
            notes=tuple(notes),
            published=tuple(_published(reports[0])) if len(reports) == 1 else (),
            convention=_CONVENTION,
        )


_CONVENTION = Convention(
    estimator="mean",
    why="SWE-bench prints resolved instances over all of them, in one attempt; an instance without a "
    "prediction or whose evaluation failed is not resolved there, and missing or errored here.",
)


def _model(path: Path, *, singles: bool) -> str:
    """The model of a report: its file is MODEL.RUN.json, or RUN/MODEL/INSTANCE/report.json."""
    return path.parent.parent.name if singles else path.stem.rpartition(".")[0]


def _subject(model: str) -> Subject:
    return Subject(model or None, None, model or None)


def _paths(path: Path) -> Iterator[Path]:
    if not trees.is_folder(path):
        yield path
        return
    count = 0
    for each in files.walk(path):
        if _why(each) is not None:
            count += 1
            yield each
    if not count:
        raise ImportRefused(
            f"{files.shown(path)} holds no SWE-bench report: expected .json with resolved_ids"
        )


def _published(report: _Report) -> Iterator[Published]:
    """Resolved over all instances, as the report counts both."""
    if report.total and report.resolved is not None and report.resolved <= report.total:
        where = f"{report.name}: resolved_instances / total_instances"
        yield Published("success rate", Fraction(report.resolved, report.total), where)


def _report(path: Path, name: str) -> _Report:
    value = mapping(files.text(path), name)
    names = (*_RUN_LISTS, _SUBMITTED) if "resolved_ids" in value else (*RESOLVED[1:], *WRONG, *BROKEN)
    if not isinstance(value.get("resolved_ids", value.get("resolved")), list):
        raise ImportRefused(f"{files.shown(path)} has no list resolved_ids or resolved: expected a report")
    lists: dict[str, tuple[str, ...]] = {}
    for member in names:
        ids = value.get(member)
        for each in ids if isinstance(ids, list) else []:
            if not isinstance(each, str) or not each:
                raise ImportRefused(f"{name}: {member} holds what is no instance id: expected texts")
            lists[each] = (*lists.get(each, ()), member)
    _refuse_contradiction(lists, name)
    total, resolved = whole(value.get("total_instances")), whole(value.get("resolved_instances"))
    return _Report(name, lists, total, resolved, implied="resolved_ids" not in value)


def _refuse_contradiction(lists: Mapping[str, tuple[str, ...]], name: str) -> None:
    for instance, held in lists.items():
        if any(each in held for each in RESOLVED) and ("unresolved_ids" in held or "no_generation" in held):
            raise ImportRefused(f"{name} lists {instance[:80]!a} as resolved and not resolved: get it again")
        if len(set(held)) < len(held):
            raise ImportRefused(f"{name} lists {instance[:80]!a} twice in one list: get it again")


def _tasks(reports: list[_Report], known: tuple[str, ...] | None) -> tuple[tuple[TaskName, ...], list[Note]]:
    """All instances, and warnings."""
    named = dict.fromkeys(
        instance for report in reports for instance, held in report.listed.items() if held != (_SUBMITTED,)
    )
    outside = sum(held == (_SUBMITTED,) for report in reports for held in report.listed.values())
    notes = []
    if outside:
        notes.append(
            Note("outside", f"{outside} predictions are for instances that the dataset does not hold")
        )
    if known is None:
        _refuse_partial(reports, len(named))
        if not named:
            raise ImportRefused(f"{reports[0].name} names no instance: nothing was evaluated")
        return tuple(named), notes
    _refuse_strange(named, known)
    return known, notes


def _refuse_strange(named: Iterable[TaskName], known: tuple[str, ...]) -> None:
    expected = set(known)
    strange = [str(instance) for instance in named if instance not in expected]
    if strange:
        raise ImportRefused(
            f"--universe lacks {words.counted(len(strange), 'instance', 'instances')} of the reports, such "
            f"as {strange[0][:80]!a}: give the file of their dataset"
        )


def _refuse_partial(reports: list[_Report], named: int) -> None:
    for report in reports:
        if report.implied:
            raise ImportRefused(
                f"{report.name} names the instances that were resolved but not all that there are: "
                "name those with --universe FILE"
            )
        if report.total is not None and report.total > named:
            raise ImportRefused(
                f"{report.name} speaks of {report.total} instances and names {named}: "
                "name all with --universe FILE"
            )


def _records(reports: list[_Report], tasks: tuple[TaskName, ...]) -> Iterator[Record]:
    """One record for each instance that came to an outcome; the others are missing."""
    for position, report in enumerate(reports):
        for task in tasks:
            held = report.listed.get(str(task), ())
            judged = any(name in (*RESOLVED, *WRONG, *BROKEN) for name in held)
            if not judged and not report.implied:
                continue
            value: dict[str, Any] = {"instance_id": task, "listed": list(held)}
            if not judged:
                value["implied"] = "unresolved"
            yield Record(
                task, position, json.dumps(value), f"{report.name}: {', '.join(held) or 'not listed'}"
            )


def _single(
    path: Path, found: list[Path], known: tuple[str, ...] | None, rule: dict[str, Any], subject: Subject
) -> Log:
    """Reports of single instances: the folder above an instance's own is a run."""
    runs = list(dict.fromkeys(each.parent.parent for each in found))
    started: dict[TaskName, None] = {}
    for run in runs:
        started |= dict.fromkeys(each.parent.name for each in files.walk(run, depth=1) if each.parent != run)
    if known is not None:
        _refuse_strange(started, known)
    tasks = started if known is None else dict.fromkeys(known)
    return Log(
        importer=SweBenchImporter.name,
        suite="tasks",
        subject=subject,
        rule=rule,
        tasks=tuple(tasks),
        planned=len(runs),
        records=lambda: _singles(found, runs, path),
        notes=()
        if known is not None
        else (Note("universe", "instances that were never started are not known: name all with --universe"),),
        convention=_CONVENTION,
    )


def _singles(found: list[Path], runs: list[Path], root: Path) -> Iterator[Record]:
    for each in found:
        where = str(each.relative_to(root))
        text = files.text(each)
        value = mapping(text, where)
        if len(value) != 1:
            raise ImportRefused(f"{where} holds {len(value)} instances: expected one")
        yield Record(next(iter(value)), runs.index(each.parent.parent), text, where)


def _why(path: Path) -> str | None:
    if path.suffix != ".json":
        return None
    start = files.head(path)
    if start.lstrip()[:1] != b"{":
        return None
    if (
        b'_instances"' in start
        and b'_ids"' in start
        and (b'"resolved_' in start or b'"total_instances"' in start)
    ):
        return "it counts resolved_instances"
    if b'"resolved"' in start and (b'"no_generation"' in start or b'"no_logs"' in start):
        return "it lists resolved, no_generation and no_logs"
    if path.name == _ONE and b'"resolved"' in start and b'"patch_' in start:
        return "it is the report of one instance"
    return None
