"""A session: one run of a plan, from the opening that is fixed at its start to its end."""

import base64
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from passfloor.digests import opening_hash, plan_hash
from passfloor.models.plan import Opening, Plan, Session, Stage

Clock = Callable[[], float]
"""Seconds since the epoch."""

_NONCE_BYTES = 32


@dataclass(frozen=True)
class OpenSession:
    """A run that has begun: what its attempts' ids are made of."""

    run: str
    opening: Opening
    plan: Plan
    plan_hash: str = field(init=False)
    opening_hash: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plan_hash", plan_hash(self.plan))
        object.__setattr__(self, "opening_hash", opening_hash(self.opening))

    def close(self, now: float) -> Session:
        """The session as it is sealed, ended at ``now`` (seconds since the epoch)."""
        stage = Stage(
            n=self.plan.n,
            plan_hash=self.plan_hash,
            decided_at=self.opening.started_at,
            after_receipt_hash=None,
        )
        return Session(
            **self.opening.model_dump(),
            run=self.run,
            plan_hash=self.plan_hash,
            stages=[stage],
            interrupted=[],
            ended_at=max(timestamp(now), self.opening.started_at),
        )


def open_session(
    plan: Plan, *, clock: Clock = time.time, random_bytes: Callable[[int], bytes] = secrets.token_bytes
) -> OpenSession:
    """Begin a run of ``plan`` now, under a nonce of its own."""
    now = clock()
    moment = datetime.fromtimestamp(now, UTC)
    nonce = base64.urlsafe_b64encode(random_bytes(_NONCE_BYTES)).decode().rstrip("=")
    return OpenSession(
        run=f"{moment:%Y%m%dT%H%M%SZ}-{random_bytes(3).hex()}",
        opening=Opening(
            nonce=nonce,
            challenge=None,
            precommit_hash=None,
            run_seq=None,
            prev_receipt_hash=None,
            started_at=timestamp(now),
        ),
        plan=plan,
    )


def timestamp(seconds: float) -> str:
    """RFC 3339 in UTC with milliseconds, cut and not rounded, so that order is kept."""
    whole = datetime.fromtimestamp(int(seconds), UTC)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{int(seconds * 1000) % 1000:03d}Z"
