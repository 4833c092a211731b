"""Step 8: every task of the suite once, in order, each with exactly n attempts at their own positions."""

import itertools
from collections.abc import Iterator, Sequence

from passfloor.models.receipt import TaskResult
from passfloor.models.suite import Task
from passfloor.verification.findings import Finding


class Coverage:
    """Follows the task results through the suite's order."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        """``tasks`` are those that must be covered, in order."""
        self._tasks = tasks
        self._positions = {task.id: position for position, task in enumerate(tasks)}
        self._seen: set[int] = set()
        self._last = -1

    def place(self, result: TaskResult, where: int) -> tuple[int | None, list[Finding]]:
        """The task's position in the suite, or None for a task the suite does not hold."""
        position = self._positions.get(result.task_id)
        path = f"task_results[{where}].task_id"
        if position is None:
            return None, [
                Finding(8, "task", "the suite holds no such task", task_id=result.task_id, path=path)
            ]
        findings = []
        if position <= self._last:
            what = "stands twice" if position in self._seen else "stands out of order"
            findings.append(
                Finding(8, "order", f"the task {what}; results follow the suite", result.task_id, None, path)
            )
        self._last = max(self._last, position)
        self._seen.add(position)
        return position, findings

    def missing(self) -> Iterator[Finding]:
        """The tasks that no result was seen for; call it after the last."""
        for position, task in enumerate(self._tasks):
            if position not in self._seen:
                detail = f"task {position + 1} of {len(self._tasks)} of the suite has no result"
                yield Finding(8, "task_missing", detail, task_id=task.id, path="task_results")


def check_attempts(result: TaskResult, n: int, path: str) -> Iterator[Finding]:
    """Exactly n attempts, their indices 0 to n-1 in order."""
    indices = [attempt.index for attempt in result.attempts]
    ascending = all(left < right for left, right in itertools.pairwise(indices))
    if not ascending:
        detail = f"attempt indices are {_listed(indices)}, expected ascending from 0"
        yield Finding(8, "order", detail, task_id=result.task_id, path=f"{path}.attempts")
    if len(indices) != n or (ascending and indices != list(range(n))):
        detail = f"{len(indices)} attempts with indices {_listed(indices)}, the plan fixed n={n}"
        yield Finding(8, "attempt_count", detail, task_id=result.task_id, path=f"{path}.attempts")


def _listed(indices: Sequence[int]) -> str:
    shown = ", ".join(str(index) for index in indices[:12])
    return f"[{shown}{', ...' if len(indices) > 12 else ''}]"
