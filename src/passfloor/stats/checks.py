"""What every figure asks of its arguments, and how a rate given as a float is read."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from passfloor.errors import UsageError

Pairs = Sequence[tuple[int, int]]
"""One ``(n, c)`` a task: attempts recorded, errored ones included, and how many of them passed."""

Rate = Fraction | float
"""A number from 0 to 1. A float is read as the shortest decimal that names it: 0.7 is 7/10."""


def whole(name: str, value: object) -> None:
    """Refuse what is not an int (a bool is not one)."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"{name}={value!r} is not a whole number; give an int")


def at_least_one(name: str, value: int) -> None:
    """Refuse what is not an int of 1 or more."""
    whole(name, value)
    if value < 1:
        raise UsageError(f"{name}={value} is below 1; give 1 or more")


def estimable(n: int, c: int, k: int) -> None:
    """Refuse counts from which k attempts cannot be drawn."""
    for name, value in (("n", n), ("c", c), ("k", k)):
        whole(name, value)
    if k < 1:
        raise UsageError(f"not estimable: k={k} < 1; ask for k of 1 or more")
    if k > n:
        raise UsageError(f"not estimable: k={k} > n={n}; record at least {k} attempts or ask for a smaller k")
    possible(n, c)


def possible(n: int, c: int) -> None:
    """Refuse more passing attempts than attempts, and fewer than none."""
    if not 0 <= c <= n:
        raise UsageError(f"not estimable: c={c} passing attempts of n={n}; c lies between 0 and n")


def counted(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """``pairs`` as a list, once every one of them has been found possible.

    Raises:
        UsageError: no task, a task without attempts, or c outside 0 to n.
    """
    tasks = list(pairs)
    if not tasks:
        raise UsageError("a mean is undefined over no tasks; name at least one task")
    for n, c in set(tasks):
        at_least_one("n", n)
        whole("c", c)
        possible(n, c)
    return tasks


def drawable(pairs: Iterable[tuple[int, int]], k: int) -> list[tuple[int, int]]:
    """The tasks from which k attempts can be drawn.

    Raises:
        UsageError: there is no such task, or ``counted`` refuses the pairs.
    """
    at_least_one("k", k)
    tasks = counted(pairs)
    kept = [(n, c) for n, c in tasks if n >= k]
    if not kept:
        most = max(n for n, _ in tasks)
        raise UsageError(f"not estimable: k={k} > n={most} of every task; ask for a k of at most {most}")
    return kept


def rate(name: str, value: Rate) -> Fraction:
    """``value`` as an exact fraction from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Fraction | float | int):
        raise UsageError(f"{name}={value!r} is not a rate; give a number from 0 to 1")
    if not 0 <= value <= 1:
        raise UsageError(f"{name}={value} is not a rate; give a number from 0 to 1")
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def inner_rate(name: str, value: Rate) -> Fraction:
    """``value`` as an exact fraction strictly between 0 and 1: a level, an alpha or a power."""
    exact = rate(name, value)
    if exact in {0, 1}:
        raise UsageError(f"{name}={value} leaves nothing to chance; give a number strictly between 0 and 1")
    return exact
