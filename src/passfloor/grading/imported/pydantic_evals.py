"""One case, or one failure, of a pydantic-evals report."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from passfloor.grading.imported.scores import settled, shown
from passfloor.grading.imported.verdicts import Reading, Unreadable, number, text, unit

NAME = "pydantic-evals"


def read(record: Any, rule: Mapping[str, Any]) -> Reading:
    """Read one case.

    A failure (it has an ``error_message``) is errored. Without a scorer every assertion has to hold, and an
    evaluator that failed leaves the case undecided, unless an assertion was false already: errored. With a
    scorer that one assertion, score or label is judged.

    Args:
        record: A member of ``cases`` or of ``failures``.
        rule: ``scorer``: one evaluator, absent for all assertions; ``threshold``, ``pass_values``.

    Raises:
        Unreadable: it is no case, or has no assertion, or its score is no verdict under the rule.
    """
    if not isinstance(record, dict):
        raise Unreadable(f"a case is a JSON object, here stands {shown(record)}")
    if "error_message" in record:
        message = text(record["error_message"])
        kind, colon, _ = (message or "").partition(":")
        return Reading("errored", None, kind[:80] if colon and kind.isidentifier() else "error", message)
    scorer = rule.get("scorer")
    return _whole(record) if scorer is None else _one(record, scorer, rule)


def _whole(record: Mapping[str, Any]) -> Reading:
    assertions = record.get("assertions")
    values = [_value(each) for each in assertions.values()] if isinstance(assertions, dict) else []
    broken = _broken(record)
    if not all(isinstance(value, bool) for value in values):
        raise Unreadable("an assertion is neither true nor false; name one evaluator with --scorer")
    if False in values:
        return Reading("wrong", Fraction(values.count(True), len(values)), *broken)
    if broken[0] is not None:
        return Reading("errored", None, *broken)
    if not values:
        raise Unreadable("the case has no assertion, so no verdict; say --scorer NAME (and --threshold X)")
    return Reading("passed", Fraction(1))


def _one(record: Mapping[str, Any], scorer: str, rule: Mapping[str, Any]) -> Reading:
    for member in ("assertions", "scores", "labels"):
        results = record.get(member)
        if isinstance(results, dict) and scorer in results:
            value = _value(results[scorer])
            if isinstance(value, bool):
                return Reading("passed" if value else "wrong")
            score = number(value)
            return Reading("passed" if settled(value, score, rule) else "wrong", unit(score))
    kind, message = _broken(record)
    return Reading("errored", None, kind or "unscored", message)


def _value(result: Any) -> Any:
    return result.get("value") if isinstance(result, dict) else result


def _broken(record: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The word and message of the first evaluator that failed."""
    failures = record.get("evaluator_failures")
    if not failures:
        return None, None
    first = failures[0] if isinstance(failures, list) else None
    message = text(first.get("error_message")) if isinstance(first, dict) else None
    return "evaluator failure", message
