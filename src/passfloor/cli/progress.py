"""Progress on stderr: a display on a terminal, one plain line a finished attempt elsewhere."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from passfloor.cli.outputs import in_ci, note
from passfloor.report.escape import show

if TYPE_CHECKING:
    from passfloor.models.receipt import Attempt
    from passfloor.models.suite import Suite, Task

_MOST_FLAKY = 5


class Progress(Protocol):
    """What is told how a run goes."""

    def began(self, task: "Task", index: int) -> None:
        """An attempt begins; called from any thread."""
        ...

    def finished(self, task: "Task", attempt: "Attempt") -> None:
        """An attempt is over and judged."""
        ...

    def say(self, line: str) -> None:
        """Say a line without getting in the way of what is shown."""
        ...


@contextmanager
def progress(suite: "Suite", n: int, *, quiet: bool, done: int = 0) -> Iterator[Progress]:
    """Show a run of ``suite`` while the context is open: ``n`` attempts a task, ``done`` made before."""
    if quiet:
        yield _Quiet()
    elif _can_draw():
        from passfloor.cli.display import Display

        with Display(suite, n, done=done) as display:
            yield display
    else:
        yield _Lines(len(suite.tasks) * n, done)


def counted_lines(total: int, *, quiet: bool) -> "Callable[[Task, Attempt], None]":
    """Tells of each of ``total`` attempts by one line, or of none."""
    return (_Quiet() if quiet else _Lines(total, 0)).finished


def _can_draw() -> bool:
    """Whether stderr is a terminal somebody looks at: in CI it ends up in a log."""
    if sys.stderr is None or not sys.stderr.isatty():
        return False
    return os.environ.get("TERM") not in {"dumb", "unknown"} and not in_ci(os.environ)


class Tally:
    """Counts what was finished; knows the tasks that passed sometimes but not always.

    May be asked from another thread while attempts are added: what it is asked for is never iterated.
    """

    def __init__(self, before: int = 0) -> None:
        self._done = before
        self.outcomes = Counter[str]()
        self._by_task: dict[str, set[bool]] = {}
        self._flaky: list[str] = []

    def add(self, task: "Task", attempt: "Attempt") -> None:
        """Count one attempt."""
        self._done += 1
        self.outcomes[attempt.outcome] += 1
        seen = self._by_task.setdefault(task.id, set())
        if seen and attempt.passed not in seen:
            self._flaky.append(task.id)
        seen.add(attempt.passed)

    @property
    def done(self) -> int:
        """How many attempts were finished, those of earlier sittings included."""
        return self._done

    def counts(self) -> str:
        """``3 passed, 1 wrong, 0 errored``."""
        return ", ".join(f"{self.outcomes[outcome]} {outcome}" for outcome in ("passed", "wrong", "errored"))

    def flaky(self) -> str:
        """The first tasks that turned out flaky; empty where there is none."""
        more = len(self._flaky) - _MOST_FLAKY
        names = ", ".join(show(task_id, 40) for task_id in self._flaky[:_MOST_FLAKY])
        return names + (f" and {more} more" if more > 0 else "")


class _Quiet:
    def began(self, task: "Task", index: int) -> None:
        pass

    def finished(self, task: "Task", attempt: "Attempt") -> None:
        pass

    def say(self, line: str) -> None:
        note(line)


class _Lines(_Quiet):
    def __init__(self, total: int, done: int) -> None:
        self._total = total
        self._tally = Tally(done)

    def finished(self, task: "Task", attempt: "Attempt") -> None:
        self._tally.add(task, attempt)
        error = f" ({attempt.error.type}: {show(attempt.error.detail, 120)})" if attempt.error else ""
        where = f"[{self._tally.done}/{self._total}] {show(task.id)} attempt {attempt.index}"
        note(f"{where}: {attempt.outcome}{error}")
