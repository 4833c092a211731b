"""When a key counts: from and until when it signs, and whether it was revoked.

A signature is judged by the time its artefact says that it was made. A revoked key counts for no time at
all: who stole it can write any time into what it signs.
"""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class Revocation:
    """A key was revoked.

    Attributes:
        since: Seconds since the epoch: since when nothing that it signed can be believed.
        reason: In words of whoever revoked it; may be empty.
    """

    since: float
    reason: str = ""


@dataclass(frozen=True)
class Validity:
    """The window of a key, both ends included (seconds since the epoch; None: open), and its revocation."""

    not_before: float | None = None
    not_after: float | None = None
    revoked: Revocation | None = None

    def covers(self, at: float | None) -> bool:
        """Whether ``at`` (seconds since the epoch) lies in the window; no time lies in an open one alone."""
        if at is None:
            return self.not_before is None and self.not_after is None
        return (self.not_before is None or self.not_before <= at) and (
            self.not_after is None or at <= self.not_after
        )

    def narrowed(self, other: "Validity") -> "Validity":
        """What both allow; of two revocations the one since an earlier time."""
        starts = [v.not_before for v in (self, other) if v.not_before is not None]
        ends = [v.not_after for v in (self, other) if v.not_after is not None]
        revoked = [v.revoked for v in (self, other) if v.revoked is not None]
        return Validity(
            max(starts, default=None),
            min(ends, default=None),
            min(revoked, key=lambda each: each.since, default=None),
        )

    @property
    def window(self) -> str:
        """The window in words; empty where it is open at both ends."""
        starts = "" if self.not_before is None else f"from {time_text(self.not_before)}"
        ends = "" if self.not_after is None else f"until {time_text(self.not_after)}"
        return f"{starts} {ends}".strip()


OPEN = Validity()
"""No window and no revocation: the key counts at any time."""


def time_text(seconds: float) -> str:
    """RFC 3339 in UTC, to the second, cut; the number itself where that has no such form."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return str(seconds)
