"""Which members of a row say what: as the user names them, else by the names that are common."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.grading.imported.rows import at, word
from passfloor.importers.interface import Asked, TaskName

COMMON: Mapping[str, Sequence[str]] = {
    "task": (
        "task", "task_id", "case_id", "item_id", "problem_id", "question_id", "sample_id", "instance_id",
        "test_id", "id",
    ),
    "attempt": (
        "attempt", "attempt_index", "trial", "trial_index", "trialIndex", "trialNum", "repeat", "replay",
        "epoch", "run",
    ),
    "outcome": (
        "outcome", "passed", "pass", "success", "correct", "is_correct", "resolved", "is_resolved", "verdict",
        "status", "result",
    ),
    "score": ("score", "reward", "points"),
    "error": ("error", "exception", "error_type", "error_message"),
}  # fmt: skip
"""What a member is called that says so, the likeliest name first."""

NESTED = ("trials", "attempts", "runs", "repeats", "episodes")
"""Members that may hold all attempts of a task, as an array of objects."""

AGENTS = ("agent", "model", "variant", "provider")
"""Members that name what was measured."""


@dataclass(frozen=True)
class Columns:
    """What is read of each row.

    Attributes:
        task: Paths whose values together name the task.
        attempt: Path of the attempt's number; None: attempts are numbered as they come.
        outcome: Path of the verdict; None where a score decides.
        score: Path of the score; None where there is none.
        error: Path of the error; None likewise.
        nested: Member that holds the attempts of a task; None: a row is an attempt.
        agent: Path of what was measured; None where rows do not say.
    """

    task: tuple[str, ...]
    attempt: str | None
    outcome: str | None
    score: str | None
    error: str | None
    nested: str | None
    agent: str | None

    def task_of(self, row: Mapping[str, Any], where: str) -> TaskName:
        """The task's name.

        Raises:
            ImportRefused: the row does not say.
        """
        values = [at(row, path) for path in self.task]
        for path, value in zip(self.task, values, strict=True):
            if value is None or value == "" or isinstance(value, bool | list | dict):
                raise ImportRefused(f"{where}: {path[:80]!a} names no task: it is {word(value)[:60]!a}")
        if len(values) == 1 and isinstance(values[0], str | int):
            return values[0]
        return "/".join(map(word, values))


def choose(members: Sequence[str], inner: Sequence[str], nested: str | None, asked: Asked) -> Columns:
    """Say what is read from rows with these members.

    Args:
        members: Of the first rows.
        inner: Of the objects at ``nested``; empty where there is no such member.
        nested: The member that holds the attempts, or None.
        asked: Names what the user names; an empty name means none.

    Raises:
        ImportRefused: nothing says which task, or what became of it; or what is named is not there.
    """
    of_attempt = inner if nested else members
    columns = asked.columns
    task = _task(members, columns.get("task"))
    outcome, score = _verdict(of_attempt, asked)
    return Columns(
        task=task,
        attempt=_picked("attempt", of_attempt, columns, beside=task),
        outcome=outcome,
        score=score,
        error=_picked("error", of_attempt, columns, beside=(*task, outcome, score)),
        nested=nested,
        agent=next((name for name in AGENTS if name in members and name not in task), None),
    )


def _task(members: Sequence[str], named: str | None) -> tuple[str, ...]:
    if named:
        parts = (named,) if named in members else tuple(part.strip() for part in named.split(","))
        for part in parts:
            _require(part, members, "--task-column")
        return parts
    found = next((name for name in COMMON["task"] if name in members), None)
    if found is None:
        raise ImportRefused(
            f"no member names the task ({_listed(members)}): say which with --task-column NAME"
        )
    return (found,)


def _verdict(members: Sequence[str], asked: Asked) -> tuple[str | None, str | None]:
    """Where the outcome stands, and the score."""
    columns = asked.columns
    score = _picked("score", members, columns)
    if asked.scorer is not None:
        score = _scorer(asked.scorer, members)
    elif score is None:
        score = _only_score(members)
    named = columns.get("outcome")
    if asked.scorer is not None and not named:
        return None, score
    if asked.threshold is not None:
        if score is None:
            raise ImportRefused(
                f"--threshold needs a score, and no member is one ({_listed(members)}): name it with "
                "--score-column NAME"
            )
        return _picked("outcome", members, columns), score
    outcome = _picked("outcome", members, columns)
    if columns.get("score") and not named:
        return None, score
    if outcome is None and score is None:
        raise ImportRefused(
            f"no member says what became of an attempt ({_listed(members)}): say which with "
            "--outcome-column NAME, or --score-column NAME and --threshold X"
        )
    return outcome, score


def _scorer(name: str, members: Sequence[str]) -> str:
    for path in (name, f"scores.{name}"):
        if path in members:
            return path
    raise ImportRefused(f"--scorer {name[:80]!a}: there is no such score; there are {_listed(members)}")


def _only_score(members: Sequence[str]) -> str | None:
    several = [member for member in members if member.startswith("scores.")]
    if len(several) > 1:
        names = ", ".join(member.removeprefix("scores.")[:40] for member in several[:8])
        raise ImportRefused(f"the rows hold several scores ({names}): choose one with --scorer NAME")
    return several[0] if several else None


def _picked(
    role: str, members: Sequence[str], columns: Mapping[str, str], *, beside: Iterable[str | None] = ()
) -> str | None:
    named = columns.get(role)
    if named is not None:
        if named:
            _require(named, members, f"--{role}-column")
        return named or None
    taken = set(beside)
    return next((name for name in COMMON[role] if name in members and name not in taken), None)


def _require(name: str, members: Sequence[str], flag: str) -> None:
    if name not in members and not any(name.startswith(f"{member}.") for member in members):
        raise ImportRefused(f"{flag} {name[:80]!a}: the rows have no such member ({_listed(members)})")


def _listed(members: Sequence[str]) -> str:
    shown = ", ".join(ascii(member[:40])[1:-1] for member in members[:12])
    return f"there are {shown}{', ...' if len(members) > 12 else ''}" if members else "there are none"
