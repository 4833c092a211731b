"""Looks an agent over before a run is paid for: two attempts of one task, nothing sealed."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from passfloor import blobs
from passfloor.adapters.environment import FRESH
from passfloor.adapters.interface import AttemptAdapter
from passfloor.adapters.process import ProcessAdapter
from passfloor.checking.examination import Examined, Seen, examine
from passfloor.checking.sight import Kind, Observed, Sight
from passfloor.checking.surroundings import changed, places, snapshot
from passfloor.models.assertions import CODE_KINDS
from passfloor.models.plan import ENDPOINTS, Plan
from passfloor.models.receipt import Attempt
from passfloor.models.suite import Suite, Task
from passfloor.running.attempts import FinishedAttempt, MemoryStore
from passfloor.running.plan import make_plan
from passfloor.running.runner import Runner
from passfloor.running.selection import select
from passfloor.scrubbing import Scrubber
from passfloor.workspaces.folder import folder_path
from passfloor.workspaces.groups import Ended

RUNS = 2
"""How often the agent is run."""


class DoctorStatus(StrEnum):
    """The verdict: nothing failed and something passed; something failed; nothing could be told."""

    PASS = "PASS"  # noqa: S105
    FAIL = "FAIL"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True)
class Diagnosis:
    """What was found.

    Attributes:
        suite: The suite the task is of.
        task: What the agent was asked.
        pair: Its two attempts.
        checks: Everything that was looked at, in order.
    """

    suite: Suite
    task: Task
    pair: tuple[Observed, Observed]
    checks: tuple[Examined, ...]

    @property
    def status(self) -> DoctorStatus:
        """FAIL where anything failed, PASS where anything else passed."""
        seen = {check.seen for check in self.checks}
        if Seen.FAIL in seen:
            return DoctorStatus.FAIL
        return DoctorStatus.PASS if Seen.PASS in seen else DoctorStatus.UNDECIDED


@dataclass(frozen=True)
class Setting:
    """Where an agent is looked over.

    Attributes:
        environ: The operator's variables.
        start_folder: Where the command was started.
        workspace_root: Where attempts' folders are made.
        kept: The attempts' folders are to be kept.
        apart: Places that change for reasons of their own.
        clock: Seconds, never going back.
    """

    environ: Mapping[str, str]
    start_folder: Path
    workspace_root: Path
    kept: bool = False
    apart: tuple[Path, ...] = ()
    clock: Callable[[], float] = field(default=time.monotonic)


def look_over(
    adapter: AttemptAdapter, scrubber: Scrubber, suite: Suite, task: Task, setting: Setting
) -> Diagnosis:
    """Run the agent twice, one attempt after the other, and say what was seen.

    Args:
        adapter: Drives the agent; found ready.
        scrubber: Takes its secrets out.
        suite: Where the task is from.
        task: What it is asked.
        setting: Where all this happens.

    Raises:
        UsageError: its starting files exclude each other on this disk.
        EnvironmentFault: the machine, not the agent, is at fault.
    """
    chosen, selection = select(suite, tasks=(task.id,))
    # It is the agent that is looked over: no code of the suite's is run for it.
    unjudged = not task.assertions or any(assertion.kind in CODE_KINDS for assertion in task.assertions)
    plan = make_plan(chosen, adapter, k=1, n=RUNS, completion_only=unjudged, selection=selection)
    kind = _kind(plan.subject.adapter)
    folders = (
        [] if kind == "endpoint" else places(setting.environ, setting.start_folder, setting.workspace_root)
    )
    before = snapshot(folders, ignored=setting.apart)
    watch = _Watch(adapter, scrubber, setting)
    pair = watch.two_attempts(suite, plan, task)
    # The folders of attempts are looked at on their own account.
    own = [watch.folder(each.attempt) for each in pair]
    after = snapshot(folders, ignored=(*setting.apart, *own))
    sight = Sight(
        kind=kind,
        task=task,
        pair=pair,
        rule=plan.coordination_rule,
        timeout_s=float(getattr(adapter, "timeout_s", 0.0) if task.timeout_s is None else task.timeout_s),
        withheld=_withheld(adapter, setting.environ),
        appeared=None if kind == "endpoint" else changed(before, after),
    )
    return Diagnosis(suite, task, pair, tuple(examine(sight)))


class _Watch:
    """Sees two attempts happen."""

    def __init__(self, adapter: AttemptAdapter, scrubber: Scrubber, setting: Setting) -> None:
        self._adapter = adapter
        self._scrubber = scrubber
        self._setting = setting
        self._ended: list[Ended | None] = []
        self._began: list[float] = []
        self._took: list[float] = []

    def two_attempts(self, suite: Suite, plan: Plan, task: Task) -> tuple[Observed, Observed]:
        store = MemoryStore()
        adapter = self._adapter
        if isinstance(adapter, ProcessAdapter):
            adapter.observer = self._note
        try:
            Runner(
                suite,
                adapter,
                plan,
                keep_going=True,
                observer=lambda _task, _attempt: self._took.append(self._setting.clock() - self._began[-1]),
                began=lambda _task, _index: self._begin(),
                store=store,
                scrubber=self._scrubber,
            ).execute()
        finally:
            if isinstance(adapter, ProcessAdapter):
                adapter.observer = None
        first, second = (self._observed(store.read((task.id, index)), index) for index in range(RUNS))
        return first, second

    def folder(self, attempt: Attempt) -> Path:
        return folder_path(self._setting.workspace_root, attempt.attempt_id)

    def _begin(self) -> None:
        self._began.append(self._setting.clock())
        self._ended.append(None)

    def _note(self, ended: Ended) -> None:
        self._ended[-1] = ended

    def _observed(self, finished: FinishedAttempt, index: int) -> Observed:
        attempt = finished.attempt
        events = blobs.expand(attempt.receipt.events, finished.blobs)
        receipt = attempt.receipt.model_copy(update={"events": events})
        ended = self._ended[index]
        return Observed(
            attempt=attempt.model_copy(update={"receipt": receipt}),
            elapsed_s=self._took[index],
            unread=None if ended is None else ended.unread,
            left_behind=None if ended is None else ended.left_behind,
            gone=None if self._setting.kept else not self.folder(attempt).exists(),
        )


def _kind(adapter: str) -> Kind:
    if adapter in ENDPOINTS:
        return "endpoint"
    return "function" if adapter == "function" else "process"


def _withheld(adapter: object, environ: Mapping[str, str]) -> frozenset[str]:
    variables = getattr(adapter, "variables", None)
    passed = set(variables()) if callable(variables) else set()
    return frozenset(
        name for name in environ if name not in passed and name not in FRESH and os.sep not in name
    )
