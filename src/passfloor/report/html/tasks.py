"""The tasks as the page shows them: attempts that answered alike stand together, texts within a budget."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from passfloor.aggregate import Pile
from passfloor.models.receipt import Outcome
from passfloor.report.envelope.model import Envelope, TaskRow
from passfloor.report.envelope.records import AttemptRecord, Failure

MOST_TEXT = 4 * 1024 * 1024
"""Characters of answers, errors and failures that one page holds."""

MOST_ANSWERS = 20
"""Different answers that are shown of one task."""

MOST_OPEN = 5
"""Flaky tasks that are open when the page is."""

MOST_IN_STRIP = 200
"""Attempts that are drawn one by one."""

PILES: tuple[Pile, ...] = ("flaky", "never", "always")
"""In the order of the page."""


@dataclass(frozen=True)
class Answers:
    """Attempts of one task that came to the same thing.

    Attributes:
        indexes: Their positions, as runs: ``0 to 3, 7``.
        count: How many they are.
        lines: The text, line by line; empty where none is known.
        left_out: The page's budget was used up before this text.
        costs: Time and tokens, one line an attempt that has them.
    """

    outcome: Outcome
    indexes: str
    count: int
    lines: tuple[str, ...]
    error: str
    failures: tuple[Failure, ...]
    left_out: bool
    costs: tuple[str, ...]

    @property
    def glance(self) -> str:
        """The text on one line, for a first look."""
        return " \u21b5 ".join(line.strip() for line in self.lines if line.strip())

    @property
    def expands(self) -> bool:
        """Whether there is more to see than the outcome."""
        return bool(self.lines or self.error or self.failures or self.costs)


@dataclass(frozen=True)
class TaskPart:
    """One task of the page.

    Attributes:
        opened: It is open from the start.
        strip: Outcomes in order of attempts, as runs of equal ones.
        beyond: Attempts behind those of the strip.
        answers: The most frequent first, those that passed before others.
        unshown: Attempts whose answers are not among these.
    """

    row: TaskRow
    opened: bool
    strip: tuple[tuple[Outcome, int], ...]
    beyond: int
    answers: tuple[Answers, ...]
    unshown: int


def task_parts(envelope: Envelope, most_text: int = MOST_TEXT) -> list[TaskPart]:
    """The flaky pile first, then what never passed, then what always did; within a pile the worst first.

    Args:
        envelope: Whose tasks.
        most_text: Characters of answers, errors and failures to show; what comes later is left out.
    """
    budget = _Budget(most_text)
    rows = [row for pile in PILES for row in envelope.of_pile(pile)]
    return [_part(row, budget, opened=i < MOST_OPEN and row.pile == "flaky") for i, row in enumerate(rows)]


def runs(indexes: Iterable[int]) -> str:
    """Ascending numbers in short: ``0 to 3, 7``."""
    words = []
    for _, group in groupby(enumerate(indexes), lambda pair: pair[1] - pair[0]):
        run = [index for _, index in group]
        words.append(str(run[0]) if len(run) == 1 else f"{run[0]}{' to ' if run[2:] else ', '}{run[-1]}")
    return ", ".join(words)


class _Budget:
    def __init__(self, left: int) -> None:
        self._left = left

    def takes(self, size: int) -> bool:
        """Whether that many characters are still free; then they are taken."""
        if size > self._left:
            return False
        self._left -= size
        return True


def _part(row: TaskRow, budget: _Budget, *, opened: bool) -> TaskPart:
    groups: dict[object, list[AttemptRecord]] = {}
    for attempt in row.attempts:
        key = attempt.outcome, attempt.answer, attempt.text, attempt.error, attempt.failures
        groups.setdefault(key, []).append(attempt)
    order = sorted(groups.values(), key=lambda group: (_ORDER[group[0].outcome], -len(group)))
    shown = order[:MOST_ANSWERS]
    outcomes = [attempt.outcome for attempt in row.attempts[:MOST_IN_STRIP]]
    return TaskPart(
        row=row,
        opened=opened,
        strip=tuple((outcome, len(list(run))) for outcome, run in groupby(outcomes)),
        beyond=row.n - len(outcomes),
        answers=tuple(_answers(group, budget) for group in shown),
        unshown=row.n - sum(map(len, shown)),
    )


_ORDER: dict[Outcome, int] = {"passed": 0, "wrong": 1, "errored": 2}


def _answers(group: Sequence[AttemptRecord], budget: _Budget) -> Answers:
    first = group[0]
    size = len(first.text) + len(first.error) + sum(len(f.expected) + len(f.got) for f in first.failures)
    fits = budget.takes(size)
    return Answers(
        outcome=first.outcome,
        indexes=runs(attempt.index for attempt in group),
        count=len(group),
        lines=tuple(first.text.removesuffix("\n").split("\n")) if fits and first.text else (),
        error=first.error if fits else "",
        failures=first.failures if fits else (),
        left_out=not fits,
        costs=tuple(filter(None, map(_cost, group[:MOST_ANSWERS]))),
    )


def _cost(attempt: AttemptRecord) -> str:
    parts = []
    if attempt.seconds is not None:
        parts.append(f"{float(attempt.seconds):.2f} s")
    if attempt.tokens is not None:
        parts.append(f"{attempt.tokens} tokens")
    return f"attempt {attempt.index}: {', '.join(parts)}" if parts else ""
