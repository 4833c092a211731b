"""The rule for attempts whose model calls were not recorded: the same projection, byte for byte."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from passfloor.canonical import canonical, sha256_hex
from passfloor.errors import UsageError
from passfloor.projection.acts import Act
from passfloor.projection.difference import common_length, first_difference, utf16_order
from passfloor.projection.project import (
    further_members,
    is_errored,
    owed_events,
    project_event,
    projection_bytes,
)


@dataclass(frozen=True)
class AttemptView:
    """What of one attempt is compared.

    Attributes:
        events: well-formed events in order.
        extra: further members of the run receipt, never ``events``; those that name the receipt do not count.
        encoded: the RFC 8785 form of each event where it is at hand, as many as there are events.
        attempt_id: the attempt's id; the rule ``causal`` needs it.
        blobs: large values that the events refer to, for naming what differs in them.
        acts: what the rule ``causal`` compares, where an ``ActReader`` has read the events already.
    """

    events: Sequence[Mapping[str, Any]]
    extra: Mapping[str, Any] = field(default_factory=dict)
    encoded: Sequence[bytes] | None = None
    attempt_id: str = ""
    blobs: Mapping[str, Any] = field(default_factory=dict)
    acts: Sequence[Act] | None = None

    @property
    def counted(self) -> dict[str, Any]:
        """The further members that are coordination."""
        return further_members(self.extra)

    @property
    def errored(self) -> bool:
        """Whether the attempt was cut: it then owes nothing past its end."""
        return is_errored(self.events)

    @property
    def owed(self) -> int:
        """How many events, from the front, are held against the other attempts."""
        return owed_events(self.events)

    def projections(self) -> list[bytes]:
        """The RFC 8785 forms of the projections of the owed events, in order."""
        events = self.events[: self.owed]
        if self.encoded is None:
            return [projection_bytes(event, None) for event in events]
        encoded = self.encoded[: len(events)]
        return [projection_bytes(event, form) for event, form in zip(events, encoded, strict=True)]


@dataclass(frozen=True)
class Divergence:
    """The first place where two attempts differ.

    Attributes:
        left: position of the one attempt; under the rule ``identical`` the lower.
        right: position of the other.
        path: the place, such as ``events[3].route``, by the position in the left attempt.
        detail: the path and both values, such as ``events[3].route ('r1' != 'r2')``; printable ASCII.
    """

    left: int
    right: int
    path: str
    detail: str


@dataclass(frozen=True)
class Coordination:
    """Whether coordination was held fixed over the attempts of a task.

    Attributes:
        identical: the verdict.
        hash: what the attempts have in common, as SHA-256 in hex; None where they diverged.
        divergence: the first one found; None where there is none.
        acts: under the rule ``causal``, how many acts of the agent were compared with another attempt's that
            had heard the same up to there; None under another rule, and where they diverged.
    """

    identical: bool
    hash: str | None
    divergence: Divergence | None
    acts: int | None = None


def compare(attempts: Sequence[AttemptView]) -> Coordination:
    """Judge the attempts of one task, in index order.

    The projections of the finished attempts are the same bytes. An errored attempt, without the events that
    close it, is a prefix of them, or of the longest errored one where none finished. Further members are
    equal in all. The hash is the SHA-256 of the RFC 8785 form of the shared ``{"events": [...], **extra}``.

    Raises:
        UsageError: there are no attempts.
        JsonError: an event or a further member has no canonical form.
    """
    if not attempts:
        raise UsageError("coordination is undefined over no attempts; record at least one")
    reference = _reference(attempts)
    shared = attempts[reference].projections()
    extra = canonical(attempts[reference].counted)
    for position, attempt in enumerate(attempts):
        if position == reference:
            continue
        own = attempt.projections()
        if own != (shared[: len(own)] if attempt.errored else shared):
            return _diverged(_differing_event(attempts, (reference, shared), (position, own)))
        if canonical(attempt.counted) != extra:
            return _diverged(_differing_extra(attempts, reference, position))
    return Coordination(True, sha256_hex(_spliced(shared, attempts[reference].counted)), None)


def _reference(attempts: Sequence[AttemptView]) -> int:
    """The attempt all others are held against: the first finished one, else the (first) longest."""
    for position, attempt in enumerate(attempts):
        if not attempt.errored:
            return position
    return max(range(len(attempts)), key=lambda position: attempts[position].owed)


def _differing_event(
    attempts: Sequence[AttemptView], one: tuple[int, list[bytes]], other: tuple[int, list[bytes]]
) -> Divergence:
    (left, left_forms), (right, right_forms) = sorted((one, other))
    index = common_length(left_forms, right_forms)
    path = f"events[{index}]"
    if index in (len(left_forms), len(right_forms)):
        longer = left if len(left_forms) > index else right
        return Divergence(left, right, path, f"{path} (only in attempt {longer})")
    a, b = (project_event(attempts[position].events[index]) for position in (left, right))
    return _named(left, right, a, b, path)


def _differing_extra(attempts: Sequence[AttemptView], one: int, other: int) -> Divergence:
    left, right = sorted((one, other))
    return _named(left, right, attempts[left].counted, attempts[right].counted, "")


def _named(left: int, right: int, a: Mapping[str, Any], b: Mapping[str, Any], path: str) -> Divergence:
    found = first_difference(a, b, path, (f"attempt {left}", f"attempt {right}"))
    # Bytes at hand that are not those of their event differ where the events do not.
    path, text = found or (path, "(differs)")
    return Divergence(left, right, path, f"{path} {text}")


def _diverged(divergence: Divergence) -> Coordination:
    return Coordination(False, None, divergence)


def _spliced(events: list[bytes], extra: Mapping[str, Any]) -> bytes:
    """The RFC 8785 form of ``{"events": [...], **extra}`` from event forms, none of them encoded again."""
    members = {name: canonical(value) for name, value in extra.items()}
    members["events"] = b"[" + b",".join(events) + b"]"
    names = sorted(members, key=utf16_order)
    return b"{" + b",".join(canonical(name) + b":" + members[name] for name in names) + b"}"
