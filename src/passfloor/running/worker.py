"""One attempt: call the adapter, complete the run receipt it gives back, judge it."""

import contextlib
import copy
from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from passfloor import blobs
from passfloor.adapters.describe import AnyAdapter
from passfloor.adapters.interface import AttemptAdapter, AttemptSpec, ReplayAdapter, is_attempt_adapter
from passfloor.adapters.secrets import scrubber_for
from passfloor.canonical import MAX_DEPTH, canonical, depth, sha256_hex, splice
from passfloor.digests import files_out, journal_head, spine_head
from passfloor.errors import (
    EnvironmentFault,
    JsonError,
    MalformedRunReceiptError,
    PassfloorError,
    UsageError,
)
from passfloor.grading import Attested, Evidence, RunGrader, Verdict, judge
from passfloor.models.assertions import CODE_KINDS, Assertion
from passfloor.models.plan import Plan
from passfloor.models.receipt import Attempt
from passfloor.models.suite import Task
from passfloor.projection import ERRORED_KIND, event_problem
from passfloor.running.attempts import FinishedAttempt
from passfloor.scrubbing import Scrubber, scrub_run_receipt

Adapter = TypeVar("Adapter")

_OWN = ("run_id", "attempt_id", "journal_head", "spine_head")
_LONGEST_DETAIL = 300
_LONGEST_RUN_ID = 200
# A run receipt stands five containers deep in a reliability receipt, which may be 64 deep in all.
_MOST_DEPTH = MAX_DEPTH - 5


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
            return _completed(given, self._task, spec, self._scrubber)
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


def one_line(error: Exception) -> str:
    """``ValueError: message``: what is not printable ASCII is escaped, what is past 300 characters is cut."""
    try:
        message = str(error)
    except Exception:
        message = ""
    name = type(error).__name__
    whole = f"{name}: {message}"[:_LONGEST_DETAIL] if message else name
    shown = (c if " " <= c <= "~" else c.encode("unicode_escape").decode("ascii") for c in whole)
    return "".join(shown)[:_LONGEST_DETAIL]


def scrubbed(given: Any, task: Task, index: int, scrubber: Scrubber) -> dict[str, Any]:
    """The run receipt an adapter gave, as JSON data without secrets; doing it twice changes nothing.

    Raises:
        MalformedRunReceiptError: its events break the schema; names task, attempt and field.
    """
    where = _where(task, index)
    members = _members(given, where)
    return scrub_run_receipt({**members, "events": _checked_events(members, where)}, scrubber)


def _where(task: Task, index: int) -> str:
    return f"task {task.id!a}, attempt {index}"


def complete(
    given: Any, task: Task, spec: AttemptSpec, scrubber: Scrubber
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fill in what is the harness's to say: run_id, attempt_id and heads, over events moved to sealed form.

    A ``run_id`` of the adapter's own is kept as ``adapter_run_id``; its own heads are replaced. Secrets are
    taken out first, so that nothing is hashed, judged or written with one in it.

    Raises:
        MalformedRunReceiptError: ``given`` breaks the schema; names task, attempt and field.
    """
    return _completed(given, task, spec, scrubber)[:2]


def _completed(
    given: Any, task: Task, spec: AttemptSpec, scrubber: Scrubber
) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """What ``complete`` gives, and the RFC 8785 form of the run receipt."""
    where = _where(task, spec.index)
    members = scrubbed(given, task, spec.index, scrubber)
    events, moved = blobs.externalise(members["events"])
    if "run_id" in members:
        members["adapter_run_id"] = members["run_id"]
    rest = {name: value for name, value in members.items() if name not in _OWN and name != "events"}
    forms = [canonical(event) for event in events]
    receipt: dict[str, Any] = {
        **rest,
        "run_id": spec.run_id,
        "attempt_id": spec.attempt_id,
        "journal_head": journal_head(spec.attempt_id, forms),
        "spine_head": spine_head(task.task_hash, task.file_hashes, files_out(events)),
        "events": events,
    }
    own = receipt.get("adapter_run_id", "")
    if not isinstance(own, str) or len(own) > _LONGEST_RUN_ID:
        raise MalformedRunReceiptError(
            f"{where}: run_id must be text of at most {_LONGEST_RUN_ID} characters"
        )
    try:
        encoded = splice(receipt, {"events": b"[" + b",".join(forms) + b"]"})
    except JsonError as error:
        raise MalformedRunReceiptError(f"{where}: the run receipt has no canonical form: {error}") from error
    if depth(receipt) > _MOST_DEPTH:
        raise MalformedRunReceiptError(f"{where}: the run receipt is nested deeper than {_MOST_DEPTH} levels")
    return receipt, moved, encoded


def _members(given: Any, where: str) -> dict[str, Any]:
    if not isinstance(given, BaseModel | Mapping):
        kind = type(given).__name__
        raise MalformedRunReceiptError(f"{where}: run_task returned {kind}, expected a mapping")
    try:
        members = dict(given)
        _check_list(members.get("events"), where)
        return given.model_dump() if isinstance(given, BaseModel) else copy.deepcopy(members)
    except PassfloorError:
        raise
    except Exception as error:
        raise MalformedRunReceiptError(
            f"{where}: the run receipt cannot be copied ({one_line(error)}); give plain JSON data"
        ) from error


def _check_list(events: object, where: str) -> None:
    if not isinstance(events, list):
        kind = type(events).__name__
        raise MalformedRunReceiptError(f"{where}: events is {kind}, expected a list of events")
    if not events:
        raise MalformedRunReceiptError(f"{where}: events is an empty list, expected at least one event")


def _checked_events(members: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = members["events"]
    for position, event in enumerate(events):
        problem = event_problem(event, position)
        if problem is not None:
            suffix, reason = problem
            raise MalformedRunReceiptError(f"{where}: events[{position}]{suffix}: {reason}")
        if event["kind"] == ERRORED_KIND and position != len(events) - 1:
            reason = f"{ERRORED_KIND} can only be the last event"
            raise MalformedRunReceiptError(f"{where}: events[{position}].kind: {reason}")
        try:
            canonical(event)
        except JsonError as error:
            raise MalformedRunReceiptError(f"{where}: events[{position}]: {error}") from error
    return events


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
