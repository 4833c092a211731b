"""Running a part of a suite, and saying which."""

import difflib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal

from passfloor.aggregate import TaskCount
from passfloor.errors import UsageError
from passfloor.models.plan import Selection
from passfloor.models.suite import Suite, Task
from passfloor.suites.places import quoted

Pile = Literal["flaky", "never", "always"]
"""What became of a task's attempts: some passed, none did, or all did."""

_MOST_NEAR = 3
_MOST_KNOWN = 5
_PILES: tuple[Pile, ...] = ("always", "flaky", "never")


def select(
    suite: Suite,
    *,
    tasks: Sequence[str] = (),
    tags: Sequence[str] = (),
    only: tuple[Pile, Mapping[str, Pile]] | None = None,
) -> tuple[Suite, Selection | None]:
    """The part of ``suite`` that was asked for: tasks named, of a tag named, and in the pile named.

    What is given repeatedly widens, different options narrow: a task must be among ``tasks``, have one of
    ``tags`` and be in the pile.

    Args:
        suite: The whole.
        tasks: Task ids; none: all.
        tags: Tags; none: all tasks.
        only: A pile, and the piles of the tasks of an earlier run by id (``piles``); tasks it does not hold
            are left out.

    Returns:
        A suite of the chosen tasks in their order, and what the plan says of it: None where that is the
        whole suite.

    Raises:
        UsageError: An id or a tag that the suite does not have, or nothing is left.
    """
    ids = [task.id for task in suite.tasks]
    _check_known("--task", "task", tasks, ids)
    _check_known("--tag", "tag", tags, {tag: None for task in suite.tasks for tag in task.tags})
    wanted, tagged = set(tasks), set(tags)
    filters: list[Callable[[Task], bool]] = []
    if wanted:
        filters.append(lambda task: task.id in wanted)
    if tagged:
        filters.append(lambda task: not tagged.isdisjoint(task.tags))
    if only is not None:
        pile, known = only
        filters.append(lambda task: known.get(task.id) == pile)
    chosen = [task for task in suite.tasks if all(keeps(task) for keeps in filters)]
    if not chosen:
        raise UsageError(_nothing(suite, tasks, tags, only))
    if len(chosen) == len(ids):
        return suite, None
    selection = Selection(of=suite.suite_hash, tasks=[task.id for task in chosen])
    return Suite(version=suite.version, tasks=chosen), selection


def part(suite: Suite, selection: Selection | None) -> Suite:
    """The tasks of ``suite`` that a plan is about: those its selection names, all of them without one."""
    if selection is None:
        return suite
    chosen = set(selection.tasks)
    return Suite(version=suite.version, tasks=[task for task in suite.tasks if task.id in chosen])


def piles(outcomes: Iterable[tuple[str, Iterable[str]]]) -> dict[str, Pile]:
    """Task id -> pile, over all attempts that were made.

    Args:
        outcomes: Each task's id and its attempts' outcomes (``passed``, ``wrong``, ``errored``), of a
            receipt that was verified. A task without attempts did never pass.
    """
    return {task_id: _pile(TaskCount.of(made)) for task_id, made in outcomes}


def _pile(count: TaskCount) -> Pile:
    if not count.passed:
        return "never"
    return "always" if count.passed == count.n else "flaky"


def _check_known(option: str, noun: str, given: Sequence[str], known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            raise UsageError(f"{option}: the suite has no {noun} {quoted(name)}; {_near(noun, name, known)}")


def _near(noun: str, name: str, known: Collection[str]) -> str:
    if not known:
        return f"its tasks have no {noun}s, leave --{noun} out"
    folded = {other.casefold(): other for other in known}
    close = difflib.get_close_matches(name[:100].casefold(), list(folded), n=_MOST_NEAR)
    if close:
        return f"near: {', '.join(quoted(folded[other]) for other in close)}"
    first = [quoted(other) for other in list(known)[:_MOST_KNOWN]]
    more = f" and {len(known) - _MOST_KNOWN} more" if len(known) > _MOST_KNOWN else ""
    return f"it has {', '.join(first)}{more}"


def _nothing(
    suite: Suite,
    tasks: Sequence[str],
    tags: Sequence[str],
    only: tuple[Pile, Mapping[str, Pile]] | None,
) -> str:
    if only is None:
        return "no task is both named by --task and tagged as --tag says: leave one of the two out"
    pile, known = only
    held = [known[task.id] for task in suite.tasks if task.id in known]
    if not held:
        return f"--only {pile}: the receipt of --of holds no task of this suite; name a receipt over it"
    if pile in held:
        rest = " and ".join(option for option, given in (("--task", tasks), ("--tag", tags)) if given)
        return f"--only {pile}: no task in that pile is also one that {rest} asks for; leave one of them out"
    counts = ", ".join(f"{held.count(other)} {other}" for other in _PILES)
    return f"--only {pile}: no task of the receipt is in that pile ({counts}); nothing was run"
