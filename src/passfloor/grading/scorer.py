"""Who judges: the task's assertions, or a scorer that the caller brings."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Protocol, runtime_checkable

from passfloor.canonical import canonical
from passfloor.errors import JsonError, PassfloorError
from passfloor.grading.grade import Elsewhere, Verdict, error_of, errored, grade
from passfloor.models.suite import Task

Triple = tuple[bool, float | None, dict[str, Any]]


class ScorerFailed(PassfloorError):  # noqa: N818 - named like the finding it leads to
    """A caller's scorer raised, or returned what is no verdict. The message is one line."""


@runtime_checkable
class Scorer(Protocol):
    """Judges one attempt by its run receipt and nothing else, so that it can be asked again offline."""

    def score_task(self, task: Task, receipt: Mapping[str, Any]) -> Triple:
        """Judge a finished attempt; it is not asked about errored ones.

        Args:
            task: what was asked.
            receipt: the run receipt, blobs expanded; not to be changed.

        Returns:
            (passed, score, harness_output): a bool; a finite number from 0 to 1 or None; a JSON object.
        """
        ...


class DeclaredScorer:
    """Judges by the task's declared assertions; ``declared`` says so to ``judge``."""

    declared = True

    def __init__(self, *, completion_only: bool = False, graders: Mapping[str, str] | None = None) -> None:
        self.completion_only = completion_only
        self.graders = graders

    def score_task(self, task: Task, receipt: Mapping[str, Any]) -> Triple:
        """Judge as ``grade`` does; an errored attempt is (False, None, {})."""
        verdict = grade(task, events_of(receipt), completion_only=self.completion_only, graders=self.graders)
        return verdict.passed, verdict.score, verdict.harness_output


def judge(
    scorer: Scorer | None,
    task: Task,
    receipt: Mapping[str, Any],
    *,
    completion_only: bool,
    graders: Mapping[str, str] | None = None,
    elsewhere: Elsewhere | None = None,
    removed: frozenset[str] = frozenset(),
) -> Verdict:
    """The verdict on one attempt, by whoever is to judge it.

    Args:
        scorer: None, or one whose ``declared`` is True, for the task's assertions; else the caller's own.
        task: what was asked.
        receipt: the run receipt, blobs expanded.
        completion_only: as in ``grade``; a caller's own scorer is asked all the same.
        graders: as in ``grade``.
        elsewhere: as in ``grade``.
        removed: as in ``grade``; a caller's own scorer is shown the references that are left.

    Raises:
        Attested: as ``grade`` does.
        ScorerFailed: the caller's scorer raised, or returned what is no verdict.
        ValueError: as ``grade`` does.
        UsageError: as ``grade`` does.
    """
    events = events_of(receipt)
    if scorer is None or getattr(scorer, "declared", False) is True:
        return grade(
            task,
            events,
            completion_only=completion_only,
            graders=graders,
            elsewhere=elsewhere,
            removed=removed,
        )
    error = error_of(events)
    if error is not None:
        return errored(error)
    try:
        triple = scorer.score_task(task, receipt)
    except Exception as cause:
        raise ScorerFailed(f"the scorer raised {type(cause).__name__} on task {task.id!a}") from cause
    passed, score, harness_output = _checked(triple, task)
    return Verdict("passed" if passed else "wrong", passed, score, harness_output, error=None)


def events_of(receipt: Mapping[str, Any]) -> list[Any]:
    """The events of a run receipt, none where it has no list of them."""
    events = receipt.get("events")
    return events if isinstance(events, list) else []


def _checked(triple: object, task: Task) -> Triple:
    if not isinstance(triple, tuple) or len(triple) != 3:
        raise ScorerFailed(
            f"the scorer's answer on task {task.id!a} is no triple; return (passed, score, output)"
        )
    passed, score, harness_output = triple
    if type(passed) is not bool:
        raise ScorerFailed(f"passed on task {task.id!a} is of type {type(passed).__name__}; return a bool")
    if score is not None:
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
            raise ScorerFailed(f"the score on task {task.id!a} is not a number from 0 to 1, nor None")
        score = float(score)
    if type(harness_output) is not dict:
        raise ScorerFailed(f"the harness output on task {task.id!a} is no dict; return a JSON object")
    try:
        canonical(harness_output)
    except JsonError as error:
        raise ScorerFailed(f"the harness output on task {task.id!a} is not JSON: {error}") from error
    return passed, score, deepcopy(harness_output)
