"""The progress display on a terminal: how far, what came out, what runs, and the flaky tasks so far."""

from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from passfloor.cli.outputs import said
from passfloor.cli.progress import Tally
from passfloor.report.escape import show

if TYPE_CHECKING:
    from passfloor.models.receipt import Attempt
    from passfloor.models.suite import Suite, Task

_MOST_SHOWN = 3


class Display:
    """A live display on stderr while the context is open; it leaves nothing behind."""

    def __init__(self, suite: "Suite", n: int, console: Console | None = None, *, done: int = 0) -> None:
        self._tally = Tally(done)
        self._running: dict[tuple[str, int], None] = {}
        self._bar = _Bar(self, console or Console(stderr=True))
        self._row = self._bar.add_task(
            "", total=len(suite.tasks) * n, completed=done, tally=self._tally.counts()
        )

    def __enter__(self) -> "Display":
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def began(self, task: "Task", index: int) -> None:
        """An attempt begins; called from any thread."""
        self._running[task.id, index] = None

    def finished(self, task: "Task", attempt: "Attempt") -> None:
        """An attempt is over and judged."""
        self._running.pop((task.id, attempt.index), None)
        self._tally.add(task, attempt)
        self._bar.update(self._row, advance=1, tally=self._tally.counts())

    def say(self, line: str) -> None:
        """Say a line above the display; the terminal folds it, so that no other line begins inside it."""
        self._bar.console.print(Text(said(line)), soft_wrap=True)

    def lines(self) -> Iterable[Text]:
        """What stands below the bar."""
        running = list(self._running)
        if running:
            first = ", ".join(
                f"{show(task_id, 40)} attempt {index}" for task_id, index in running[:_MOST_SHOWN]
            )
            more = f" and {len(running) - _MOST_SHOWN} more" if len(running) > _MOST_SHOWN else ""
            yield _line(f"running {first}{more}")
        if flaky := self._tally.flaky():
            yield _line(f"flaky so far: {flaky}")


class _Bar(Progress):
    def __init__(self, display: Display, console: Console) -> None:
        self._below = display
        super().__init__(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[tally]}", markup=False),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )

    def get_renderables(self) -> Iterable[RenderableType]:
        """The bar, then the lines below it."""
        yield self.make_tasks_table(self.tasks)
        yield from self._below.lines()


def _line(text: str) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis")
