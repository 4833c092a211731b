"""The determinism check: re-run recorded attempts and compare all that is not the model's.

It is the control that makes a low floor attributable to the model's sampling. What is run is the operator's
own adapter, never anything the receipt names.
"""

import difflib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, BinaryIO

from passfloor.adapters.describe import AnyAdapter, describe
from passfloor.adapters.interface import AttemptSpec, is_attempt_adapter
from passfloor.canonical import canonical, digest
from passfloor.digests import attempt_seed
from passfloor.errors import UsageError
from passfloor.models.plan import Plan
from passfloor.models.receipt import ReceiptHead
from passfloor.models.suite import Task
from passfloor.projection import TIMING, AttemptView, compare, further_members
from passfloor.projection.vocabulary import ASKED
from passfloor.running.worker import TaskBlock
from passfloor.scrubbing import Scrubber
from passfloor.verification.inputs import Inputs, VerifiedTask
from passfloor.verification.result import Verification
from passfloor.verification.verifier import verify

_RECORDED = (
    "model calls were recorded, and a re-run would be answered otherwise: it proves nothing; "
    "see what verification derives from the recording"
)
_JUDGEMENT_STEPS = frozenset({12, 13, 14, 16})
"""Findings of these steps are told and do not stop a check: the evidence itself is authentic and whole."""


class CheckStatus(StrEnum):
    """The verdict of a check that could be made."""

    PASS = "PASS"  # noqa: S105
    FAIL = "FAIL"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True)
class AttemptCheck:
    """One attempt, recorded against re-run.

    Attributes:
        coordination_identical: The projections are the same bytes; an attempt recorded as errored was
            reproduced as far as it went.
        byte_identical: All events are equal but for timing, the model's output included.
        divergent_field: The first field that differs, such as ``events[3].route``, or None.
        detail: That field with both values, or why nothing can be told, or an empty text.
        inconclusive: The re-run errored earlier than the recorded attempt ended, alike up to there.
    """

    task_id: str
    attempt: int
    coordination_identical: bool
    byte_identical: bool
    divergent_field: str | None
    detail: str
    inconclusive: bool = False


@dataclass(frozen=True)
class Check:
    """The outcome of a check.

    Attributes:
        verification: What the receipt itself gave.
        attempts: What each re-run attempt gave.
        undecided: Why nothing was run although the receipt is authentic and whole; empty otherwise.
    """

    verification: Verification
    attempts: tuple[AttemptCheck, ...] = ()
    undecided: str = ""

    @property
    def refused(self) -> bool:
        """Whether the receipt was not authentic and whole, so that nothing was run."""
        return any(finding.step not in _JUDGEMENT_STEPS for finding in self.verification.findings)

    @property
    def status(self) -> str:
        """PASS, FAIL or UNDECIDED; the receipt's own status where it was refused.

        It speaks of coordination alone: a false score or figure over authentic evidence is told beside it,
        and is the verifier's to reject. Attempts that part from each other in the receipt were not
        coordinated, however faithfully each is run again.
        """
        if self.refused:
            return str(self.verification.status)
        if any(finding.code == "diverged" for finding in self.verification.findings):
            return str(CheckStatus.FAIL)
        if any(not each.coordination_identical and not each.inconclusive for each in self.attempts):
            return str(CheckStatus.FAIL)
        if not self.attempts or any(each.inconclusive for each in self.attempts):
            return str(CheckStatus.UNDECIDED)
        return str(CheckStatus.PASS)

    @property
    def passed(self) -> bool:
        """Whether every compared attempt was coordinated as recorded."""
        return self.status == CheckStatus.PASS


@dataclass(frozen=True)
class Selection:
    """Which attempts to re-run: of these tasks (None: the first), this index (None: all of them)."""

    tasks: Collection[str] | None = None
    attempt: int | None = 0


EVERYTHING = Selection(tasks=(), attempt=None)
"""Every attempt of every task."""


def check(
    stream: BinaryIO,
    inputs: Inputs,
    find_adapter: Callable[[str], tuple[AnyAdapter, Scrubber]],
    selection: Selection | None = None,
) -> Check:
    """Verify the receipt in ``stream``, then re-run the selected attempts and compare.

    Args:
        stream: The receipt, at its start.
        inputs: What verification needs.
        find_adapter: Gives the operator's own agent, and what takes its secrets out, told the suite's
            version; called once the receipt is known to be authentic and whole.
        selection: Which attempts; None: attempt 0 of the first task.

    Raises:
        UsageError: the selection names a task or attempt the receipt does not hold, or no suite is known.
    """
    chosen = _Chosen(selection or Selection())
    verification = verify(stream, replace(inputs, observe=chosen.take))
    outcome = Check(verification)
    if outcome.refused or verification.head is None:
        return outcome
    chosen.require(verification.head)
    if chosen.holds_calls():
        return Check(verification, undecided=_RECORDED)
    adapter, scrubber = find_adapter(verification.head.suite_version)
    undecided = _another_agent(verification.head, adapter)
    if undecided:
        return Check(verification, undecided=undecided)
    compared: list[AttemptCheck] = []
    for verified in chosen.tasks.values():
        compared += _check_task(verification.head, verified, adapter, scrubber, chosen.selection.attempt)
    return Check(verification, tuple(compared))


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
    """Keeps the task results that are to be re-run, as verification passes them by."""

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

    def holds_calls(self) -> bool:
        """Whether model calls were recorded in what is to be re-run."""
        attempts = (attempt for task in self.tasks.values() for attempt in task.result["attempts"])
        return any(event["kind"] == ASKED for attempt in attempts for event in attempt["receipt"]["events"])

    def _nearest(self, task_id: str) -> str:
        near = difflib.get_close_matches(task_id[:200], self._seen, n=1)
        return f" (did you mean {near[0]!a}?)" if near else ""


def _check_task(
    head: ReceiptHead, verified: VerifiedTask, adapter: AnyAdapter, scrubber: Scrubber, wanted: int | None
) -> list[AttemptCheck]:
    """Re-run on a freshly positioned adapter, in order, so that attempt N is call N."""
    recorded = verified.result["attempts"]
    task = verified.task
    plan = Plan.model_validate({name: getattr(head, name) for name in Plan.model_fields})
    block = TaskBlock(adapter, task, plan, scrubber)
    last = head.n - 1 if wanted is None else wanted
    skip = wanted if wanted is not None and is_attempt_adapter(adapter) else 0
    checks = []
    for index in range(skip, last + 1):
        receipt, _ = block.run(_specify(head, task, verified.position, recorded[index]["receipt"], index))
        if wanted is None or index == wanted:
            checks.append(_compare(task, index, recorded[index]["receipt"], receipt))
    return checks


def _specify(
    head: ReceiptHead, task: Task, position: int, receipt: Mapping[str, Any], index: int
) -> AttemptSpec:
    """The attempt's identity as recorded, so that folders, ids and seeds come out the same."""
    seed = receipt["events"][0].get("seed")
    seed = seed if type(seed) is int else 0
    return AttemptSpec(
        index=index,
        attempt_id=receipt["attempt_id"],
        run_id=f"{head.session.run}/{position}/{index}",
        seed=seed,
        attempt_seed=attempt_seed(seed, task.task_hash, index),
    )


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
