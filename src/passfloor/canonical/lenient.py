"""JSON as other tools write it: read, never hashed.

Python's own writer puts out ``NaN``; others repeat a name or count past 2^53. What is read here is judged by
``passfloor.grading.imported`` and goes no further: what is sealed is the text itself.
"""

import json
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from passfloor.canonical.reading import deeper, size_up
from passfloor.canonical.refusal import quoted
from passfloor.errors import JsonError

MAX_DEPTH = 200
"""Most containers inside one another."""

MAX_NODES = 4_000_000
"""Most values in one text."""

_LONGEST_INTEGER = 1000
_LONGEST_NUMBER = 400


def parse(data: str | bytes, *, max_nodes: int = MAX_NODES, max_depth: int = MAX_DEPTH) -> Any:
    """Read one JSON text.

    Args:
        data: Text, or UTF-8 without byte order mark.
        max_nodes: Most values, counted by commas and opening brackets.
        max_depth: Most containers allowed inside one another.

    Returns:
        dict (of a name that occurs twice the last value), list, str (which may hold half a surrogate pair),
        bool, None, int (exact, of up to 1,000 digits) or Fraction: a number with a point or an exponent, by
        its decimal digits, so that 0.65 is 13/20. Bare ``NaN``, ``Infinity`` and ``-Infinity`` are those
        texts; a number too large for a double is ``"Infinity"`` or ``"-Infinity"``, one too small is 0.

    Raises:
        JsonError: it is not JSON (``parse``), or a limit was passed (``nodes``, ``depth``) before anything
            was built.
    """
    raw, words = _both(data)
    shape = size_up(raw)
    if shape.nodes > max_nodes:
        raise JsonError(f"{shape.nodes} JSON values, the limit is {max_nodes}; split the file", code="nodes")
    if deeper(shape.outline, max_depth):
        raise JsonError(f"JSON nested deeper than {max_depth} levels", code="depth")
    try:
        return _DECODER.decode(words)
    except json.JSONDecodeError as error:
        raise JsonError(f"not JSON: {error.msg} (line {error.lineno} column {error.colno})") from None
    except RecursionError:
        raise JsonError("JSON nested too deep for this interpreter", code="depth") from None


def _both(data: str | bytes) -> tuple[bytes, str]:
    try:
        return (data, data.decode()) if isinstance(data, bytes) else (data.encode(), data)
    except UnicodeDecodeError as error:
        fault = f"byte {error.object[error.start]:#04x} at offset {error.start}"
        raise JsonError(f"not UTF-8: {fault}; save it as UTF-8") from None
    except UnicodeEncodeError:
        raise JsonError("half a surrogate pair stands in it; escape it") from None


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise JsonError(f"the integer {quoted(digits)} has more than {_LONGEST_INTEGER} digits")
    return int(digits)


def _fraction(digits: str) -> Fraction | str:
    if len(digits) > _LONGEST_NUMBER:
        raise JsonError(f"the number {quoted(digits)} has more than {_LONGEST_NUMBER} characters")
    nearest = float(digits)
    if math.isinf(nearest):
        return "-Infinity" if digits.startswith("-") else "Infinity"
    return Fraction(*Decimal(digits).as_integer_ratio()) if nearest else Fraction(0)


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_fraction, parse_constant=str)
