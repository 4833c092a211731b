"""The verdict on one attempt, re-derived from its events alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from passfloor.grading.evidence import Evidence, evidence_of, kind_of
from passfloor.grading.registry import CURRENT, evaluate
from passfloor.grading.unjudged import Attested, CannotJudge, DidNotFinish
from passfloor.grading.withheld import check_held
from passfloor.models.assertions import Assertion
from passfloor.models.receipt import ErrorType, Outcome
from passfloor.models.suite import Task

Elsewhere = Callable[[int, Assertion, Evidence], bool]
"""Evaluates an assertion for which a pure grader raised ``Attested``: its position in the task, itself and
the evidence in; whether it holds out. Raises ``CannotJudge``, or ``Attested`` again."""

RunGrader = Callable[[Task, int, int, Evidence], bool]
"""Runs a grader with code: the task, the attempt's index, the assertion's position and the evidence in;
whether the assertion holds out. Raises ``CannotJudge`` where the grader gives no answer to rely on."""

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
    elsewhere: Elsewhere | None = None,
    removed: frozenset[str] = frozenset(),
) -> Verdict:
    """Judge an attempt by its task's assertions.

    Args:
        task: what was asked.
        events: the run receipt's events, blobs expanded.
        completion_only: the assertions are not consulted, ``exit_code`` included: what did not err, passed.
        graders: kind -> version; the current version where a kind is not named.
        elsewhere: evaluates what no pure grader can: runs code, or takes somebody's word. None: nobody does.
        removed: digests of blobs that were taken out of the receipt, so that no grader can look at them.

    Raises:
        Attested: an assertion cannot be evaluated here, and nobody else does.
        ValueError: the task has no assertions and ``completion_only`` is off.
        UsageError: ``graders`` names a version that is not in the registry.
    """
    assertions = [] if completion_only else task.assertions
    if not assertions and not completion_only:
        raise ValueError(f"task {task.id!a} has no assertions and the run is not completion-only")
    error = error_of(events)
    if error is not None:
        return errored(error)
    evidence = evidence_of(task, events, removed)
    if evidence.exit_code and all(assertion.kind != "exit_code" for assertion in assertions):
        return errored({"type": "exit", "detail": f"exit status {evidence.exit_code}"})
    if completion_only:
        return Verdict("passed", passed=True, score=1.0, harness_output={"assertions": []}, error=None)
    return _consult(task, evidence, graders or {}, elsewhere)


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


def grader_error(index: int) -> dict[str, str]:
    """The error of an attempt whose assertion at this position could not be judged.

    No reason is told: every release must re-derive this very text.
    """
    return {"type": "grader", "detail": f"assertions[{index}]"}


def _consult(
    task: Task, evidence: Evidence, graders: Mapping[str, str], elsewhere: Elsewhere | None
) -> Verdict:
    results = []
    for index, assertion in enumerate(task.assertions):
        version = graders.get(assertion.kind, CURRENT)
        try:
            held = _evaluated(index, assertion, evidence, version, elsewhere)
        except CannotJudge:
            return errored(grader_error(index))
        except DidNotFinish as stopped:
            return errored(stopped.error)
        results.append({"kind": assertion.kind, "passed": held})
    holding = sum(result["passed"] is True for result in results)
    passed = holding == len(results)
    return Verdict(
        "passed" if passed else "wrong",
        passed=passed,
        # int / int is correctly rounded: the double nearest to the fraction.
        score=holding / len(results),
        harness_output={"assertions": results},
        error=None,
    )


def _evaluated(
    index: int, assertion: Assertion, evidence: Evidence, version: str, elsewhere: Elsewhere | None
) -> bool:
    try:
        check_held(assertion, evidence)
        return evaluate(assertion, evidence, version)
    except Attested:
        if elsewhere is None:
            raise
    return elsewhere(index, assertion, evidence)
