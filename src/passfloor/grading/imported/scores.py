"""A score made a verdict: by a rule that somebody gave, never by a guess."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from passfloor.canonical.refusal import quoted
from passfloor.grading.imported.verdicts import Unreadable, decimal, number

_NUMERAL = re.compile(r"[+-]?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)


def by_rule(value: Any, score: Fraction | None, rule: Mapping[str, Any]) -> bool | None:
    """Judge a score by the members ``pass_values`` and ``threshold`` of a rule.

    Args:
        value: The score as the record holds it.
        score: The same as a number, None where it has none.
        rule: ``pass_values`` (texts, one of which passes) is asked first, then ``threshold`` (decimal text:
            a score at or above it passes).

    Returns:
        Whether it passes; None where the rule names neither.

    Raises:
        Unreadable: the rule has a threshold and the score is no finite number.
    """
    accepted = rule.get("pass_values")
    if accepted:
        return spelled(value) in accepted
    threshold = decimal(rule.get("threshold"))
    if threshold is None:
        return None
    if score is None:
        raise Unreadable(f"the score {shown(value)} is no number; judge it with --pass-values")
    return score >= threshold


def settled(value: Any, score: Fraction | None, rule: Mapping[str, Any]) -> bool:
    """Judge a score by the rule or, where it has none, by the score's being exactly 0 or 1.

    Raises:
        Unreadable: anything else, with the flag that would settle it.
    """
    passes = by_rule(value, score, rule)
    if passes is not None:
        return passes
    if score not in (0, 1):
        flag = "--pass-values A,B" if score is None else "--threshold X"
        raise Unreadable(f"the score {shown(value)} is no verdict; say what passes with {flag}")
    return score == 1


def spelled(value: Any) -> str:
    """The text that ``pass_values`` is compared with: a text as it is, others as JSON writes them."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    exact = number(value)
    if exact is None:
        return ""
    if exact.denominator == 1:
        return str(exact.numerator)
    try:
        return f"{float(exact):.12g}"
    except OverflowError:
        return str(exact)


def numeral(text: str) -> Fraction | None:
    """The number that a text of digits writes out, exactly; None for any other text."""
    return Fraction(text) if _NUMERAL.fullmatch(text) else None


def shown(value: Any) -> str:
    """A value for a message: short, and on one line."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict | list):
        return "that is an object" if isinstance(value, dict) else "that is a list"
    return spelled(value)
