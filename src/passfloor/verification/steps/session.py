"""Step 15: a run that happened in order, and not in the future."""

import itertools
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from passfloor.models.receipt import ReceiptHead
from passfloor.models.suite import Task
from passfloor.verification.findings import MOST_ALIKE, Finding

CLOCK_SKEW = 300.0
"""Seconds by which a signer's clock may run ahead of ours."""


def check(head: ReceiptHead, now: float) -> Iterator[Finding]:
    """Start, stages, end, emission and now follow one another. ``now``: seconds since the epoch."""
    session = head.session
    times = [
        ("session.started_at", seconds_of(session.started_at)),
        *(
            (f"session.stages[{i}].decided_at", seconds_of(s.decided_at))
            for i, s in enumerate(session.stages)
        ),
        ("session.ended_at", seconds_of(session.ended_at)),
        ("emitted_at", head.emitted_at),
    ]
    for path, seconds in times:
        if seconds is None:
            yield Finding(15, "clock", "no such time exists", path=path)
    known = [(path, seconds) for path, seconds in times if seconds is not None]
    for (before, earlier), (path, later) in itertools.pairwise(known):
        if later < earlier:
            detail = f"{path} is {_text(later)}, before {before} at {_text(earlier)}"
            yield Finding(15, "clock", detail, path=path)
    if head.emitted_at > now + CLOCK_SKEW:
        detail = f"emitted at {_text(head.emitted_at)} by the signer's clock, it is {_text(now)} by ours"
        yield Finding(15, "clock", detail, path="emitted_at")


def check_interrupted(head: ReceiptHead, tasks: Sequence[Task]) -> list[Finding]:
    """What is listed as begun more than once are attempts of this receipt, each listed once."""
    ids = {task.id for task in tasks}
    seen: set[tuple[str, int]] = set()
    findings: list[Finding] = []
    for position, entry in enumerate(head.session.interrupted):
        name = (entry.task_id, entry.index)
        problem = (
            "which this receipt does not hold" if entry.task_id not in ids or entry.index >= head.n else ""
        )
        problem = "which stands in the list already" if name in seen else problem
        seen.add(name)
        if problem and len(findings) < MOST_ALIKE:
            detail = f"names attempt {entry.index}, {problem}"
            findings.append(
                Finding(15, "type", detail, entry.task_id, None, f"session.interrupted[{position}]")
            )
    return findings


def check_environment(head: ReceiptHead) -> Iterator[Finding]:
    """There is one entry for each stage."""
    entries, stages = len(head.environment), len(head.session.stages)
    if entries != stages:
        yield Finding(15, "type", f"{entries} entries for {stages} stages", path="environment")


def seconds_of(text: str) -> float | None:
    """Seconds since the epoch of an RFC 3339 time; None where no such time exists."""
    if text[11:13] == "24":
        return None  # ISO 8601's midnight, which RFC 3339 does not know and only newer Pythons read
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None


def _text(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return f"{seconds!r} s"
