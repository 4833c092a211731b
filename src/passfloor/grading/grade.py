"""The verdict on one attempt, re-derived from its events alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from passfloor.grading.evidence import Evidence, evidence_of, kind_of
from passfloor.grading.registry import CURRENT, evaluate
from passfloor.grading.unjudged import CannotJudge
from passfloor.models.receipt import ErrorType, Outcome
from passfloor.models.suite import Task

_ERROR_TYPES = frozenset(get_args(ErrorType))


@dataclass(frozen=True)
class Verdict:
    """What an attempt came to.

    Attributes:
        outcome: ``passed``, ``wrong`` or ``errored``.
        passed: whether the outcome is ``passed``.
        score: assertions that held over assertions, 0.0 to 1.0, the nearest double; None when errored.
        harness_output: ``{"assertions": [{"kind", "passed"}]}`` in the task's order; ``{}`` when errored.
        error: ``{"type", "detail"}`` when errored, else None.
    """

    outcome: Outcome
    passed: bool
    score: float | None
    harness_output: dict[str, Any]
    error: dict[str, str] | None


def grade(
    task: Task,
    events: Sequence[Mapping[str, Any]],
    *,
    completion_only: bool = False,
    graders: Mapping[str, str] | None = None,
) -> Verdict:
    """Judge an attempt by its task's assertions.

    Args:
        task: what was asked.
        events: the run receipt's events, blobs expanded.
        completion_only: the assertions are not consulted, ``exit_code`` included: what did not err, passed.
        graders: kind -> version; the current version where a kind is not named.

    Raises:
        ValueError: the task has no assertions and ``completion_only`` is off.
        UsageError: ``graders`` names a version that is not in the registry.
    """
    assertions = [] if completion_only else task.assertions
    if not assertions and not completion_only:
        raise ValueError(f"task {task.id!a} has no assertions and the run is not completion-only")
    error = error_of(events)
    if error is not None:
        return errored(error)
    evidence = evidence_of(task, events)
    if evidence.exit_code and all(assertion.kind != "exit_code" for assertion in assertions):
        return errored({"type": "exit", "detail": f"exit status {evidence.exit_code}"})
    if completion_only:
        return Verdict("passed", passed=True, score=1.0, harness_output={"assertions": []}, error=None)
    return _consult(task, evidence, graders or {})


def errored(error: dict[str, str]) -> Verdict:
    """The verdict on an attempt that did not finish or could not be judged."""
    return Verdict("errored", passed=False, score=None, harness_output={}, error=error)


def error_of(events: Sequence[Mapping[str, Any]]) -> dict[str, str] | None:
    """The error of an attempt that did not finish, None where the last event is not ``attempt.errored``."""
    if not events or kind_of(events[-1]) != "attempt.errored":
        return None
    error = events[-1].get("error")
    if isinstance(error, Mapping) and set(error) == {"type", "detail"}:
        kind, detail = error["type"], error["detail"]
        if isinstance(kind, str) and kind in _ERROR_TYPES and isinstance(detail, str):
            return {"type": kind, "detail": detail}
    return {"type": "exit", "detail": ""}


def _consult(task: Task, evidence: Evidence, graders: Mapping[str, str]) -> Verdict:
    results = []
    for index, assertion in enumerate(task.assertions):
        version = graders.get(assertion.kind, CURRENT)
        try:
            results.append({"kind": assertion.kind, "passed": evaluate(assertion, evidence, version)})
        except CannotJudge:
            # No reason is told: every release must re-derive this very text.
            return errored({"type": "grader", "detail": f"assertions[{index}]"})
    held = sum(result["passed"] is True for result in results)
    passed = held == len(results)
    return Verdict(
        "passed" if passed else "wrong",
        passed=passed,
        # int / int is correctly rounded: the double nearest to the fraction.
        score=held / len(results),
        harness_output={"assertions": results},
        error=None,
    )
