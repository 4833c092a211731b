"""The output as one JSON value.

Equality is equality of RFC 8785 bytes: 1 and 1.0 are the same, 1 and true are not.
"""

import re
from typing import Any

from passfloor.canonical import equal, parse
from passfloor.errors import JsonError
from passfloor.grading.evidence import Evidence
from passfloor.grading.kinds.text import whole_output
from passfloor.grading.unjudged import CannotJudge
from passfloor.models.assertions import JsonEquals, JsonPath

_INDEX = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*", re.DOTALL)


class NotThereError(Exception):
    """The output is not JSON, or the pointer leads nowhere: the assertion does not hold."""


def output_json(evidence: Evidence) -> Any:
    """The output's JSON value.

    Raises:
        NotThereError: it is not one strict JSON value (RFC 7493).
        CannotJudge: it would be one but for NaN or an infinity, or it was cut short.
    """
    try:
        return parse(whole_output(evidence).encode()).value
    except UnicodeEncodeError as error:
        raise NotThereError from error
    except JsonError as error:
        if error.code == "nonfinite":
            raise CannotJudge("the output holds NaN or an infinity") from error
        raise NotThereError from error


def json_equals(assertion: JsonEquals, evidence: Evidence) -> bool:
    """Whether the output is a JSON value equal to the expected one."""
    try:
        return _same(output_json(evidence), assertion.expected)
    except NotThereError:
        return False


def json_path(assertion: JsonPath, evidence: Evidence) -> bool:
    """Whether the value at the pointer equals the expected one; one that is missing does not.

    Raises:
        CannotJudge: the pointer breaks RFC 6901, besides what ``output_json`` raises.
    """
    tokens = pointer_tokens(assertion.pointer)
    try:
        value = output_json(evidence)
        for token in tokens:
            value = _step(value, token)
    except NotThereError:
        return False
    return _same(value, assertion.expected)


def pointer_tokens(pointer: str) -> list[str]:
    """The unescaped reference tokens of an RFC 6901 pointer.

    Raises:
        CannotJudge: it is not a pointer.
    """
    if _POINTER.fullmatch(pointer) is None:
        raise CannotJudge("the pointer is not RFC 6901: it starts with / and writes ~ as ~0, / as ~1")
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def _step(value: Any, token: str) -> Any:
    if isinstance(value, dict) and token in value:
        return value[token]
    if isinstance(value, list) and _INDEX.fullmatch(token) and int(token) < len(value):
        return value[int(token)]
    raise NotThereError


def _same(actual: Any, expected: Any) -> bool:
    try:
        return equal(actual, expected)
    except JsonError as error:
        raise CannotJudge("the expected value has no canonical form") from error
