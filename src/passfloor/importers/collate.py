"""From records to attempts: every one numbered, none counted twice, none left out of n."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.grading.imported import Reading, Unreadable, read_record
from passfloor.importers.collated import CODE, MISSING, Collated, TaskLog, remarks
from passfloor.importers.ids import original, suite_ids
from passfloor.importers.interface import Asked, Log, Record, TaskName
from passfloor.importers.spool import RecordSpool
from passfloor.importers.universe import unlogged
from passfloor.scrubbing import Scrubber

MAX_TASKS = 10_000
MAX_ATTEMPTS = 10_000
MAX_TOTAL = 2_000_000
"""Most attempts of one log, missing ones included."""

_LONGEST_NAME = 100_000


@dataclass(slots=True)
class _Row:
    """One record that was read."""

    number: int
    code: int
    score: Fraction | None
    order: tuple[Any, ...]
    cached: bool
    beside: bool


@dataclass(slots=True)
class _Task:
    numbered: dict[int, _Row] = field(default_factory=dict)
    loose: list[_Row] = field(default_factory=list)


def collate(
    log: Log,
    asked: Asked,
    spool: RecordSpool,
    *,
    attempts: int | None = None,
    scrubber: Scrubber | None = None,
) -> Collated:
    """Read every record of a log once and put each attempt in its place.

    Args:
        log: What an importer read.
        asked: ``keep`` decides between two records of one attempt.
        spool: Takes the records.
        attempts: The number of attempts that was planned for every task, said by the user; None: the log's.
        scrubber: Takes secrets out of records before they are read; None: those of well-known formats.

    Raises:
        ImportRefused: a record gives no verdict; one attempt is there twice; there are no tasks, or too many;
            more attempts than were said to be planned.
    """
    collator = _Collator(log, asked, spool, scrubber or Scrubber())
    for record in log.records():
        collator.take(record)
    return collator.done(attempts)


class _Collator:
    def __init__(self, log: Log, asked: Asked, spool: RecordSpool, scrubber: Scrubber) -> None:
        self._log = log
        self._asked = asked
        self._spool = spool
        self._scrubber = scrubber
        self._scrubbed = 0
        self._tasks: dict[TaskName, _Task] = {}
        for name in log.tasks:
            self._task(name)
        self._twice = 0

    def take(self, record: Record) -> None:
        """Take the next record."""
        task = self._task(record.task)
        text, replaced = self._scrubber.scrub_text(record.text)
        self._scrubbed += replaced > 0
        reading = self._read(record, text)
        number = self._spool.add(record.where, text)
        code = CODE[reading.outcome]
        beside = reading.error_type is not None and code < CODE["errored"]
        row = _Row(number, code, reading.score, record.order, record.cached, beside)
        if record.index is None:
            task.loose.append(row)
        else:
            self._place(task, record, record.index, row)

    def done(self, attempts: int | None) -> Collated:
        """All records were taken."""
        if not self._tasks:
            raise ImportRefused("the log holds no attempts: there is nothing to import")
        told = self._plan(attempts)
        names, planned = list(told), list(told.values())
        placed = [self._numbered(name) for name in names]
        seen = max((max(rows, default=-1) + 1 for rows in placed), default=0)
        sizes = [
            max(max(rows, default=-1) + 1, seen if n is None else n)
            for rows, n in zip(placed, planned, strict=True)
        ]
        self._check_sizes(sizes, attempts, seen)
        ids = suite_ids(names)
        tasks = [
            _task_log(name, task_id, n, rows)
            for name, task_id, n, rows in zip(names, ids, sizes, placed, strict=True)
        ]
        rows = [row for of_task in placed for row in of_task.values()]
        found = Collated(
            self._log,
            tasks,
            self._spool,
            list(self._log.notes),
            cached=sum(row.cached for row in rows),
            beside=sum(row.beside for row in rows),
            first_error=self._first_error(rows),
            twice=self._twice,
            scrubbed=self._scrubbed,
        )
        found.notes += remarks(found, planned, self._asked.keep)
        return found

    def _task(self, name: TaskName) -> _Task:
        task = self._tasks.get(name)
        if task is None:
            if len(self._tasks) >= MAX_TASKS:
                raise ImportRefused(
                    f"more than {MAX_TASKS} tasks, the most that a receipt can hold: split the log"
                )
            if isinstance(name, str) and len(name) > _LONGEST_NAME:
                raise ImportRefused(f"a task's id has {len(name)} characters: name another column or member")
            task = self._tasks[name] = _Task()
        return task

    def _read(self, record: Record, text: str) -> Reading:
        try:
            return read_record(self._log.importer, self._log.rule, text)
        except Unreadable as error:
            raise ImportRefused(f"{record.where}: {error}") from None

    def _place(self, task: _Task, record: Record, index: int, row: _Row) -> None:
        """Put a numbered attempt into its place, unless the one that is there is to stay."""
        if not 0 <= index < MAX_ATTEMPTS:
            raise ImportRefused(
                f"{record.where}: attempt {str(index)[:40]} is not from 0 to {MAX_ATTEMPTS - 1}, the most "
                "of a task"
            )
        before = task.numbered.get(index)
        if before is not None:
            if self._asked.keep is None:
                raise ImportRefused(
                    f"attempt {index} of task {original(record.task)[:80]!a} is there twice: "
                    f"{self._spool.where(before.number)}, and {record.where}; remove one, or say which "
                    "counts with --keep first or --keep last"
                )
            self._twice += 1
            if self._asked.keep == "first":
                return
        task.numbered[index] = row

    def _numbered(self, name: TaskName) -> dict[int, _Row]:
        """The attempts of a task by number; those without one are numbered in their order."""
        task = self._tasks[name]
        if task.numbered and task.loose:
            with_one = self._spool.where(next(iter(task.numbered.values())).number)
            raise ImportRefused(
                f"{self._spool.where(task.loose[0].number)}: this attempt of task {original(name)[:80]!a} "
                f"has no number, {with_one} has one; number all"
            )
        if not task.loose:
            return task.numbered
        if len(task.loose) > MAX_ATTEMPTS:
            raise ImportRefused(
                f"task {original(name)[:80]!a} has {len(task.loose)} attempts, the limit is {MAX_ATTEMPTS}: "
                "does another column or member tell its tasks apart?"
            )
        try:
            task.loose.sort(key=lambda row: row.order)
        except TypeError:
            # What cannot be put in order stays as it came.
            task.loose.sort(key=lambda row: row.number)
        return dict(enumerate(task.loose))

    def _plan(self, attempts: int | None) -> dict[TaskName, int | None]:
        """All tasks, and how many attempts were planned of each; None where nobody said."""
        told = self._log.planned if attempts is None else attempts
        by_task = told if isinstance(told, Mapping) else dict.fromkeys(self._tasks, told)
        planned = {name: by_task.get(name) for name in self._tasks}
        # What the log does not know was to be tried as often as anything in it.
        most = max((n for n in planned.values() if n is not None), default=None)
        for name in unlogged(self._asked.universe, self._tasks):
            self._task(name)
            planned[name] = most
        return planned

    def _first_error(self, rows: Sequence[_Row]) -> str:
        """What the first attempt that errored says of it."""
        first = min((row.number for row in rows if row.code >= CODE["errored"]), default=None)
        if first is None:
            return ""
        reading = read_record(self._log.importer, self._log.rule, self._spool.text(first))
        return ": ".join(filter(None, (reading.error_type, reading.error_text))) or reading.outcome

    def _check_sizes(self, sizes: Sequence[int], attempts: int | None, seen: int) -> None:
        if attempts is not None and seen > attempts:
            raise ImportRefused(
                f"--attempts {attempts}: a task has {seen} attempts in the log, and none may be left out; "
                f"say --attempts {seen} or more"
            )
        if max(sizes) > MAX_ATTEMPTS:
            raise ImportRefused(f"n={max(sizes)}: at most {MAX_ATTEMPTS} attempts a task; split the log")
        if min(sizes) < 1:
            raise ImportRefused("the log names tasks and holds no attempt of any: there is nothing to import")
        if sum(sizes) > MAX_TOTAL:
            raise ImportRefused(
                f"{sum(sizes)} attempts, missing ones included, are more than {MAX_TOTAL}: split the log"
            )


def _task_log(name: TaskName, task_id: str, n: int, rows: Mapping[int, _Row]) -> TaskLog:
    codes, records = bytearray([CODE[MISSING]]) * n, array("q", [-1]) * n
    scores = {}
    for index, row in rows.items():
        codes[index], records[index] = row.code, row.number
        if row.score is not None:
            scores[index] = row.score
    return TaskLog(name, task_id, n, codes, records, scores)
