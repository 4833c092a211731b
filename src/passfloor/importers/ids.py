"""Task ids of others made fit for a suite: texts, printable, told apart also where case is not."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from passfloor.errors import ImportRefused
from passfloor.importers.interface import TaskName
from passfloor.models.names import folded, id_problem

_DIGESTED = re.compile(r"#[0-9a-f]{12}")
_LONGEST_KEPT = 1000


def suite_ids(names: Sequence[TaskName]) -> list[str]:
    """An id for each name, in order.

    A name that a suite allows is its own id, and a whole number is its digits; where ``"3"`` occurs beside 3
    the text keeps its quotes. Any other name, and names that differ in case alone, get ``#`` and the first 12
    hex digits of a SHA-256. An id depends on which names there are, not on their order.

    Args:
        names: Without repetition; 3 and ``"3"`` are two.

    Raises:
        ImportRefused: two of them cannot be told apart even so.
    """
    numbers = {str(name) for name in names if isinstance(name, int)}
    plain = [f'"{name}"' if isinstance(name, str) and name in numbers else str(name) for name in names]
    alike = Counter(folded(text) for text in plain)
    ids = [
        _digested(name) if alike[folded(text)] > 1 or _DIGESTED.fullmatch(text) or id_problem(text) else text
        for name, text in zip(names, plain, strict=True)
    ]
    if len(set(map(folded, ids))) != len(ids):
        raise ImportRefused("two task ids of the log have the same short digest: rename one of them")
    return ids


def told_apart(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], TaskName]:
    """Each task's name by its group and itself: with its group where two groups have one of that name."""
    groups: dict[str, set[str]] = {}
    for group, task in (known := list(pairs)):
        groups.setdefault(task, set()).add(group)
    return {(group, task): f"{group}/{task}" if len(groups[task]) > 1 else task for group, task in known}


def original(name: TaskName) -> str:
    """The name as text that any JSON can hold, cut where it is long."""
    words = str(name).encode(errors="backslashreplace").decode()
    return words if len(words) <= _LONGEST_KEPT else f"{words[:_LONGEST_KEPT]}..."


def _digested(name: TaskName) -> str:
    spelled = f'"{name}"' if isinstance(name, str) else str(name)
    return f"#{hashlib.sha256(spelled.encode(errors='surrogatepass')).hexdigest()[:12]}"
