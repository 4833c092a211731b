"""Attempts that were made until one passed: no independent draws, and n tells how hard a task was."""

from collections.abc import Iterable, Sequence

TEXT = (
    "every task stops at its first pass: these are retries until success and no independent attempts; run "
    "each task a fixed number of times"
)


def until_success(groups: Iterable[Sequence[bool]], n: int = 0) -> bool:
    """Whether tasks were tried until they passed.

    Args:
        groups: Of each task whether each attempt passed, in the order in which they were made.
        n: The attempts that each could have had; the most that were made where that is more.

    Returns:
        True where several tasks were tried, one of them again; those with fewer attempts than they could have
        had end in a pass; and none goes on after one. Tasks with all their attempts are no such case.
    """
    attempts = [list(group) for group in groups if group]
    most = max([n, *map(len, attempts)])
    short = [group for group in attempts if len(group) < most]
    return (
        len(attempts) > 1
        and max(map(len, attempts)) > 1
        and bool(short)
        and all(group[-1] for group in short)
        and not any(any(group[:-1]) for group in attempts)
    )
