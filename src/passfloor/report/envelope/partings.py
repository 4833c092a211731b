"""Where the attempts of a task part: in their events, and in what they answered."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from passfloor.canonical import canonical
from passfloor.projection import SAMPLE, TIMING, first_difference
from passfloor.report.envelope.answers import Text
from passfloor.report.envelope.records import Contrast, Parting

_LEAD = 24
_LINE_CAP = 120
_ELLIPSIS = "..."

Events = Sequence[Mapping[str, Any]]


def parting(attempts: Sequence[Events], forms: Sequence[Sequence[bytes]]) -> Parting | None:
    """The first step at which an attempt is not as the first one was; None where all are alike.

    Args:
        attempts: The events of each attempt.
        forms: Their RFC 8785 forms.
    """
    found: tuple[int, int] | None = None
    for right in range(1, len(attempts)):
        end = None if found is None else found[0]
        step = _first_step(attempts[0][:end], forms[0][:end], attempts[right][:end], forms[right][:end])
        if step is not None:
            found = step, right
    if found is None:
        return None
    step, right = found
    here, there = (attempts[i][step] if step < len(attempts[i]) else None for i in (0, right))
    path, detail = _difference(here, there, right)
    kind = (here or there or {}).get("kind")
    return Parting(step, 0, right, str(kind), f"{path} {detail}".strip())


def contrast(
    left: int, left_texts: Mapping[str, Text], right: int, right_texts: Mapping[str, Text]
) -> Contrast | None:
    """The first line in which two answers differ; None where they are the same.

    Args:
        left: The index of the attempt that passed.
        left_texts: What its assertions read, by name.
        right: The index of the other.
        right_texts: What its assertions read.
    """
    for place in dict.fromkeys([*left_texts, *right_texts]):
        one, other = left_texts.get(place), right_texts.get(place)
        if one != other:
            return _apart(left, one, right, other, place)
    return None


def _apart(left: int, one: Text, right: int, other: Text, place: str) -> Contrast:
    lines = [text.split("\n") if text is not None else [] for text in (one, other)]
    pairs = enumerate(zip_longest(*lines), 1)
    number, (a, b) = next((at, pair) for at, pair in pairs if pair[0] != pair[1])
    shared = 0
    if a is not None and b is not None:
        both = enumerate(zip(a, b, strict=False))
        shared = next((at for at, (x, y) in both if x != y), min(len(a), len(b)))
    start = max(0, shared - _LEAD)
    before = _ELLIPSIS if start else ""
    one_line, other_line = (None if line is None else before + _from(line, start) for line in (a, b))
    return Contrast(
        left, right, place, number, shared + 1, one_line, other_line, len(before) + shared - start
    )


def _from(line: str, start: int) -> str:
    return line[start : start + _LINE_CAP] + (_ELLIPSIS if len(line) > start + _LINE_CAP else "")


def _first_step(
    here: Events, here_forms: Sequence[bytes], there: Events, there_forms: Sequence[bytes]
) -> int | None:
    for step, (one, other) in enumerate(zip(here_forms, there_forms, strict=False)):
        if one != other and canonical(_compared(here[step])) != canonical(_compared(there[step])):
            return step
    return None if len(here) == len(there) else min(len(here), len(there))


def _compared(event: Mapping[str, Any]) -> dict[str, Any]:
    """All of an event but its times; of a recorded answer what it says, not the bytes that said it.

    Those hold ids that every provider makes anew for each answer.
    """
    kept = {name: value for name, value in event.items() if name not in TIMING}
    sample = event.get(SAMPLE)
    if isinstance(sample, Mapping) and "said" in sample:
        kept[SAMPLE] = {name: value for name, value in sample.items() if name != "text"}
    return kept


def _difference(
    here: Mapping[str, Any] | None, there: Mapping[str, Any] | None, right: int
) -> tuple[str, str]:
    if here is None or there is None:
        return "", f"(only in attempt {right if here is None else 0})"
    sides = ("attempt 0", f"attempt {right}")
    return first_difference(_compared(here), _compared(there), "", sides) or ("", "")
