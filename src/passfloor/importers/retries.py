"""Attempts that were made until one passed: no independent draws, and n tells how hard a task was."""

from collections.abc import Iterable, Sequence

TEXT = "each task was tried until it passed: these are retries, not independent attempts"


def until_success(groups: Iterable[Sequence[bool]]) -> bool:
    """Whether tasks were tried until they passed.

    Args:
        groups: Of each task whether each attempt passed, in the order in which they were made.

    Returns:
        True where tasks have fewer attempts than others only if the last one passed, and none goes on after a
        pass. Tasks with as many attempts each are no such case.
    """
    attempts = [list(group) for group in groups if group]
    most = max(map(len, attempts), default=0)
    short = [group for group in attempts if len(group) < most]
    return (
        bool(short) and all(group[-1] for group in short) and not any(any(group[:-1]) for group in attempts)
    )
