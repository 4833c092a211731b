"""The output as one number."""

import re
from decimal import Decimal
from fractions import Fraction
from math import ceil, isfinite

from passfloor.grading.evidence import Evidence
from passfloor.grading.kinds.text import whole_output
from passfloor.grading.unjudged import CannotJudge
from passfloor.models.assertions import NumberClose

_JSON_SPACE = " \t\r\n"
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)
# RFC 8259 section 6. No part can match another's characters, so matching is linear.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_NOT_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})


def number_close(assertion: NumberClose, evidence: Evidence) -> bool:
    """Whether the whole trimmed output is a JSON number within the tolerance of ``value``.

    It holds for x where |x - value| <= max(abs_tol, rel_tol * |value|).

    An integer is taken exactly whatever its length, any other number as the IEEE double nearest to it, as
    every JSON reader does; what follows is exact.

    Raises:
        CannotJudge: the output is NaN, an infinity or past the range of doubles, or was cut short.
    """
    text = whole_output(evidence).strip(_JSON_SPACE)
    if text in _NOT_FINITE:
        raise CannotJudge("the output is not a finite number")
    if _NUMBER.fullmatch(text) is None:
        return False
    value = Fraction(assertion.value)
    tolerance = max(Fraction(assertion.abs_tol), Fraction(assertion.rel_tol) * abs(value))
    number = _exactly(text, bound=abs(value) + tolerance)
    return number is not None and abs(number - value) <= tolerance


def _exactly(text: str, *, bound: Fraction) -> Fraction | None:
    """The number, or None for an integer that is so long that its size is certainly past ``bound``."""
    if _INTEGER.fullmatch(text) is None:
        number = float(text)
        if not isfinite(number):
            raise CannotJudge("the output is not a finite number")
        return Fraction(number)
    digits = len(text.removeprefix("-"))
    # 10^(digits-1) > 2^(3(digits-1)): so a megabyte of digits is never converted.
    if 3 * (digits - 1) > ceil(bound).bit_length():
        return None
    # int() obeys a digit limit that the environment sets; Decimal does not.
    return Fraction(Decimal(text))
