"""The determinism check: make recorded attempts again and compare all that is not the model's.

It is the control that makes a low floor attributable to the model's sampling. What is run is the operator's
own adapter, never anything the receipt names. Where model calls were recorded they are answered with what was
recorded; see ``replay``.
"""

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, BinaryIO

from passfloor.adapters.describe import AnyAdapter, describe
from passfloor.adapters.interface import is_attempt_adapter
from passfloor.canonical import canonical, digest
from passfloor.checking.again import plan_of, recorded_receipt, specify
from passfloor.checking.outcome import AttemptCheck, Check, CheckStatus, Mode, worst
from passfloor.checking.replay import Replays
from passfloor.errors import UsageError
from passfloor.executors import local
from passfloor.models.plan import IMPORTED
from passfloor.models.receipt import ReceiptHead
from passfloor.models.suite import Task
from passfloor.projection import ASKED, TIMING, AttemptView, compare, further_members
from passfloor.running.worker import TaskBlock
from passfloor.scrubbing import Scrubber
from passfloor.verification.inputs import Inputs, VerifiedTask
from passfloor.verification.verifier import verify
from passfloor.workspaces.groups import end_all

__all__ = [
    "EVERYTHING", "AttemptCheck", "Check", "CheckStatus", "Effort", "Mode", "Selection", "check"
]  # fmt: skip

_RECORDING = frozenset({"chat", "function", "process", "reference"})
_NOBODYS = (
    "the receipt was imported: its attempts are what another tool's log says, and none of them can be made "
    "again; bench audit --tasks SUITE makes fresh ones"
)
_UNREACHED = "the model calls of such an agent are made where no proxy of ours is: they cannot be answered"

FindAdapter = Callable[[str, Mode], tuple[AnyAdapter, Scrubber]]
"""Gives the operator's own agent, and what takes its secrets out, told the suite's version and what for."""


@dataclass(frozen=True)
class Selection:
    """Which attempts to make again: of these tasks (None: the first), this index (None: all of them)."""

    tasks: Collection[str] | None = None
    attempt: int | None = 0


EVERYTHING = Selection(tasks=(), attempt=None)
"""Every attempt of every task."""


@dataclass(frozen=True)
class Effort:
    """How much work is done: attempts side by side, and how often each."""

    concurrency: int = 1
    repeat: int = 1


def check(
    stream: BinaryIO,
    inputs: Inputs,
    find_adapter: FindAdapter,
    selection: Selection | None = None,
    effort: Effort | None = None,
) -> Check:
    """Verify the receipt in ``stream``, then make the selected attempts again and compare.

    Args:
        stream: The receipt, at its start.
        inputs: What verification needs.
        find_adapter: Called once the receipt is known to be authentic and whole.
        selection: Which attempts; None: attempt 0 of the first task.
        effort: None: one attempt after the other, each once.

    Raises:
        UsageError: the selection names a task or attempt the receipt does not hold, or no suite is known.
    """
    chosen = _Chosen(selection or Selection())
    verification = verify(stream, replace(inputs, observe=chosen.take))
    outcome = Check(verification)
    if outcome.refused or verification.head is None:
        return outcome
    if verification.head.subject.adapter.startswith(IMPORTED):
        return replace(outcome, undecided=_NOBODYS)
    chosen.require(verification.head)
    effort = effort or Effort()
    mode = Mode.REPLAY if chosen.holds_calls(verification.head.subject.adapter) else Mode.RERUN
    outcome = replace(outcome, mode=mode, repeated=effort.repeat)
    adapter, scrubber = find_adapter(verification.head.suite_version, mode)
    if undecided := _another_agent(verification.head, adapter):
        return replace(outcome, undecided=undecided)
    if mode is Mode.REPLAY and not callable(getattr(adapter, "record", None)):
        return replace(outcome, undecided=_UNREACHED)
    if mode is Mode.REPLAY:
        with Replays.open(verification.head, adapter, scrubber) as replays:
            units = list(chosen.units(verification.head.n, partial(_replayed, replays)))
            return replace(outcome, attempts=tuple(_made(units, adapter, effort)))
    rerun = partial(_rerun, verification.head, adapter, scrubber)
    if is_attempt_adapter(adapter):
        units = list(chosen.units(verification.head.n, rerun))
    else:
        indices = chosen.indices(verification.head.n)
        units = [partial(rerun, verified, indices) for verified in chosen.tasks.values()]
    return replace(outcome, attempts=tuple(_made(units, adapter, effort)))


def _made(
    units: Sequence[local.Unit[AttemptCheck]], adapter: AnyAdapter, effort: Effort
) -> Iterator[AttemptCheck]:
    """Each attempt of the units, in their order, whatever was finished first."""
    kept: list[dict[int, list[AttemptCheck]]] = [{} for _ in units]

    def repeated(place: int, unit: local.Unit[AttemptCheck]) -> Iterator[None]:
        # One after the other: they share their folder.
        for _ in range(effort.repeat):
            for found in unit():
                kept[place].setdefault(found.attempt, []).append(found)
                yield

    def end() -> None:
        end_all()
        if interrupt := getattr(adapter, "interrupt", None):
            interrupt()

    spread = local.Spread[None](keep=lambda _: None, report=lambda _: None, end=end)
    work = [partial(repeated, place, unit) for place, unit in enumerate(units)]
    local.run(work, effort.concurrency, spread)
    return (worst(rounds) for of_unit in kept for rounds in of_unit.values())


def _replayed(replays: Replays, verified: VerifiedTask, indices: Sequence[int]) -> Iterator[AttemptCheck]:
    return (replays.attempt(verified, index) for index in indices)


def _another_agent(head: ReceiptHead, adapter: AnyAdapter) -> str:
    """How the agent given is not the one the receipt is about; empty where it is."""
    about = describe(adapter)
    given, sealed = digest(about.identity), head.subject
    if given == sealed.adapter_digest:
        return ""
    return (
        f"the receipt is about another agent: adapter '{sealed.adapter}' with digest "
        f"{sealed.adapter_digest[:16]}..., the one given is '{about.key}' with {given[:16]}...; "
        "give the same agent, byte for byte, and the same --env names"
    )


class _Chosen:
    """Keeps the task results that are to be made again, as verification passes them by."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.tasks: dict[str, VerifiedTask] = {}
        self._seen: list[str] = []

    def take(self, verified: VerifiedTask) -> None:
        self._seen.append(verified.task.id)
        wanted = self.selection.tasks
        first = wanted is None and verified.position == 0
        if first or (wanted is not None and (not wanted or verified.task.id in wanted)):
            self.tasks[verified.task.id] = verified

    def require(self, head: ReceiptHead) -> None:
        for task_id in self.selection.tasks or ():
            if task_id not in self.tasks:
                raise UsageError(
                    f"the receipt holds no task {task_id!a}{self._nearest(task_id)}: "
                    "name one of its suite, or leave --task out"
                )
        index = self.selection.attempt
        if index is not None and not 0 <= index < head.n:
            raise UsageError(f"attempt {index}: the receipt holds attempts 0 to {head.n - 1} of each task")

    def holds_calls(self, adapter: str) -> bool:
        """Whether model calls were to be recorded in what is made again; ``adapter``: the key of theirs."""
        kinds = {ASKED, "agent.output"} if adapter in _RECORDING else {ASKED}
        attempts = (attempt for task in self.tasks.values() for attempt in task.result["attempts"])
        return any(event["kind"] in kinds for attempt in attempts for event in attempt["receipt"]["events"])

    def indices(self, n: int) -> Sequence[int]:
        """Which attempts of each task."""
        return range(n) if self.selection.attempt is None else (self.selection.attempt,)

    def units(
        self, n: int, make: Callable[[VerifiedTask, Sequence[int]], Iterator[AttemptCheck]]
    ) -> Iterator[local.Unit[AttemptCheck]]:
        """One an attempt, in the order of the receipt."""
        for verified in self.tasks.values():
            for index in self.indices(n):
                yield partial(make, verified, (index,))

    def _nearest(self, task_id: str) -> str:
        near = difflib.get_close_matches(task_id[:200], self._seen, n=1)
        return f" (did you mean {near[0]!a}?)" if near else ""


def _rerun(
    head: ReceiptHead,
    adapter: AnyAdapter,
    scrubber: Scrubber,
    verified: VerifiedTask,
    indices: Sequence[int],
) -> Iterator[AttemptCheck]:
    """Re-run on a freshly positioned adapter, in order, so that attempt N is call N."""
    block = TaskBlock(adapter, verified.task, plan_of(head), scrubber)
    for index in range(indices[-1] + 1):
        if index in indices:
            receipt, _ = block.run(specify(head, verified, index))
            yield _compare(verified.task, index, recorded_receipt(verified, index), receipt)
        else:
            block.skip()


def _compare(task: Task, index: int, recorded: Mapping[str, Any], fresh: Mapping[str, Any]) -> AttemptCheck:
    before, now = _view(recorded), _view(fresh)
    shared = compare([before, now])
    divergence = shared.divergence
    # A re-run that was cut is a prefix of anything: agreement up to there proves nothing about the rest.
    cut = now.errored and (not before.errored or now.owed < before.owed)
    inconclusive = shared.identical and cut
    detail = "" if divergence is None else divergence.detail
    if inconclusive:
        error = fresh["events"][-1].get("error") or {}
        detail = (
            f"the re-run errored ({error.get('type')}: {error.get('detail')}) where the recorded attempt "
            "went on: check again, with a longer --timeout where time was short"
        )
    return AttemptCheck(
        task_id=task.id,
        attempt=index,
        coordination_identical=shared.identical and not inconclusive,
        byte_identical=_timeless(recorded) == _timeless(fresh),
        divergent_field=None if divergence is None else divergence.path,
        detail=detail,
        inconclusive=inconclusive,
    )


def _view(receipt: Mapping[str, Any]) -> AttemptView:
    return AttemptView(receipt["events"], further_members(receipt))


def _timeless(receipt: Mapping[str, Any]) -> bytes:
    kept = [
        {name: value for name, value in event.items() if name not in TIMING} for event in receipt["events"]
    ]
    return canonical(kept)
