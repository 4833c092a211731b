"""From an event to what of it counts as coordination."""

import calendar
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from passfloor.canonical import canonical
from passfloor.projection.difference import shown
from passfloor.projection.vocabulary import (
    CUT_KINDS,
    ERRORED_KIND,
    IDENTITY,
    SAMPLE,
    SAMPLED_KINDS,
    TIMING,
    TIMING_NUMBERS,
)

_DROPPED = TIMING | {SAMPLE}
_TIMING = sorted(TIMING)
_RFC3339 = re.compile(
    r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]"
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]{1,9})?"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)


def event_problem(event: object, position: int) -> tuple[str, str] | None:
    """Say how ``event`` breaks the schema, or None where it does not. Every other function here relies on it.

    An event is an object with ``seq``, an int equal to its ``position`` (zero-based; neither true nor 3.0),
    and ``kind``, a non-empty string. Timing members hold finite numbers and RFC 3339 times:
    what is dropped must not carry anything else. ``model.output`` and ``model.artifact`` have a ``sample``.

    Returns:
        The place inside the event (``""`` or such as ``.kind``) and the reason, one line of ASCII.
    """
    if type(event) is not dict and not isinstance(event, Mapping):
        return "", f"is {shown(event)} (an event is an object)"
    seq = event.get("seq")
    if type(seq) is not int or seq != position:
        return _problem(event, "seq", f"must be the integer {position}, its position")
    kind = event.get("kind")
    if not isinstance(kind, str) or not kind:
        return _problem(event, "kind", "must be a string that is not empty")
    for name in _TIMING:
        if name in event and (problem := _timing_problem(event, name)):
            return problem
    if kind in SAMPLED_KINDS and SAMPLE not in event:
        return _problem(event, SAMPLE, f"every {kind} has one, null where there is nothing")
    return None


def project_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a well-formed ``event`` that count: all but timing and, in two kinds, ``sample``."""
    dropped = _DROPPED if event["kind"] in SAMPLED_KINDS else TIMING
    return {name: value for name, value in event.items() if name not in dropped}


def projection_bytes(event: Mapping[str, Any], encoded: bytes | None) -> bytes:
    """The RFC 8785 form of the projection of a well-formed ``event``.

    Args:
        event: passes ``event_problem``.
        encoded: the RFC 8785 form of the whole event where it is at hand; returned when nothing is dropped.

    Raises:
        JsonError: the projection has no canonical form.
    """
    if event["kind"] in SAMPLED_KINDS or not TIMING.isdisjoint(event):
        return canonical(project_event(event))
    return canonical(event) if encoded is None else encoded


def further_members(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """What an adapter added to a run receipt: neither ``events`` nor what names the receipt; it counts."""
    return {name: value for name, value in receipt.items() if name != "events" and name not in IDENTITY}


def project_run_receipt(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """The projection of a well-formed run receipt: its events', in order, and its further members."""
    return {"events": [project_event(event) for event in receipt["events"]], **further_members(receipt)}


def is_errored(events: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an attempt was cut: it then owes nothing past its end."""
    return bool(events) and events[-1]["kind"] == ERRORED_KIND


def owed_events(events: Sequence[Mapping[str, Any]]) -> int:
    """How many well-formed events of an attempt, from the front, are held against other attempts."""
    count = len(events)
    if is_errored(events):
        while count and events[count - 1]["kind"] in CUT_KINDS:
            count -= 1
    return count


def _timing_problem(event: Mapping[str, Any], name: str) -> tuple[str, str] | None:
    value = event[name]
    if name in TIMING_NUMBERS:
        fine = type(value) is int or (isinstance(value, float) and math.isfinite(value))
        return None if fine else _problem(event, name, "must be a finite number")
    fine = isinstance(value, str) and _is_time(value)
    return None if fine else _problem(event, name, "must be an RFC 3339 time")


def _is_time(text: str) -> bool:
    found = _RFC3339.fullmatch(text)
    if found is None:
        return False
    year, month, day = (int(part) for part in found.groups())
    return day <= calendar.monthrange(year, month)[1]


def _problem(event: Mapping[str, Any], name: str, rule: str) -> tuple[str, str]:
    found = f"is {shown(event[name])}" if name in event else "is missing"
    return f".{name}", f"{found} ({rule})"
