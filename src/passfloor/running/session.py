"""A session: one run of a plan, from the opening that is fixed at its start to its end."""

import base64
import secrets
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from passfloor.digests import opening_hash, plan_hash
from passfloor.models.plan import Interrupted, Opening, Plan, Session, Stage

Clock = Callable[[], float]
"""Seconds since the epoch."""

_NONCE_BYTES = 32


Enter = Callable[[str, str], tuple[int, str | None]]
"""Enters the start of a run, by its id and time; gives its number and the hash of the receipt before it."""


@dataclass(frozen=True)
class OpenSession:
    """A run that has begun: what its attempts' ids are made of.

    Attributes:
        run: Its id.
        opening: Fixed at its start.
        plan: That of its last stage.
        stages: All of them, in order; where none are given the plan is the only one.
        plan_hash: Of ``plan``.
        opening_hash: Of ``opening``.
    """

    run: str
    opening: Opening
    plan: Plan
    stages: tuple[Stage, ...] = ()
    plan_hash: str = field(init=False)
    opening_hash: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plan_hash", plan_hash(self.plan))
        object.__setattr__(self, "opening_hash", opening_hash(self.opening))
        if not self.stages:
            first = Stage(
                n=self.plan.n,
                plan_hash=self.plan_hash,
                decided_at=self.opening.started_at,
                after_receipt_hash=None,
            )
            object.__setattr__(self, "stages", (first,))

    def plan_hash_of(self, index: int) -> str:
        """The plan hash that attempt ``index`` is made under: of the first stage with index < its n."""
        position = bisect_right([stage.n for stage in self.stages], index)
        return self.stages[min(position, len(self.stages) - 1)].plan_hash

    def close(
        self, now: float, *, ended_at: str | None = None, interrupted: Sequence[Interrupted] = ()
    ) -> Session:
        """The session as it is sealed.

        Args:
            now: Seconds since the epoch; the end, unless that is known.
            ended_at: When it ended, where it was sealed before.
            interrupted: Attempts begun more than once, in plan order.
        """
        return Session(
            **self.opening.model_dump(),
            run=self.run,
            plan_hash=self.plan_hash,
            stages=list(self.stages),
            interrupted=list(interrupted),
            ended_at=ended_at or max(timestamp(now), self.stages[-1].decided_at),
        )


def open_session(
    plan: Plan,
    *,
    clock: Clock = time.time,
    random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    enter: Enter = lambda _run, _at: (0, None),
    challenge: str | None = None,
    precommit_hash: str | None = None,
) -> OpenSession:
    """Begin a run of ``plan`` now, under a nonce of its own.

    Args:
        plan: What is run.
        clock: Seconds since the epoch.
        random_bytes: Gives so many random bytes.
        enter: Enters the run in a ledger; a number of 0 says that there is none.
        challenge: What the relying party gave; None where nothing.
        precommit_hash: Of the commitment to the plan; None where there is none.
    """
    now = clock()
    moment = datetime.fromtimestamp(now, UTC)
    nonce = base64.urlsafe_b64encode(random_bytes(_NONCE_BYTES)).decode().rstrip("=")
    run, started_at = f"{moment:%Y%m%dT%H%M%SZ}-{random_bytes(3).hex()}", timestamp(now)
    run_seq, before = enter(run, started_at)
    return OpenSession(
        run=run,
        opening=Opening(
            nonce=nonce,
            challenge=challenge,
            precommit_hash=precommit_hash,
            run_seq=run_seq or None,
            prev_receipt_hash=before,
            started_at=started_at,
        ),
        plan=plan,
    )


def timestamp(seconds: float) -> str:
    """RFC 3339 in UTC with milliseconds, cut and not rounded, so that order is kept."""
    whole = datetime.fromtimestamp(int(seconds), UTC)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{int(seconds * 1000) % 1000:03d}Z"
