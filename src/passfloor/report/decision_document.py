"""Machine output of decisions: the stable objects that ``bench gate`` and ``bench compare`` print."""

from fractions import Fraction
from typing import Any

from passfloor.aggregate import nearest
from passfloor.comparison.compare import Comparison, Difference, Pair
from passfloor.comparison.evidence import Evidence
from passfloor.comparison.gate import Clause, GateResult
from passfloor.report.rates import rate
from passfloor.verification.result import Verification

REFUSED = "refused"
"""The decision where a receipt was rejected, so that there is nothing to decide from."""


def gate(result: GateResult) -> dict[str, Any]:
    """The decision and its reasons; numbers are rates."""
    return {
        "decision": str(result.decision),
        "completion_only": result.completion_only,
        "reasons": [_clause(clause) for clause in result.clauses],
    }


def gate_on_receipt(evidence: Evidence, result: GateResult | None) -> dict[str, Any]:
    """The same with the figures behind it; ``result`` None where the receipt was rejected."""
    nothing = {**refused(evidence.verification), "completion_only": None}
    decided = nothing if result is None else gate(result)
    return {**decided, **_figures(evidence.verification)}


def comparison(base: Evidence, new: Evidence, result: Comparison) -> dict[str, Any]:
    """What two receipts say about each other; exact numbers are rates."""
    detectable = result.detectable
    return {
        "decision": str(result.decision),
        "reasons": [
            {
                "clause": check.name,
                "decision": str(check.decision),
                "asked": rate(check.asked),
                "seen": rate(check.seen) if isinstance(check.seen, Fraction) else check.seen,
            }
            for check in result.checks
        ],
        "verdict": str(result.verdict),
        "comparable": not result.changed,
        "changed": [
            {"kind": change.kind, "what": change.what, "base": change.base, "new": change.new}
            for change in result.changed
        ],
        "k": result.k,
        "tasks": result.tasks,
        "left_out": {"base": result.left_out[0], "new": result.left_out[1]},
        "pass_caret_k": _difference(result.floor),
        "pass_at_1": _difference(result.ceiling),
        "test": result.test,
        "detectable": detectable.change,
        "moved": [_moved(pair) for pair in result.moved],
        "errored": {"base": result.errored[0], "new": result.errored[1]},
        "base": _side(base.verification),
        "new": _side(new.verification),
    }


def _side(outcome: Verification) -> dict[str, Any]:
    completion_only = None if outcome.head is None else outcome.head.completion_only
    return {**_figures(outcome), "completion_only": completion_only}


def _difference(figure: Difference) -> dict[str, Any]:
    return {
        "base": rate(figure.base),
        "new": rate(figure.new),
        "change": rate(figure.change),
        "interval": {
            "level": 0.95,
            "low": nearest(figure.interval.low),
            "high": nearest(figure.interval.high),
            "method": figure.interval.method,
            "error": figure.interval.error,
        },
        "p": float(figure.p),
    }


def _moved(pair: Pair) -> dict[str, Any]:
    was, now = pair
    return {
        "task_id": was.task_id,
        "base": {"pile": was.pile, "passed": was.passed, "n": was.n},
        "new": {"pile": now.pile, "passed": now.passed, "n": now.n},
    }


def refused(*outcomes: Verification) -> dict[str, Any]:
    """The decision that none is made: a receipt was rejected, for the reasons given."""
    reasons = [
        {
            "clause": "receipt",
            "decision": REFUSED,
            "status": str(outcome.status),
            "codes": sorted({finding.code for finding in outcome.findings}),
        }
        for outcome in outcomes
        if not outcome.matches
    ]
    return {"decision": REFUSED, "reasons": reasons}


def _clause(clause: Clause) -> dict[str, Any]:
    return {
        "clause": clause.name,
        "task_id": clause.task_id,
        "decision": str(clause.decision),
        "asked": rate(clause.asked),
        "seen": rate(clause.seen),
        "at_best": rate(clause.at_best),
        "margin": rate(clause.margin),
        "short": [
            {"task_id": each.task_id, "seen": rate(each.seen), "at_best": rate(each.at_best)}
            for each in clause.short
        ],
    }


def _figures(outcome: Verification) -> dict[str, Any]:
    head, numbers = outcome.head, outcome.numbers
    return {
        "status": str(outcome.status),
        "assurance": str(outcome.assurance),
        "receipt_hash": outcome.receipt_hash,
        "suite_version": None if head is None else head.suite_version,
        "suite_hash": None if head is None else head.suite_hash,
        "k": None if head is None else head.k,
        "n": None if head is None else head.n,
        "pass_caret_k": None if numbers is None else nearest(numbers.pass_hat_k),
        "pass_at_1": None if numbers is None else nearest(numbers.pass_at_k),
        "success_rate": None if numbers is None else nearest(numbers.success_rate),
        "counts": None if numbers is None else numbers.counts.model_dump(),
    }
