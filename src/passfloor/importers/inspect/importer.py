"""From Inspect logs to records."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from passfloor.errors import ImportRefused
from passfloor.importers import archives, files, trees
from passfloor.importers.choices import chosen
from passfloor.importers.inspect import header, sources
from passfloor.importers.inspect.sources import JsonLog, ZipLog
from passfloor.importers.inspect.survey import Survey, choose, survey
from passfloor.importers.interface import Asked, Log, Note, Record, Subject, TaskName
from passfloor.importers.rules import only, scored
from passfloor.importers.words import counted, listed

_EVAL = re.compile(rb'"eval"\s*:\s*\{')

_WORDS = {
    "unscored": (
        "sample was not scored: it counts as errored",
        "samples were not scored: they count as errored",
    ),
    "invalidated": (
        "sample is marked invalid: it counts as errored",
        "samples are marked invalid: they count as errored",
    ),
    "retries": (
        "sample was run again after an error: one attempt",
        "samples were run again after an error: one attempt each",
    ),
    "edited": (
        "sample has a score that was changed after the run",
        "samples have a score that was changed after the run",
    ),
}


@dataclass(frozen=True)
class _Run:
    """One log, its counts, and at which attempt of each of its tasks its first epoch stands."""

    source: ZipLog | JsonLog
    counts: Survey
    starts: dict[TaskName, int]


class InspectImporter:
    """Reads the logs of Inspect, a folder of them as runs that add up."""

    name = "inspect"
    title = "Inspect"
    reads = "a .eval archive (deflate or Zstandard), a .json log, or a folder of logs of one task and model"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer.recognise``."""
        try:
            if trees.is_folder(path):
                found = sum(_why(each) is not None for each in trees.some(path, 2))
                return f"the folder holds {counted(found, 'Inspect log', 'Inspect logs')}" if found else None
            return _why(path)
        except (ImportRefused, OSError, ValueError):
            return None

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer.read``."""
        only(asked, self.title, "--scorer", "--threshold", "--pass-values", "--agent")
        logs = _logs(path)
        agent = chosen(asked.agent, {header.model(each.header): () for each in logs}, "models")
        logs = [each for each in logs if header.model(each.header) == agent]
        kept, notes = _without_retried(logs)
        names = {header.task(each.header) for each in kept}
        if len(names) > 1:
            raise ImportRefused(
                f"{files.shown(path)} holds logs of {len(names)} tasks ({listed(names)}): give those of one"
            )
        return _log(kept, asked, notes, agent)


def _log(logs: list[ZipLog | JsonLog], asked: Asked, notes: list[Note], agent: str) -> Log:
    planned: dict[TaskName, int] = {}
    runs = [_run(each, planned) for each in logs]
    _refuse_empty(runs)
    scorers: dict[str, Counter[str | None]] = {}
    for run in runs:
        for name, parts in run.counts.scored.items():
            scorers.setdefault(name, Counter()).update(parts)
    first = logs[0].header
    rule = scored(asked, **choose(scorers, asked.scorer, header.scorers(first)))
    for run in runs:
        notes += header.status_notes(run.source.header, killed=run.source.killed)
    notes += _notes(runs, rule)
    subject = _subject(logs, agent, notes)
    return Log(
        importer=InspectImporter.name,
        suite=header.task(first),
        subject=subject,
        rule=rule,
        tasks=tuple(planned),
        planned=planned,
        records=lambda: _records(runs),
        notes=tuple(notes),
        published=tuple(header.published(first, rule, logs[0].name)) if len(logs) == 1 else (),
        convention=header.CONVENTION,
    )


def _subject(logs: list[ZipLog | JsonLog], agent: str, notes: list[Note]) -> Subject:
    """What was measured; a warning where the logs name several solvers or commits."""
    solvers = {header.solver(each.header) or agent for each in logs}
    commits = {header.version(each.header) or "" for each in logs}
    if len(solvers) > 1:
        notes.append(Note("solvers", f"the logs are of {len(solvers)} solvers: {listed(solvers)}"))
    if len(commits) > 1:
        notes.append(Note("versions", f"the logs are of {len(commits)} commits: {listed(commits)}"))
    solver = solvers.pop() if len(solvers) == 1 else agent
    return Subject(solver, commits.pop() or None if len(commits) == 1 else None, agent)


def _run(source: ZipLog | JsonLog, planned: dict[TaskName, int]) -> _Run:
    """Survey one log and add what it planned."""
    counts = survey(source.samples())
    epochs = max(header.epochs(source.header), counts.epochs)
    tasks = dict.fromkeys(header.sample_ids(source.header)) | dict.fromkeys(name for name, _ in counts.seen)
    wanted = header.sample_count(source.header)
    if not header.sample_ids(source.header) and wanted is not None:
        _refuse_many(wanted)
        tasks |= dict.fromkeys(f"unnamed sample {number + 1}" for number in range(len(tasks), wanted))
    _refuse_many(len(tasks) * epochs)
    starts = {name: planned.get(name, 0) for name in tasks}
    for name, start in starts.items():
        planned[name] = start + epochs
    return _Run(source, counts, starts)


def _records(runs: Iterable[_Run]) -> Iterator[Record]:
    for run in runs:
        for each in run.source.samples():
            start = run.starts.get(each.id)
            if start is None:
                raise ImportRefused(f"{each.where} was not there a moment ago: was the log changed?")
            yield Record(each.id, start + each.epoch - 1, each.text, each.where)


def _notes(runs: list[_Run], rule: dict[str, object]) -> Iterator[Note]:
    counts = {
        "unscored": sum(run.counts.unscored(rule) for run in runs),
        "invalidated": sum(run.counts.invalidated for run in runs),
        "retries": sum(run.counts.retried for run in runs),
        "edited": sum(run.counts.edited for run in runs),
    }
    yield from (Note(code, counted(count, *_WORDS[code])) for code, count in counts.items() if count)
    extra = [run for run in runs if _beyond(run)]
    if extra:
        yield Note("unplanned", "the log holds samples that its header does not name; they are counted too")


def _beyond(run: _Run) -> bool:
    told = set(header.sample_ids(run.source.header))
    return bool(told) and any(name not in told for name, _ in run.counts.seen)


def _without_retried(logs: list[ZipLog | JsonLog]) -> tuple[list[ZipLog | JsonLog], list[Note]]:
    """The logs in order of their starts; of a run and its retries, which carry its samples on, the last."""
    last: dict[str, ZipLog | JsonLog] = {}
    for position, each in enumerate(sorted(logs, key=lambda one: (header.created(one.header), one.name))):
        key = header.identity(each.header) or f"log {position}"
        last.pop(key, None)
        last[key] = each
    dropped = len(logs) - len(last)
    told = counted(dropped, "log is of a run that was", "logs are of runs that were")
    note = Note("retried_runs", f"{told} retried later: only the last log of each run counts")
    return list(last.values()), [note] if dropped else []


def _refuse_many(attempts: int) -> None:
    if attempts > archives.MAX_MEMBERS * 2:
        raise ImportRefused(f"the log plans {attempts} samples, the limit is {archives.MAX_MEMBERS * 2}")


def _refuse_empty(runs: list[_Run]) -> None:
    if not any(run.counts.seen for run in runs):
        raise ImportRefused(
            f"{files.shown(runs[0].source.path)} holds a header and no sample: nothing ran, or the log was "
            "written without its samples (header only)"
        )


def _logs(path: Path) -> list[ZipLog | JsonLog]:
    if not trees.is_folder(path):
        return [sources.opened(path)]
    found = [sources.opened(each) for each in files.walk(path) if _why(each) is not None]
    if not found:
        raise ImportRefused(f"{files.shown(path)} holds no Inspect log: expected .eval or .json files")
    return found


def _why(path: Path) -> str | None:
    """Why a file is an Inspect log, by its first bytes and its table of contents."""
    if archives.starts_as_zip(path):
        try:
            known = archives.members(path, lambda name: name in ("header.json", "_journal/start.json"))
        except ImportRefused:
            return None
        return f"the archive holds {next(iter(known))}" if known else None
    start = files.head(path)
    if start.lstrip()[:1] == b"{" and _EVAL.search(start) and b'"task_id"' in start and b'"run_id"' in start:
        return "it begins with the header of an Inspect log (eval, run_id, task_id)"
    return None
