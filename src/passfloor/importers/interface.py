"""What an importer is given and what it gives."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Protocol

from passfloor.receipts import MAX_BYTES

TaskName = str | int
"""A task as its source names it: 3 and "3" are two tasks."""


@dataclass(frozen=True, slots=True)
class Record:
    """One raw record of one attempt.

    Attributes:
        task: The source's own task id, before it is made fit for a suite.
        index: The attempt's number from 0, where the source gives one; else None: attempts of the task are
            numbered in order of ``order``, and as they come where that is alike.
        text: The raw record as JSON text; it is embedded as it is.
        where: For people, such as ``results.json: row 7``.
        order: Sort key within the task where there is no index, such as a time; comparable with its like.
        cached: The source says that it was replayed from a cache, so that it is no independent attempt.
    """

    task: TaskName
    index: int | None
    text: str
    where: str
    order: tuple[Any, ...] = ()
    cached: bool = False


@dataclass(frozen=True)
class Asked:
    """What the user said about the log.

    Attributes:
        scorer: Which of several scorers of the log decides.
        threshold: A score of at least so much passes.
        pass_values: A score that is one of these texts passes.
        keep: Which of two records of one attempt counts; None: two are refused.
        universe: A file that names all tasks, where the log names only some.
        columns: Column or member names for ``task``, ``attempt``, ``outcome``, ``score``, ``error``.
        agent: Which of several agents, models, providers or variants in one log.
        max_bytes: Size cap of the receipt to be made.
    """

    scorer: str | None = None
    threshold: Fraction | None = None
    pass_values: tuple[str, ...] = ()
    keep: Literal["first", "last"] | None = None
    universe: Path | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    agent: str | None = None
    max_bytes: int = MAX_BYTES


@dataclass(frozen=True)
class Subject:
    """What was measured, as the source names it; None where it does not say."""

    name: str | None = None
    version: str | None = None
    model: str | None = None


@dataclass(frozen=True)
class Note:
    """A warning about the log.

    Attributes:
        code: One word for machines, such as ``killed``, ``missing_samples``, ``retries``, ``restarted``.
        text: One line for people; may hold text of the log, unescaped.
    """

    code: str
    text: str


@dataclass(frozen=True)
class Published:
    """A figure that the source printed itself.

    Attributes:
        name: ``pass@K``, ``pass^K``, ``success rate`` (passing attempts over attempts) or ``mean score``;
            any other name is shown and compared with nothing.
        value: From 0 to 1.
        where: Where it stands, for people.
    """

    name: str
    value: Fraction | float
    where: str


@dataclass(frozen=True)
class Convention:
    """How the source tool counts.

    Attributes:
        errors: ``dropped``: errored, cancelled and missing attempts leave the denominator, and a task without
            any other leaves the mean; ``counted``: they count as not passing; ``excluded``: only those that
            are missing leave it.
        estimator: Of pass@k and pass^k: ``unbiased`` (1 - C(n-c,k)/C(n,k), C(c,k)/C(n,k)), ``plug-in``
            (1 - (1 - c/n)^k, (c/n)^k), or ``mean``: it has none and prints the mean over all attempts.
        partial_credit: Its success rate is the mean of scores, not of verdicts.
        why: One sentence on what it does and why ours differs.
    """

    errors: Literal["dropped", "counted", "excluded"] = "counted"
    estimator: Literal["unbiased", "plug-in", "mean"] = "unbiased"
    partial_credit: bool = False
    why: str = ""


@dataclass(frozen=True)
class Log:
    """One log, read as far as is needed to say what it holds.

    Attributes:
        importer: The importer's name.
        suite: Name of the tasks, from which the suite's version is made.
        subject: What was measured.
        rule: JSON data (strings, whole numbers, booleans, lists, objects; other numbers as decimal text) that
            ``passfloor.grading.imported`` reads each record by; sealed in the suite.
        tasks: All tasks that were planned, in order, those without records too; one that comes up in
            ``records`` alone is added behind them.
        planned: Attempts that were planned for each task, or by task; None: not told, so that the most seen
            of any task counts.
        records: Gives all records; may be called again, and holds few of them at a time.
        notes: Warnings.
        published: Figures that the source printed.
        convention: How the source counts.
    """

    importer: str
    suite: str
    subject: Subject
    rule: Mapping[str, Any]
    tasks: tuple[TaskName, ...]
    planned: int | Mapping[TaskName, int] | None
    records: Callable[[], Iterable[Record]]
    notes: tuple[Note, ...] = ()
    published: tuple[Published, ...] = ()
    convention: Convention = field(default_factory=Convention)


class Importer(Protocol):
    """Reads one format."""

    name: str
    """As in ``bench import NAME``, the sealed rule and the adapter ``import:NAME``."""
    title: str
    """The tool, for people."""
    reads: str
    """One line: which file or folder."""

    def recognise(self, path: Path) -> str | None:
        """Why ``path`` is of this format, in words that follow "because"; None where it is not.

        Cheap: reads a bounded part. Never raises for what stands in the file, whatever that is.
        """
        ...

    def read(self, path: Path, asked: Asked) -> Log:
        """Open the log.

        Raises:
            ImportRefused: it is no such log, or not one that gives verdicts as asked. Iterating over
                ``records`` raises the same for what is found on the way.
            EnvironmentFault: it cannot be read for reasons of the machine.
        """
        ...
