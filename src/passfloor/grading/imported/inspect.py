"""One sample of an Inspect log: its summary or the whole of it."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from passfloor.grading.imported.scores import by_rule, numeral, settled, shown
from passfloor.grading.imported.verdicts import Reading, Unreadable, number, text, unit

NAME = "inspect"

# What Inspect's value_to_float makes of the words its scorers use. The letters are case-sensitive.
_LETTERS = {"C": Fraction(1), "P": Fraction(1, 2), "I": Fraction(0), "N": Fraction(0)}
_WORDS = {"yes": Fraction(1), "true": Fraction(1), "no": Fraction(0), "false": Fraction(0)}
_EXCEPTION = re.compile(r"([A-Za-z_][A-Za-z0-9_.]{0,80})\(")


def read(record: Any, rule: Mapping[str, Any]) -> Reading:
    """Read one sample of one epoch.

    A score wins over an error or a limit, which are kept beside it. ``P`` (partly right) does not pass. A
    sample that was invalidated, or not scored (no score, or NaN), is errored.

    Args:
        record: A summary (``error`` and ``limit`` are texts) or a sample (objects).
        rule: ``scorer``; ``part``, the member of a score that is an object; ``threshold``, ``pass_values``.

    Raises:
        Unreadable: it is no sample, or its score is no verdict under the rule.
    """
    if not isinstance(record, dict):
        raise Unreadable(f"a sample is a JSON object, here stands {shown(record)}; convert the log again")
    kind, message = _fault(record)
    if record.get("invalidation"):
        return Reading("errored", None, "invalidated", _reason(record["invalidation"]))
    value = score_value(record, rule)
    if value is None or value == "NaN":
        stopped = kind in ("CancelledError", "operator limit")
        return Reading("cancelled" if stopped else "errored", None, kind or "unscored", message)
    return _judged(value, rule, kind, message)


def score_value(record: Mapping[str, Any], rule: Mapping[str, Any]) -> Any:
    """The value that the chosen scorer gave; None where it gave none."""
    scores = record.get("scores")
    score = scores.get(rule.get("scorer")) if isinstance(scores, dict) else None
    value = score.get("value") if isinstance(score, dict) else None
    part = rule.get("part")
    if part is not None and isinstance(value, dict):
        return value.get(part)
    return value


def value_to_float(value: Any) -> Fraction | None:
    """What Inspect counts a value as; None for what it cannot convert (and then counts as 0)."""
    if isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, str):
        known = _LETTERS.get(value)
        return known if known is not None else _WORDS.get(value.lower(), numeral(value))
    return number(value)


def _judged(value: Any, rule: Mapping[str, Any], kind: str | None, message: str | None) -> Reading:
    if isinstance(value, dict | list):
        raise Unreadable(f"the score {shown(value)} holds several values; name one with --scorer SCORER.PART")
    score = value_to_float(value)
    passes = by_rule(value, score, rule)
    if passes is None:
        # A letter is a verdict of its own: half credit is an answer that is not right.
        passes = value == "C" if value in _LETTERS else settled(value, score, rule)
    return Reading("passed" if passes else "wrong", unit(score), kind, message)


def _fault(record: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The word and the message of the error, or else of the limit, that halted the sample."""
    error = record.get("error")
    message = text(error.get("message")) if isinstance(error, dict) else text(error)
    if message is not None:
        named = _EXCEPTION.match(message)
        return (named.group(1) if named else "error"), message
    if error:
        return "error", None
    limit = record.get("limit")
    kind = text(limit.get("type")) if isinstance(limit, dict) else text(limit)
    return (None, None) if kind is None else (f"{kind} limit", None)


def _reason(invalidation: Any) -> str | None:
    return text(invalidation.get("reason")) if isinstance(invalidation, dict) else None
