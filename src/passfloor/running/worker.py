"""One attempt: call the adapter, complete the run receipt it gives back, judge it."""

import contextlib
import copy
from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar, cast

from passfloor import blobs
from passfloor.adapters.describe import AnyAdapter
from passfloor.adapters.interface import AttemptAdapter, AttemptSpec, ReplayAdapter, is_attempt_adapter
from passfloor.adapters.secrets import scrubber_for
from passfloor.canonical import sha256_hex
from passfloor.errors import EnvironmentFault, MalformedRunReceiptError, PassfloorError, UsageError
from passfloor.grading import Attested, Evidence, RunGrader, Verdict, judge
from passfloor.models.assertions import CODE_KINDS, Assertion
from passfloor.models.plan import Plan
from passfloor.models.receipt import Attempt
from passfloor.models.suite import Task
from passfloor.projection import ERRORED_KIND
from passfloor.running.attempts import FinishedAttempt
from passfloor.running.completion import complete, one_line
from passfloor.scrubbing import Scrubber

Adapter = TypeVar("Adapter")


class TaskBlock:
    """The attempts of one task, in order, on one fresh instance of the adapter.

    ``run_task`` carries no attempt index: call i on a fresh instance is attempt i. An adapter that takes an
    explicit attempt is called with it instead.
    """

    def __init__(
        self,
        adapter: AnyAdapter,
        task: Task,
        plan: Plan,
        scrubber: Scrubber | None = None,
        run_grader: RunGrader | None = None,
    ) -> None:
        """Position the adapter at attempt 0 of ``task``.

        Args:
            adapter: What runs an agent on a task.
            task: The task.
            plan: Its plan.
            scrubber: The run's; None: one that knows the secrets of the adapter and no further pattern.
            run_grader: Runs graders with code; None: a task that has one cannot be judged.
        """
        self._scrubber = scrubber_for(adapter) if scrubber is None else scrubber
        # Asked once: a protocol of many members is slow to look for.
        self._named: AttemptAdapter | None = adapter if is_attempt_adapter(adapter) else None
        self._adapter: AnyAdapter = fresh(adapter) if self._named is None else self._named
        self._task = task
        self._plan = plan
        self._run_grader = run_grader

    @property
    def by_name(self) -> bool:
        """Whether an attempt is named to the adapter, and so any may be run next."""
        return self._named is not None

    def run(self, spec: AttemptSpec) -> tuple[dict[str, Any], dict[str, Any]]:
        """Run the next attempt.

        Returns:
            The complete run receipt, large values moved out, and those values, sha256 -> value.

        Raises:
            MalformedRunReceiptError: an adapter object gave back something that is no run receipt.
        """
        return self._run(spec)[:2]

    def _run(self, spec: AttemptSpec) -> tuple[dict[str, Any], dict[str, Any], bytes]:
        given = self._given(spec)
        try:
            return complete(given, self._task, spec, self._scrubber)
        except MalformedRunReceiptError as error:
            # It names fields, which an adapter may have made up.
            raise MalformedRunReceiptError(self._scrubber.scrub_text(str(error))[0]) from None

    def _given(self, spec: AttemptSpec) -> Any:
        config = copy.deepcopy(self._plan.scheduler_config)
        adapter = self._named
        if adapter is None:
            return self._called(config)
        try:
            return adapter.run_attempt(self._task, spec, config)
        except BaseException as error:
            # Stopped by a signal, perhaps between the start of the agent and the first look at it.
            if not isinstance(error, Exception) and hasattr(adapter, "discard"):
                with contextlib.suppress(EnvironmentFault):
                    adapter.discard(spec.attempt_id)
            raise

    def skip(self) -> None:
        """Pass the next attempt over: an adapter object whose call i is attempt i is called for nothing."""
        if self._named is None:
            self._called(copy.deepcopy(self._plan.scheduler_config))

    def _called(self, config: dict[str, Any]) -> Any:
        return called(cast("ReplayAdapter", self._adapter), self._task, config)

    def finish(self, spec: AttemptSpec) -> FinishedAttempt:
        """Run the next attempt and judge it."""
        receipt, moved, encoded = self._run(spec)
        expanded = {**receipt, "events": blobs.expand(receipt["events"], moved)} if moved else receipt
        plan = self._plan
        scorer = None if plan.completion_only else self._adapter
        verdict = judge(
            scorer,
            self._task,
            expanded,
            completion_only=plan.completion_only,
            graders=plan.graders or None,
            elsewhere=partial(self._elsewhere, spec.index),
        )
        return FinishedAttempt(_sealed(self._task, spec, receipt, encoded, verdict), moved)

    def _elsewhere(self, attempt: int, index: int, assertion: Assertion, evidence: Evidence) -> bool:
        if self._run_grader is None or assertion.kind not in CODE_KINDS:
            raise Attested(f"nobody here can evaluate the assertion {assertion.kind}")
        return self._run_grader(self._task, attempt, index, evidence)


def called(adapter: ReplayAdapter, task: Task, config: Mapping[str, Any]) -> Any:
    """What ``run_task`` gave back; the events of an attempt that errored where it raised."""
    try:
        return adapter.run_task(task, config)
    except PassfloorError:
        raise
    except Exception as error:
        return died(one_line(error))


def died(detail: str) -> dict[str, Any]:
    """The run receipt of an attempt whose worker gave none.

    Nothing but the end: an attempt that owes no coordination, however far the agent came.
    """
    cause = {"type": "worker", "detail": detail}
    return {"events": [{"seq": 0, "kind": ERRORED_KIND, "error": cause, "exit_code": None}]}


def fresh(adapter: Adapter) -> Adapter:
    """An instance of an adapter object positioned at its first attempt: a deep copy of the one given.

    Raises:
        UsageError: the adapter cannot be copied.
    """
    try:
        return copy.deepcopy(adapter)
    except Exception as error:
        name = type(adapter).__qualname__
        raise UsageError(
            f"adapter {name} cannot be copied to a fresh instance ({one_line(error)}); "
            "give it a __deepcopy__ that returns one positioned at its first attempt"
        ) from error


def _sealed(
    task: Task, spec: AttemptSpec, receipt: dict[str, Any], encoded: bytes, verdict: Verdict
) -> Attempt:
    return Attempt.model_validate(
        {
            "task_id": task.id,
            "task_hash": task.task_hash,
            "index": spec.index,
            "attempt_id": spec.attempt_id,
            "receipt": receipt,
            "receipt_hash": sha256_hex(encoded),
            "outcome": verdict.outcome,
            "passed": verdict.passed,
            "score": verdict.score,
            "harness_output": verdict.harness_output,
            "error": verdict.error,
        }
    )
