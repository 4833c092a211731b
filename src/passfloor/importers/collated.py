"""A log whose attempts are all in their places, and what they tell of it."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from passfloor.aggregate import TaskCount
from passfloor.importers.interface import Log, Note, TaskName
from passfloor.importers.retries import TEXT, until_success
from passfloor.importers.spool import RecordSpool
from passfloor.importers.words import counted

MISSING = "missing"
OUTCOMES = ("passed", "wrong", "errored", "cancelled", MISSING)
CODE = {name: code for code, name in enumerate(OUTCOMES)}
"""Outcome -> its position in ``OUTCOMES``."""

_MOST_NAMED = 5


@dataclass
class TaskLog:
    """What became of one task.

    Attributes:
        name: As the source calls it.
        id: As a suite does.
        n: Attempts that were planned, or made where nobody said.
        codes: Of each attempt from 0 to n-1 its position in ``OUTCOMES``.
        records: Of each the number of its record in the spool; -1 for one that is missing.
        scores: Of each its score, where the source gives one.
    """

    name: TaskName
    id: str
    n: int
    codes: bytearray
    records: "array[int]"
    scores: Mapping[int, Fraction]

    def count(self, *outcomes: str) -> int:
        """How many attempts came to one of these."""
        return sum(self.codes.count(CODE[name]) for name in outcomes)

    @property
    def counted(self) -> TaskCount:
        """As the headline counts them: errored, cancelled and missing attempts stay in n."""
        return TaskCount(self.n, self.count("passed"), self.count("errored", "cancelled", MISSING))


@dataclass
class Collated:
    """A log whose attempts are all in their places.

    Attributes:
        log: Where they come from.
        tasks: In the log's order.
        spool: The raw records.
        notes: The log's, and what was found on the way.
        cached: Attempts that the source says were replayed from a cache.
        beside: Attempts with a verdict that carry an error word as well.
        first_error: What the first errored attempt says; empty where there is none.
        twice: Records beside another of the same attempt.
        scrubbed: Records that secrets were taken out of.
    """

    log: Log
    tasks: list[TaskLog]
    spool: RecordSpool
    notes: list[Note]
    cached: int = 0
    beside: int = 0
    first_error: str = ""
    twice: int = 0
    scrubbed: int = 0

    @property
    def sizes(self) -> Counter[int]:
        """Number of attempts -> how many tasks have it."""
        return Counter(task.n for task in self.tasks)

    def count(self, *outcomes: str) -> int:
        """How many attempts came to one of these."""
        return sum(task.count(*outcomes) for task in self.tasks)


def remarks(found: Collated, planned: Sequence[int | None], keep: str | None) -> Iterator[Note]:
    """What the attempts themselves tell of a log.

    Args:
        found: With all its attempts in their places.
        planned: Of each task how many attempts were planned; None where nobody said.
        keep: The user's ``--keep``.
    """
    if found.twice:
        yield Note(
            "duplicates",
            f"{counted(found.twice, 'attempt is', 'attempts are')} there twice; the {keep} record counts "
            "(--keep)",
        )
    if missing := found.count(MISSING):
        short = [task for task in found.tasks if task.count(MISSING)]
        yield Note("missing", _missing(missing, sum(task.n for task in found.tasks), short))
    over = [task for task, n in zip(found.tasks, planned, strict=True) if n is not None and task.n > n]
    if over:
        yield Note(
            "unplanned",
            f"more attempts than were planned of {_named(over)}: all of them count, and n is the most seen",
        )
    if None in planned and not missing:
        yield Note(
            "not_told",
            "the log does not say how many attempts were planned: n is the most seen of any task; name "
            "the plan with --attempts N",
        )
    if until_success(map(_made, found.tasks), max(found.sizes)):
        yield Note("retries", TEXT)
    if "pass_values" in found.log.rule and not found.count("passed"):
        yield Note(
            "pass_values",
            f"none of {', '.join(found.log.rule['pass_values'])} stands in any record: nothing passes "
            "(--pass-values heeds case)",
        )
    if found.cached:
        yield Note(
            "cached",
            f"{counted(found.cached, 'attempt was', 'attempts were')} replayed from a cache: no independent "
            "draws; run again with the cache off",
        )
    if found.beside:
        yield Note(
            "error_beside",
            f"{counted(found.beside, 'attempt has', 'attempts have')} a verdict and an error word beside it: "
            "the verdict counts",
        )
    if found.scrubbed:
        records = counted(found.scrubbed, "record", "records")
        yield Note("scrubbed", f"secrets were taken out of {records} before anything was read of it")
    renamed = [task for task in found.tasks if task.id != str(task.name)]
    if renamed:
        some = ", ".join(task.id for task in renamed[:3]) + (", ..." if len(renamed) > 3 else "")
        yield Note(
            "renamed",
            f"{counted(len(renamed), 'task id is', 'task ids are')} none that a suite allows or tells apart, "
            f"and replaced: {some}",
        )


def _made(task: TaskLog) -> list[bool]:
    """Of each attempt up to the last that was made whether it passed."""
    return [code == CODE["passed"] for code in task.codes.rstrip(bytes([CODE[MISSING]]))]


def _missing(missing: int, total: int, short: Sequence[TaskLog]) -> str:
    planned = counted(total, "planned attempt", "planned attempts")
    return (
        f"{missing} of {planned} {'is' if missing == 1 else 'are'} not in the log, of {_named(short)}: what "
        "is missing stays in n and counts as errored"
    )


def _named(tasks: Iterable[TaskLog]) -> str:
    tasks = list(tasks)
    first = ", ".join(task.id for task in islice(tasks, _MOST_NAMED))
    more = f" and {len(tasks) - _MOST_NAMED} more" if len(tasks) > _MOST_NAMED else ""
    return f"{'task' if len(tasks) == 1 else 'tasks'} {first}{more}"
