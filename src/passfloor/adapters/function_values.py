"""What a callable agent is given and may give back. Light to import: every attempt imports it afresh."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Result:
    """What a callable may return in place of its answer alone.

    Attributes:
        output: The answer.
        events: Journal lines, written after those of ``Attempt.emit``; each needs a ``kind``.
    """

    output: str
    events: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class FunctionTask:
    """The task as the agent may know it: without its assertions.

    Attributes:
        files: Relative POSIX path -> SHA-256 in hex of the starting file in the workspace.
    """

    id: str
    description: str
    steps: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    category: str | None = None
    timeout_s: float | None = None
    tags: tuple[str, ...] = ()
    cluster: str | None = None

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "FunctionTask":
        """The task of a JSON document whose lists become tuples."""
        members: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in document.items()
        }
        return cls(**members)


@dataclass(frozen=True)
class FunctionAttempt:
    """Which attempt it is, and what the callable may say and ask during it.

    Attributes:
        workspace: The working directory: fresh, with the task's starting files.
        seed: 53 bits that differ from attempt to attempt and are the same whenever this one is repeated.
        run_seed: The run's seed, the same in every attempt.
        attempt_id: 64 lower-case hex digits, never shared by two attempts.
        index: Position among the attempts of its task, from 0.
        journal: The file ``emit`` appends to.
    """

    workspace: Path
    seed: int
    run_seed: int
    attempt_id: str
    index: int
    journal: Path

    def emit(self, kind: str, **members: Any) -> None:
        """Append a journal line; it is coordination, which has to be the same in every attempt.

        Raises:
            TypeError: A member is no JSON value.
            ValueError: A number is not finite.
        """
        append_lines(self.journal, [{"kind": kind, **members}])

    def sample(self, draw: Callable[[], T]) -> T:
        """What ``draw()`` returns: a place where the agent leaves something to chance."""
        return draw()


def append_lines(journal: Path, events: Sequence[Mapping[str, Any]]) -> None:
    """Append events to a journal in one write, so that lines of several threads do not mix."""
    if not events:
        return
    text = "".join(f"{json.dumps(dict(event), allow_nan=False)}\n" for event in events)
    opened = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(opened, "ab", buffering=0) as file:  # noqa: PTH123  # a descriptor, not a path
        file.write(text.encode())
