"""A promptfoo result row read as a verdict: ``failureReason`` tells a failed assertion from an error."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from passfloor.grading.imported.scores import by_rule, settled
from passfloor.grading.imported.verdicts import Reading, Unreadable, number, text, unit

NAME = "promptfoo"

_NONE, _ASSERT, _ERROR = 0, 1, 2


def read(record: Any, rule: Mapping[str, Any]) -> Reading:
    """Read one row.

    Args:
        record: The row.
        rule: ``scorer``: one of the row's named scores, judged in place of ``success``; ``threshold``: as
            decimal text, the score from which on the row passed. A named score without it must be 0 or 1.

    Raises:
        Unreadable: no row; ``success`` and ``failureReason`` contradict each other; a score is no verdict.
    """
    if not isinstance(record, dict) or not isinstance(record.get("success"), bool):
        raise Unreadable("no promptfoo row: a JSON object whose success is true or false was expected")
    reason = _reason(record)
    message = text(record.get("error"))
    if reason == _ERROR:
        return Reading("errored", None, "provider_error", message)
    score = _score(record, rule.get("scorer"))
    passed = _passed(record, score, rule)
    return Reading("passed" if passed else "wrong", unit(score), None, None if passed else message)


def _reason(record: Mapping[str, Any]) -> int:
    reason, success = record.get("failureReason"), record["success"]
    if reason is None:  # rows from before failureReason: an error of the provider stands in the response
        response = record.get("response")
        failed = isinstance(response, dict) and response.get("error")
        return _NONE if success else _ERROR if failed else _ASSERT
    if isinstance(reason, bool) or reason not in (_NONE, _ASSERT, _ERROR):
        raise Unreadable(f"failureReason {str(reason)[:40]!a} is none of 0, 1, 2; export the eval again")
    if success != (reason == _NONE):
        raise Unreadable(
            f"success is {str(success).lower()} but failureReason is {reason}; export the eval again"
        )
    return int(reason)


def _score(record: Mapping[str, Any], scorer: object) -> Fraction | None:
    if not isinstance(scorer, str):
        return number(record.get("score"))
    named = record.get("namedScores")
    if not isinstance(named, dict) or scorer not in named:
        names = (
            ", ".join(ascii(name[:40]) for name in sorted(named)[:8])
            if isinstance(named, dict) and named
            else "none"
        )
        raise Unreadable(f"no named score {scorer[:40]!a} here (there: {names}); name one with --scorer")
    return number(named[scorer])


def _passed(record: Mapping[str, Any], score: Fraction | None, rule: Mapping[str, Any]) -> bool:
    scorer = rule.get("scorer")
    if isinstance(scorer, str):
        return settled(record["namedScores"][scorer], score, rule)
    passed = by_rule(record.get("score"), score, rule)
    return bool(record["success"]) if passed is None else passed
