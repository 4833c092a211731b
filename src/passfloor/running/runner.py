"""The run: every task, its attempts in order, judged as they finish, sealed at the end."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from passfloor.adapters.describe import AnyAdapter
from passfloor.adapters.interface import AttemptSpec
from passfloor.digests import attempt_id, attempt_seed
from passfloor.errors import RunStoppedError
from passfloor.models.plan import Plan
from passfloor.models.receipt import Attempt, ReliabilityReceipt, TaskResult
from passfloor.models.suite import Suite, Task
from passfloor.running.sealing import seal, task_result
from passfloor.running.session import Clock, OpenSession, open_session
from passfloor.running.worker import TaskBlock

STOP_AFTER = 10
"""A run whose first attempts all errored alike is stopped after this many."""

Observer = Callable[[Task, Attempt], None]


class Runner:
    """Runs one plan once."""

    def __init__(
        self,
        suite: Suite,
        adapter: AnyAdapter,
        plan: Plan,
        *,
        seed: int = 0,
        keep_going: bool = False,
        observer: Observer | None = None,
        embed_suite: bool | None = None,
        clock: Clock = time.time,
        session: OpenSession | None = None,
    ) -> None:
        """Prepare; nothing runs yet.

        Args:
            suite: The tasks, in order.
            adapter: What runs an agent on a task.
            plan: Made over this suite and adapter.
            seed: The coordination seed, the same in every attempt; 0 to 2**53 - 1.
            keep_going: Do not stop when the first attempts all error alike.
            observer: Told of every attempt as it finishes.
            embed_suite: Put the suite into the receipt; None: when it is at most 256 KiB.
            clock: Seconds since the epoch.
            session: A session already open; None opens one when the run starts.
        """
        self._suite = suite
        self._adapter = adapter
        self._plan = plan
        self._seed = seed
        self._keep_going = keep_going
        self._observer = observer or (lambda _task, _attempt: None)
        self._embed_suite = embed_suite
        self._clock = clock
        self._session = session
        self._first_errors: list[tuple[str, Any]] | None = []

    def run(self) -> ReliabilityReceipt:
        """Run every attempt and seal them, unsigned.

        Raises:
            RunStoppedError: the first attempts all errored alike; nothing is sealed.
            MalformedRunReceiptError: an adapter object gave back no run receipt.
        """
        session = self._session or open_session(self._plan, clock=self._clock)
        results: list[TaskResult] = []
        blobs: dict[str, Any] = {}
        for position, task in enumerate(self._suite.tasks):
            attempts = list(self._attempts(session, task, position, blobs))
            results.append(task_result(task, attempts, self._plan.coordination_rule))
        return seal(
            self._suite,
            self._plan,
            session.close(self._clock()),
            results,
            blobs,
            embed_suite=self._embed_suite,
            clock=self._clock,
        )

    def _attempts(
        self, session: OpenSession, task: Task, position: int, blobs: dict[str, Any]
    ) -> Iterator[Attempt]:
        block = TaskBlock(self._adapter, task, self._plan)
        for index in range(self._plan.n):
            finished = block.finish(specify(session, task, position, index, self._seed))
            blobs.update(finished.blobs)
            self._observer(task, finished.attempt)
            self._stop_if_hopeless(finished.attempt)
            yield finished.attempt

    def _stop_if_hopeless(self, attempt: Attempt) -> None:
        """Ten attempts that error alike say something about the set-up, not about the agent."""
        if self._first_errors is None or self._keep_going:
            return
        if attempt.error is None:
            self._first_errors = None
            return
        last = attempt.receipt.events[-1]
        self._first_errors.append((attempt.error.type, last.get("exit_code")))
        total = len(self._suite.tasks) * self._plan.n
        if len(set(self._first_errors)) > 1:
            self._first_errors = None
        elif len(self._first_errors) == STOP_AFTER and total > STOP_AFTER:
            raise RunStoppedError(
                f"the first {STOP_AFTER} attempts all errored alike ({attempt.error.type}: "
                f"{attempt.error.detail!a}), {total - STOP_AFTER} remain: stopped, nothing sealed; "
                "mend the agent or its settings, or run on with --keep-going"
            )


def specify(session: OpenSession, task: Task, position: int, index: int, seed: int) -> AttemptSpec:
    """The one identity that attempt ``index`` has in a session; ``position`` is the task's in its suite."""
    return AttemptSpec(
        index=index,
        attempt_id=attempt_id(session.opening_hash, session.plan_hash, task.task_hash, index),
        run_id=f"{session.run}/{position}/{index}",
        seed=seed,
        attempt_seed=attempt_seed(seed, task.task_hash, index),
    )
