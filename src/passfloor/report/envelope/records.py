"""What is kept of a task once its attempts were read: short, and never an event."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from passfloor.models.receipt import Outcome

TEXT_CAP = 600
"""Characters that are kept of one text."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An assertion that did not hold.

    Attributes:
        kind: Of the assertion.
        expected: What it declares, in words; capped.
        got: What stood there instead, in words; capped. Both may hold text of the receipt, unescaped.
    """

    kind: str
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One attempt.

    Attributes:
        index: Its position, from 0.
        outcome: What became of it.
        answer: SHA-256 of the RFC 8785 form of the list of texts that the task's assertions read, in hex;
            None where the attempt errored or no text is at hand.
        text: The first of these texts, capped, unescaped.
        error: Why it errored: type and detail.
        failures: The assertions that did not hold.
        path: A digest of the names of the tools it called, in order; None where none is recorded.
        seconds: How long it took, as its events say.
        tokens: How many tokens its recorded answers used, as they say.
    """

    index: int
    outcome: Outcome
    answer: str | None = None
    text: str = ""
    error: str = ""
    failures: tuple[Failure, ...] = ()
    path: str | None = None
    seconds: Fraction | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Parting:
    """The first step at which the attempts of a task are not all alike, times aside.

    Attributes:
        step: Position of the event, from 0.
        left: The first attempt's index.
        right: That of the first attempt that differs from it there.
        kind: Of the event.
        detail: The member that differs and both values; printable ASCII.
    """

    step: int
    left: int
    right: int
    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class Contrast:
    """A passing and a failing answer side by side, from the first line in which they differ.

    Attributes:
        left: Index of an attempt that passed.
        right: Index of an attempt that did not.
        place: ``output``, or the path of the file that differs.
        line: The line, from 1.
        column: Where in it they part, from 1.
        left_line: The passing attempt's line from a little before that place on, capped; None past the end.
        right_line: The other's.
        shared: How many characters both of these begin with.
    """

    left: int
    right: int
    place: str
    line: int
    column: int
    left_line: str | None
    right_line: str | None
    shared: int


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """All that a report needs of one task. ``position`` is its place in the suite."""

    task_id: str
    position: int
    attempts: Sequence[AttemptRecord]
    category: str | None = None
    tags: tuple[str, ...] = ()
    cluster: str | None = None
    parting: Parting | None = None
    contrast: Contrast | None = None

    def count(self, outcome: Outcome) -> int:
        """How many attempts came to this."""
        return sum(attempt.outcome == outcome for attempt in self.attempts)


@dataclass
class Collected:
    """What a reader hands on: the tasks in suite order, and the models that said they answered."""

    tasks: list[TaskRecord] = field(default_factory=list)
    served: set[str] = field(default_factory=set)
