"""Where a run stands: its journal played back, event by event, under the rules a journal obeys."""

from array import array
from collections.abc import Iterator, KeysView, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field, ValidationError

from passfloor.digests import plan_hash
from passfloor.errors import JournalError
from passfloor.models.base import Document, Timestamp
from passfloor.models.plan import Plan, Stage
from passfloor.models.receipt import Environment

Slot = tuple[str, int]
"""An attempt's place in the plan: task id and index."""

_ABSENT = -1


class Sealed(Document):
    """A receipt was made of the run. ``emitted_at`` is the receipt's, ``out`` where it was written.

    ``suite_embedded`` says whether it holds the suite.
    """

    receipt_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    ended_at: Timestamp
    emitted_at: float
    out: str | None
    suite_embedded: bool


class Raised(Stage):
    """A stage was added, and runs in this environment."""

    environment: Environment

    @property
    def stage(self) -> Stage:
        """The stage as it stands in the session."""
        return Stage.model_validate({name: getattr(self, name) for name in Stage.model_fields})


@dataclass(frozen=True)
class Begun:
    """An attempt began."""

    slot: Slot


@dataclass(frozen=True)
class Finished:
    """An attempt finished; whether it passed stands in its record."""

    slot: Slot


Event = Begun | Finished | Raised | Sealed


def event_of(body: Any) -> Event:
    """What a line says.

    Raises:
        JournalError: nothing that is known; the message goes on from "line 7".
    """
    try:
        match body:
            case {"event": "begin", "task_id": task_id, "index": index, **rest} if not rest:
                return Begun(_slot(task_id, index))
            case {
                "event": "finish",
                "attempt": {"task_id": task_id, "index": index},
                "blobs": dict(),
                **rest,
            }:
                if not rest:
                    return Finished(_slot(task_id, index))
            case {"event": "stage", **rest}:
                return Raised.model_validate(rest)
            case {"event": "seal", **rest}:
                return Sealed.model_validate(rest)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise JournalError(f"has {'.'.join(map(str, first['loc']))!a}: {first['msg']}") from None
    raise JournalError("holds no event of a run")


def _slot(task_id: Any, index: Any) -> Slot:
    if type(task_id) is not str or type(index) is not int or index < 0:
        raise JournalError("names no attempt")
    return task_id, index


class SlotMap(Mapping[Slot, int]):
    """A number of at least 0 for each slot, in eight bytes; by first mention of the task, then index."""

    def __init__(self) -> None:
        """Begin empty."""
        self._rows: dict[str, array[int]] = {}
        self._size = 0

    def tasks(self) -> KeysView[str]:
        """The tasks of its slots, by first mention."""
        return self._rows.keys()

    def put(self, slot: Slot, value: int) -> None:
        """Set a slot's number."""
        task_id, index = slot
        row = self._rows.setdefault(task_id, array("q"))
        if index >= len(row):
            row.extend([_ABSENT] * (index + 1 - len(row)))
        self._size += row[index] == _ABSENT
        row[index] = value

    def __getitem__(self, slot: Slot) -> int:
        task_id, index = slot
        row = self._rows[task_id]
        if not 0 <= index < len(row) or row[index] == _ABSENT:
            raise KeyError(slot)
        return row[index]

    def __iter__(self) -> Iterator[Slot]:
        for task_id, row in self._rows.items():
            yield from ((task_id, index) for index, value in enumerate(row) if value != _ABSENT)

    def __len__(self) -> int:
        return self._size


class RunState:
    """Where a run stands. Of an attempt it holds two numbers, never the attempt.

    Attributes:
        starts: slot -> how often it was begun, at least 1.
        finished: slot -> offset of its line, for ``RunFolder.read``.
        stages: as they stand in the session, the first included.
        environments: where each of them runs.
        sealed: the receipt made last, None where there is none or where a stage was added since.
        torn: whether an unfinished line stood at the journal's end when it was read.
    """

    def __init__(self, plan: Plan, started_at: str, environment: Environment) -> None:
        """Begin with the plan of the first stage and its place, at which nothing has happened yet."""
        self.starts = SlotMap()
        self.finished = SlotMap()
        first = Stage(n=plan.n, plan_hash=plan_hash(plan), decided_at=started_at, after_receipt_hash=None)
        self.stages: tuple[Stage, ...] = (first,)
        self.environments: tuple[Environment, ...] = (environment,)
        self.sealed: Sealed | None = None
        self.torn = False
        self._plan = plan

    @property
    def n(self) -> int:
        """Attempts a task, by the last stage."""
        return self.stages[-1].n

    def interrupted(self) -> list[tuple[str, int, int]]:
        """(task id, index, starts) of each attempt begun more than once, in the order of ``starts``."""
        return [(*slot, times) for slot, times in self.starts.items() if times > 1]

    def check(self, event: Event) -> None:
        """Refuse what cannot come next.

        Raises:
            JournalError: it breaks a rule; the message goes on from "line 7".
        """
        match event:
            case Raised():
                self._check_stage(event)
            case Sealed():
                if len(self.starts) > len(self.finished):
                    raise JournalError("seals the run while an attempt is unfinished")
            case Begun(slot) | Finished(slot):
                self._check_attempt(event, *slot)

    def apply(self, event: Event, offset: int) -> None:
        """Take in an event that stands at ``offset``. Raises as ``check`` does."""
        self.check(event)
        match event:
            case Raised():
                self.stages += (event.stage,)
                self.environments += (event.environment,)
                self.sealed = None
            case Sealed():
                self.sealed = event
            case Begun(slot):
                self.starts.put(slot, self.starts.get(slot, 0) + 1)
            case Finished(slot):
                self.finished.put(slot, offset)

    def _check_attempt(self, event: Begun | Finished, task_id: str, index: int) -> None:
        slot, does = (task_id, index), "begins" if isinstance(event, Begun) else "finishes"
        what = f"{does} task {task_id!a}, attempt {index}"
        if index >= self.n:
            raise JournalError(f"{what}, of which the plan has {self.n}")
        if self.sealed is not None:
            raise JournalError(f"{what}, after the run was sealed")
        if slot in self.finished:
            raise JournalError(f"{what}, which is finished already")
        if isinstance(event, Finished) and slot not in self.starts:
            raise JournalError(f"{what}, which was never begun")

    def _check_stage(self, stage: Raised) -> None:
        if self.sealed is None:
            raise JournalError("adds a stage to a run that is not sealed")
        if stage.n <= self.n:
            raise JournalError(f"adds a stage of n={stage.n} to one of n={self.n}: n can only grow")
        if stage.plan_hash != plan_hash(self._plan, n=stage.n):
            raise JournalError("adds a stage under another plan: only n may differ")
        if stage.after_receipt_hash != self.sealed.receipt_hash:
            raise JournalError("adds a stage after a receipt that is not the last one")
