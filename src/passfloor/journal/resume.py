"""Whether a run can be taken further under a plan, and if not, what differs."""

from collections.abc import Iterator
from typing import Any

from passfloor.canonical import canonical, equal
from passfloor.journal.header import RunHeader
from passfloor.models.plan import Plan

_MEANINGS = {
    "suite_hash": "another suite, or a task of it was changed",
    "selection": "other tasks of the suite",
    "subject.adapter_digest": "another agent, command line or let-through variable, or a changed agent file",
    "subject.config_digest": "other options for the agent",
    "graders": "other versions of the graders",
}
_LONGEST = 64


def differences(old: RunHeader, new: Plan, *, seed: int, n: int, finished: bool) -> list[str]:
    """What keeps a run from being taken further under ``new``; empty where nothing does.

    Everything fixed before the first attempt must be the same, but for n, which may grow once the run is
    finished. Two values are the same if their RFC 8785 forms are.

    Args:
        old: the header of the run.
        new: the plan asked for.
        seed: the coordination seed asked for.
        n: attempts a task of the run by now, by its last stage.
        finished: whether all of them are finished and sealed.

    Returns:
        One line for each member that differs, beginning with its name, in the order of the plan.
    """
    found = [
        _line(name, was, now)
        for name, was, now in _pairs(old.plan.model_dump(), new.model_dump())
        if name != "n" and not equal(was, now)
    ]
    if new.n < n:
        found.append(f"n: was {n}, now {new.n} (attempts that were made are never dropped)")
    elif new.n > n and not finished:
        found.append(
            f"n: was {n}, now {new.n} (n may grow once the run is finished: resume it with {n} first)"
        )
    if seed != old.seed:
        found.append(_line("seed", old.seed, seed))
    return found


def _pairs(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name, was in old.items():
        if name == "subject":
            yield from ((f"subject.{part}", was[part], new[name][part]) for part in was)
        else:
            yield name, was, new[name]


def _line(name: str, was: Any, now: Any) -> str:
    meaning = f" ({_MEANINGS[name]})" if name in _MEANINGS else ""
    return f"{name}: was {_shown(was)}, now {_shown(now)}{meaning}"


def _shown(value: Any) -> str:
    """A value on one line of printable ASCII, cut in the middle where it is long."""
    words = ascii(canonical(value).decode())[1:-1]
    return words if len(words) <= _LONGEST else f"{words[:40]}...{words[-20:]}"
