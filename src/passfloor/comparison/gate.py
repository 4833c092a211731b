"""Gates: exact thresholds over the rows of a receipt, decided with reasons.

Errored attempts count as not passing. Where that alone keeps a clause from holding, it is undecided: the
platform failed, and nothing says what the agent would have done. Making an attempt pass never shuts a gate.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from passfloor.comparison.evidence import TaskRow
from passfloor.comparison.thresholds import Threshold
from passfloor.errors import UsageError
from passfloor.stats import mean

_MOST_NAMED = 3


class Decision(StrEnum):
    """What becomes of a release. ``undecided`` is not passed."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Short:
    """A task that keeps a clause from holding: what it shows, and what it would, were errored passes."""

    task_id: str
    seen: Fraction
    at_best: Fraction


@dataclass(frozen=True)
class Clause:
    """One thing asked and what was seen.

    Attributes:
        name: That of the threshold, or ``whole_suite``, ``assertions`` or ``coordination``, which every gate
            asks.
        decision: What this clause alone would decide.
        asked: The number asked.
        seen: The number seen; of clauses about every task that of the worst task.
        at_best: The same, were all errored attempts passes.
        task_id: The task, for ``must_pass``.
        short: The tasks that keep it from holding, worst first.
    """

    name: str
    decision: Decision
    asked: Fraction
    seen: Fraction
    at_best: Fraction
    task_id: str | None = None
    short: tuple[Short, ...] = ()

    @property
    def margin(self) -> Fraction:
        """How far from the edge, 0 on it, negative where the clause does not hold."""
        return self.asked - self.seen if self.name == "max_errored" else self.seen - self.asked


@dataclass(frozen=True)
class GateResult:
    """The decision and its clauses, in the order asked.

    Attributes:
        completion_only: Whether an attempt passed where it finished, since no assertion was consulted.
    """

    decision: Decision
    clauses: tuple[Clause, ...]
    completion_only: bool = False


def decide(
    rows: Sequence[TaskRow],
    k: int,
    asked: Sequence[Threshold],
    *,
    suite_tasks: int | None = None,
    held: bool | None = None,
    completion_only: bool = False,
    completion_will_do: bool = False,
) -> GateResult:
    """Decide a gate over the attempts of a run.

    A clause that would not hold even were all errored attempts passes has failed, and with it the gate. Else
    a clause that does not hold leaves the gate undecided.

    Args:
        rows: One a task.
        k: Attempts drawn, 1 to the smallest n.
        asked: What is asked, at least one thing.
        suite_tasks: How many tasks the whole suite has, where a part of it does not do; None asks nothing.
        held: Whether coordination was held fixed; False fails the gate, since the figures then measure more
            than the agent. None: it was not recorded, and asks nothing.
        completion_only: Whether no assertion was consulted, so that nothing says whether an answer was right.
        completion_will_do: Whether that is enough; else such a gate is undecided.

    Raises:
        UsageError: nothing is asked, there are no tasks, or no task has the id of a ``must_pass``.
    """
    if not asked:
        raise UsageError("a gate that asks nothing decides nothing; give a threshold")
    if not rows:
        raise UsageError("a gate over no tasks is undefined; run at least one task")
    clauses = [_clause(threshold, rows, k) for threshold in asked]
    if suite_tasks is not None and suite_tasks != len(rows):
        made, whole = Fraction(len(rows)), Fraction(suite_tasks)
        clauses.append(Clause("whole_suite", Decision.UNDECIDED, whole, made, whole))
    if completion_only and not completion_will_do:
        clauses.append(Clause("assertions", Decision.UNDECIDED, Fraction(1), Fraction(0), Fraction(1)))
    if held is False:
        clauses.append(Clause("coordination", Decision.FAILED, Fraction(1), Fraction(0), Fraction(0)))
    decisions = {clause.decision for clause in clauses}
    order = (Decision.FAILED, Decision.UNDECIDED, Decision.PASSED)
    decision = next(each for each in order if each in decisions)
    return GateResult(decision, tuple(clauses), completion_only)


def check_known(asked: Sequence[Threshold], ids: Sequence[str]) -> None:
    """See that every task a ``must_pass`` names is there.

    Raises:
        UsageError: one is not; the message names what is near.
    """
    known = set(ids)
    for threshold in asked:
        if threshold.task_id is not None and threshold.task_id not in known:
            raise UsageError(
                f"--must-pass {threshold.task_id[:80]!a}: no such task was run; "
                f"{_near(threshold.task_id, ids)}"
            )


def _near(task_id: str, ids: Sequence[str]) -> str:
    if close := difflib.get_close_matches(task_id[:100], ids, n=_MOST_NAMED):
        return f"near: {', '.join(ascii(each) for each in close)}"
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return f"there are {', '.join(ascii(each) for each in ids[:_MOST_NAMED])}{more}"


def _clause(threshold: Threshold, rows: Sequence[TaskRow], k: int) -> Clause:
    match threshold.name:
        case "require":
            return _every(threshold, [_seen(row, row.ceiling(k), row.at_best().ceiling(k)) for row in rows])
        case "require_task_floor":
            return _every(threshold, [_seen(row, row.floor(k), row.at_best().floor(k)) for row in rows])
        case "must_pass":
            check_known([threshold], [row.task_id for row in rows])
            row = next(row for row in rows if row.task_id == threshold.task_id)
            best = row.at_best()
            return _every(threshold, [_seen(row, Fraction(row.passed, row.n), Fraction(best.passed, best.n))])
        case "require_floor":
            seen = mean(row.floor(k) for row in rows)
            at_best = mean(row.at_best().floor(k) for row in rows)
            return _made(threshold, seen, at_best)
        case "max_errored":
            errored = Fraction(sum(row.errored for row in rows))
            decision = Decision.PASSED if errored <= threshold.value else Decision.UNDECIDED
            return Clause(threshold.name, decision, threshold.value, errored, Fraction(0))


def _seen(row: TaskRow, seen: Fraction, at_best: Fraction) -> Short:
    return Short(row.task_id, seen, at_best)


def _every(threshold: Threshold, found: Sequence[Short]) -> Clause:
    """A clause about each of some tasks: the worst one decides."""
    seen, at_best = min(each.seen for each in found), min(each.at_best for each in found)
    short = sorted(
        (each for each in found if each.seen < threshold.value), key=lambda each: (each.seen, each.at_best)
    )
    return _made(threshold, seen, at_best, tuple(short))


def _made(threshold: Threshold, seen: Fraction, at_best: Fraction, short: tuple[Short, ...] = ()) -> Clause:
    asked = threshold.value
    if seen >= asked:
        decision = Decision.PASSED
    else:
        decision = Decision.UNDECIDED if at_best >= asked else Decision.FAILED
    return Clause(threshold.name, decision, asked, seen, at_best, threshold.task_id, short)
