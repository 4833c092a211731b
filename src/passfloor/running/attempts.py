"""Where finished attempts are kept until they are sealed: in memory, or in the journal of a run on disk."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import islice
from typing import Any, Protocol

from passfloor.errors import JournalError
from passfloor.journal.run_folder import RunFolder, RunJournal
from passfloor.journal.state import Slot
from passfloor.models.receipt import Attempt


@dataclass(frozen=True)
class FinishedAttempt:
    """An attempt as it is sealed, and the large values moved out of it, sha256 -> value."""

    attempt: Attempt
    blobs: Mapping[str, Any]

    @property
    def slot(self) -> Slot:
        """Its place in the plan."""
        return self.attempt.task_id, self.attempt.index


class AttemptStore(Protocol):
    """Keeps what was finished. Threads may share it, each with attempts of its own."""

    def begin(self, slot: Slot) -> None:
        """Say that an attempt begins, before anything of it happens."""
        ...

    def finish(self, finished: FinishedAttempt) -> None:
        """Keep a finished attempt. Only when this returns does it count."""
        ...

    def has(self, slot: Slot) -> bool:
        """Whether the attempt is finished."""
        ...

    def read(self, slot: Slot) -> FinishedAttempt:
        """A finished attempt, as it was kept."""
        ...

    def count(self) -> int:
        """How many attempts are finished."""
        ...

    def finished(self, most: int | None = None) -> list[Slot]:
        """What is finished, in the order in which it was; of more than ``most`` the first so many."""
        ...

    def tasks(self) -> Collection[str]:
        """The ids of the tasks of which an attempt was begun."""
        ...

    def unfinished(self) -> list[Slot]:
        """What was begun and is not finished: whoever ran it died, or was stopped."""
        ...

    def interrupted(self) -> dict[Slot, int]:
        """How often each attempt was begun, of those begun more than once."""
        ...


@dataclass
class MemoryStore:
    """Keeps attempts as long as it lives."""

    _starts: dict[Slot, int] = field(default_factory=dict)
    _kept: dict[Slot, FinishedAttempt] = field(default_factory=dict)

    def begin(self, slot: Slot) -> None:
        """Count it; see ``AttemptStore``."""
        self._starts[slot] = self._starts.get(slot, 0) + 1

    def finish(self, finished: FinishedAttempt) -> None:
        """Keep it; see ``AttemptStore``."""
        self._kept[finished.slot] = finished

    def has(self, slot: Slot) -> bool:
        """See ``AttemptStore``."""
        return slot in self._kept

    def read(self, slot: Slot) -> FinishedAttempt:
        """See ``AttemptStore``."""
        return self._kept[slot]

    def count(self) -> int:
        """See ``AttemptStore``."""
        return len(self._kept)

    def finished(self, most: int | None = None) -> list[Slot]:
        """See ``AttemptStore``."""
        return list(islice(self._kept, most))

    def tasks(self) -> Collection[str]:
        """See ``AttemptStore``."""
        return {task_id for task_id, _ in self._starts}

    def unfinished(self) -> list[Slot]:
        """See ``AttemptStore``."""
        return [slot for slot in self._starts if slot not in self._kept]

    def interrupted(self) -> dict[Slot, int]:
        """See ``AttemptStore``."""
        return {slot: starts for slot, starts in self._starts.items() if starts > 1}


class JournalStore:
    """Keeps attempts in a run's journal and holds none of them."""

    def __init__(self, folder: RunFolder, journal: RunJournal) -> None:
        """Both are of one run."""
        self._folder = folder
        self._journal = journal

    def begin(self, slot: Slot) -> None:
        """Write it down.

        Raises:
            EnvironmentFault: it cannot be written.
        """
        self._journal.begin(*slot)

    def finish(self, finished: FinishedAttempt) -> None:
        """Bring it to the disk.

        Raises:
            EnvironmentFault: it cannot be written; it does not count.
        """
        self._journal.finish(finished.attempt.model_dump(), finished.blobs)

    def has(self, slot: Slot) -> bool:
        """See ``AttemptStore``."""
        return slot in self._journal.state.finished

    def read(self, slot: Slot) -> FinishedAttempt:
        """Read it from the disk.

        Raises:
            JournalError: the journal has no such attempt, or was changed while in use.
        """
        offset = self._journal.state.finished.get(slot)
        if offset is None:
            raise JournalError(
                f"the journal of {self._folder.header.run} holds no finished attempt {slot[1]} of task "
                f"{slot[0]!a}; restore it from a copy, or start a new run"
            )
        attempt, blobs = self._folder.read(offset)
        return FinishedAttempt(Attempt.model_validate(attempt), blobs)

    def count(self) -> int:
        """See ``AttemptStore``."""
        return len(self._journal.state.finished)

    def finished(self, most: int | None = None) -> list[Slot]:
        """See ``AttemptStore``."""
        offsets = self._journal.state.finished
        return nsmallest(len(offsets) if most is None else most, offsets, key=offsets.__getitem__)

    def tasks(self) -> Collection[str]:
        """See ``AttemptStore``."""
        return self._journal.state.starts.tasks()

    def unfinished(self) -> list[Slot]:
        """See ``AttemptStore``."""
        state = self._journal.state
        return [slot for slot in state.starts if slot not in state.finished]

    def interrupted(self) -> dict[Slot, int]:
        """See ``AttemptStore``."""
        return {(task_id, index): starts for task_id, index, starts in self._journal.state.interrupted()}
