"""A plain row read as a verdict: a word or a boolean, a score and a threshold, or values that pass."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from passfloor.grading.imported.scores import spelled
from passfloor.grading.imported.verdicts import Reading, Said, Unreadable, decimal, number, unit

NAME = "rows"

WORDS: Mapping[str, Said] = {
    **dict.fromkeys(
        ("passed", "pass", "success", "succeeded", "ok", "true", "correct", "resolved"), "passed"
    ),
    **dict.fromkeys(("wrong", "failed", "fail", "failure", "false", "incorrect", "unresolved"), "wrong"),
    **dict.fromkeys(("errored", "error", "exception", "crash", "crashed", "timeout", "timed_out"), "errored"),
    **dict.fromkeys(("missing",), "errored"),
    **dict.fromkeys(("cancelled", "canceled", "aborted", "skipped"), "cancelled"),
}
"""What an outcome may be called; case and blanks around it do not count."""

_LONGEST = 300


def read(record: Any, rule: Mapping[str, Any]) -> Reading:
    """Read one row.

    Args:
        record: A JSON object; of a table the cells by column, as text.
        rule: ``outcome``, ``score``, ``error``: paths of members, absent where there is none. ``threshold``:
            decimal text; a score of at least so much passes. ``pass_values``: texts; an outcome (or score,
            where there is no outcome) that is one of them passes. With neither the outcome is one of
            ``WORDS``, a boolean, 1 or 0, and a score alone 1 or 0.

    Raises:
        Unreadable: there is no verdict in it under this rule.
    """
    if not isinstance(record, dict):
        raise Unreadable("a row is an object of members; this is none")
    outcome, score = at(record, rule.get("outcome")), at(record, rule.get("score"))
    kind, text = _error(at(record, rule.get("error")))
    exact = scored(score)
    if "threshold" in rule and "pass_values" not in rule:
        path, value = rule.get("score"), score
        said = _reached(outcome, score, rule["threshold"])
    else:
        path, value = (rule["outcome"], outcome) if rule.get("outcome") else (rule.get("score"), score)
        said = _chosen(value, rule["pass_values"]) if "pass_values" in rule else _said(value)
    if said is None:
        return Reading("errored", None, kind or f"no verdict: {path} is {_shown(value)}", text)
    if said in {"errored", "cancelled"} and kind is None:
        kind = str(outcome).strip() if outcome is not None else said
    return Reading(said, unit(exact), kind, text)


def at(record: Any, path: str | None) -> Any:
    """The member that a path names: its own name first, else ``a.b`` for a member of a member; else None."""
    if not path or not isinstance(record, dict):
        return None
    if path in record:
        return record[path]
    value: Any = record
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def scored(value: Any) -> Fraction | None:
    """A score, also one that stands as text in a table; None where it is no finite number."""
    if isinstance(value, bool):
        return Fraction(value)
    exact = number(value)
    return exact if exact is not None else decimal(value.strip()) if isinstance(value, str) else None


def word(value: Any) -> str:
    """A value as it is written in a flag: a text itself, ``true``, ``false``, ``null``, a number's digits."""
    if isinstance(value, list | dict):
        return "an array" if isinstance(value, list) else "an object"
    return spelled(value).strip()


def _said(value: Any) -> Said | None:
    """The verdict in a value; None where the value is empty."""
    if isinstance(value, bool):
        return "passed" if value else "wrong"
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    known = WORDS.get(value.strip().casefold()) if isinstance(value, str) else None
    if known is not None:
        return known
    exact = scored(value)
    if exact in {0, 1}:
        return "passed" if exact else "wrong"
    if isinstance(value, str) and value.strip().casefold() in {"nan", "infinity", "-infinity"}:
        raise Unreadable(f"{_shown(value)} is no verdict; say which scores pass with --threshold X")
    if exact is not None:
        raise Unreadable(
            f"{_shown(value)} is a score and no verdict: say which scores pass with --threshold X"
        )
    raise Unreadable(
        f"{_shown(value)} is no verdict known here: say which values pass with --pass-values A,B, or name "
        "another member with --outcome-column"
    )


def _chosen(value: Any, passing: Any) -> Said | None:
    text = word(value)
    if text in passing:
        return "passed"
    if value is None or not text:
        return None
    known = WORDS.get(text.casefold())
    return known if known in {"errored", "cancelled"} else "wrong"


def _reached(outcome: Any, score: Any, threshold: Any) -> Said | None:
    known = WORDS.get(outcome.strip().casefold()) if isinstance(outcome, str) else None
    if known in {"errored", "cancelled"}:
        return known
    exact, least = scored(score), decimal(threshold)
    if least is None:
        raise Unreadable(f"the threshold {_shown(threshold)} is no decimal number; import the log again")
    if exact is not None:
        return "passed" if exact >= least else "wrong"
    if score is None or (isinstance(score, str) and score.strip().casefold() in {"", "nan", "null", "none"}):
        return None
    raise Unreadable(f"{_shown(score)} is no number to hold against --threshold; name the score's member")


def _error(value: Any) -> tuple[str | None, str | None]:
    """The type and the message of what an error member holds."""
    if isinstance(value, dict):
        if not value:
            return None, None
        kind = next((value[name] for name in ("type", "error_type", "name", "code") if value.get(name)), None)
        text = next((value[name] for name in ("message", "error", "detail", "text") if value.get(name)), None)
        return _cut(kind) or "error", _cut(text)
    if value is None or value is False or (isinstance(value, list) and not value):
        return None, None
    if isinstance(value, str):
        return _cut(value), None
    return "error", None if value is True else _cut(word(value))


def _cut(value: Any) -> str | None:
    return None if value is None else str(value).strip()[:_LONGEST] or None


def _shown(value: Any) -> str:
    words = word(value)
    return ascii(words[:60]) if isinstance(value, str) else words[:60]
