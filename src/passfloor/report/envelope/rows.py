"""Bare rows in place of a receipt: one JSON object a line, ``{"task", "attempt", "outcome"}``.

The strict core of what ``bench import rows`` reads, with the same counts: all attempts, by these names.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from passfloor.canonical import parse
from passfloor.errors import JsonError, UsageError
from passfloor.importers.collate import MAX_ATTEMPTS, MAX_TASKS
from passfloor.models.names import MAX_ID_LENGTH
from passfloor.models.receipt import Outcome
from passfloor.report.envelope.records import AttemptRecord, TaskRecord

_MEMBERS = ("task", "attempt", "outcome")
_OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass
class _Task:
    """The rows of one task: attempt -> outcome, and the line of its first row."""

    first: int
    outcomes: dict[int, Outcome] = field(default_factory=dict)


def read_rows(lines: Iterable[bytes]) -> list[TaskRecord]:
    """Read rows in any order; blank lines are skipped.

    Returns:
        One record a task, in the order in which tasks first appear, each with the same attempts 0 to n-1.

    Raises:
        UsageError: a line is no such row, a row is there twice, an attempt is missing, tasks differ in their
            number of attempts, or there are none. Names the line.
    """
    tasks: dict[str, _Task] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            _take(tasks, number, line)
    if not tasks:
        raise UsageError('no rows: give lines such as {"task": "a", "attempt": 0, "outcome": "passed"}')
    _check_whole(tasks)
    return [
        TaskRecord(name, position, [AttemptRecord(i, task.outcomes[i]) for i in range(len(task.outcomes))])
        for position, (name, task) in enumerate(tasks.items())
    ]


def _take(tasks: dict[str, _Task], number: int, line: bytes) -> None:
    name, attempt, outcome = _row(number, line)
    task = tasks.setdefault(name, _Task(number))
    if len(tasks) > MAX_TASKS:
        raise UsageError(f"line {number}: more than {MAX_TASKS} tasks; split the rows into several files")
    if attempt in task.outcomes:
        raise UsageError(f"line {number}: attempt {attempt} of task {name!a} is there twice; give it once")
    task.outcomes[attempt] = outcome


def _row(number: int, line: bytes) -> tuple[str, int, Outcome]:
    try:
        row = parse(line, max_nodes=100, max_depth=2).value
    except JsonError as error:
        raise UsageError(f"line {number} is no JSON object: {error}") from error
    if not isinstance(row, dict) or set(row) != set(_MEMBERS):
        names = ", ".join(_MEMBERS)
        raise UsageError(
            f"line {number}: {_members(row)}; a row has exactly {names} (bench import rows reads others)"
        )
    name, attempt, outcome = (row[member] for member in _MEMBERS)
    if not isinstance(name, str) or not 0 < len(name) <= MAX_ID_LENGTH:
        raise UsageError(f"line {number}: a task is a text of 1 to {MAX_ID_LENGTH} characters")
    if type(attempt) is not int or not 0 <= attempt < MAX_ATTEMPTS:
        raise UsageError(
            f"line {number}: attempt {str(attempt)[:40]!a} is no whole number from 0 to {MAX_ATTEMPTS - 1}"
        )
    if outcome not in _OUTCOMES:
        raise UsageError(f"line {number}: outcome {str(outcome)[:40]!a}: say {', '.join(_OUTCOMES)}")
    return name, attempt, outcome


def _members(row: Any) -> str:
    if not isinstance(row, Mapping):
        return "this is no object"
    if lacking := [name for name in _MEMBERS if name not in row]:
        return f"{lacking[0]!a} is missing"
    return f"{next(name for name in row if name not in _MEMBERS)[:40]!a} is not known"


def _check_whole(tasks: Mapping[str, _Task]) -> None:
    """Attempts count from 0 without a gap, and every task has as many as the first."""
    first_name, first = next(iter(tasks.items()))
    for name, task in tasks.items():
        missing = next((i for i in range(len(task.outcomes)) if i not in task.outcomes), None)
        if missing is not None:
            raise UsageError(
                f"line {task.first}: task {name!a} lacks attempt {missing}; attempts count from 0 without a "
                "gap, errored ones included"
            )
        if len(task.outcomes) != len(first.outcomes):
            raise UsageError(
                f"line {task.first}: task {name!a} has {len(task.outcomes)} attempts, {first_name!a} has "
                f"{len(first.outcomes)}; give every task the same n (an attempt without a verdict is errored)"
            )
