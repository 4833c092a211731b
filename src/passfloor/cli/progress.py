"""Progress on stderr: a display on a terminal, one plain line a finished attempt elsewhere."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from passfloor.cli.outputs import note
from passfloor.report.escape import show

if TYPE_CHECKING:
    from passfloor.models.receipt import Attempt
    from passfloor.models.suite import Task

Observer = Callable[["Task", "Attempt"], None]


@contextmanager
def progress(total: int, *, quiet: bool) -> Iterator[Observer]:
    """Give an observer of finished attempts. ``total``: how many there will be."""
    if quiet:
        yield lambda _task, _attempt: None
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        with _display(total) as observer:
            yield observer
    else:
        yield _lines(total)


def _lines(total: int) -> Observer:
    done = Counter[str]()

    def observe(task: "Task", attempt: "Attempt") -> None:
        done[attempt.outcome] += 1
        error = f" ({attempt.error.type}: {show(attempt.error.detail, 120)})" if attempt.error else ""
        note(f"[{done.total()}/{total}] {show(task.id)} attempt {attempt.index}: {attempt.outcome}{error}")

    return observe


@contextmanager
def _display(total: int) -> Iterator[Observer]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[tally]}", markup=False),
        TimeRemainingColumn(),
    )
    done = Counter[str]()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        row = bar.add_task("", total=total, tally="")

        def observe(task: "Task", attempt: "Attempt") -> None:
            done[attempt.outcome] += 1
            tally = f"{done['passed']} passed, {done['wrong']} wrong, {done['errored']} errored  {show(task.id, 30)}"
            bar.update(row, advance=1, tally=tally)

        yield observe
