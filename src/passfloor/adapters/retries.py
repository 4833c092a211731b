"""When a call that failed for the platform's reasons is made again, inside its attempt and recorded there."""

import email.utils
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any, Protocol

CEILING_S = 60.0
"""Most seconds that one attempt waits between calls, in all."""

_FIRST_PAUSE_S = 0.5
_TOO_MANY = 429


class Clock(Protocol):
    """The clocks, and how to wait."""

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        ...

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's own."""

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        return time.monotonic()

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class ConnectionFault(Exception):  # noqa: N818  # what happened to a call, and no fault of ours
    """There was no whole answer: the connection could not be made, or broke. The message says how."""


class CallTimeout(Exception):  # noqa: N818
    """The time was up before the whole answer was there."""


class CallRefused(Exception):  # noqa: N818
    """There is an answer, and it is none that calling again would better. The message says why."""


@dataclass(frozen=True)
class Reply:
    """An answer, whatever its status. Header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Called:
    """What came of a call and its retries.

    Attributes:
        reply: An answer with a status of 200 to 299; None where there is none.
        error: ``{type, detail}`` where there is none.
        retries: For each further call: ``{status or error, waited_ms}``, why it was made and after how long.
    """

    reply: Reply | None = None
    error: dict[str, str] | None = None
    retries: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long.

    Connection faults, 429 and 5xx are met by another call, at most ``retries`` times; the waits follow
    ``Retry-After`` (RFC 9110, section 10.2.3) where there is one and double from half a second else. A wait
    that does not fit into ``ceiling_s`` seconds for all of them, or into the attempt's time, is not begun.

    Attributes:
        retries: Further calls allowed, 0 for none.
        ceiling_s: Seconds of waiting allowed in all.
        clock: Time.
    """

    retries: int = 2
    ceiling_s: float = CEILING_S
    clock: Clock = field(default_factory=SystemClock)

    def call(self, send: Callable[[], Reply], *, timeout_s: float, deadline: float, spread: float) -> Called:
        """Call until there is an answer that stands.

        Args:
            send: Makes the call; raises ``ConnectionFault``, ``CallTimeout`` or ``CallRefused``.
            timeout_s: The seconds of the whole attempt, for its error.
            deadline: When they are over, on the clock's monotonic scale.
            spread: 0 to 1, by how much of it a wait of our own choice is longer: so that attempts side by
                side do not all call again at the same moment.
        """
        found = Called()
        left_s = self.ceiling_s
        while True:
            try:
                reply = send()
            except CallTimeout:
                found.error = {"type": "timeout", "detail": f"not finished after {timeout_s:.12g} s"}
                return found
            except CallRefused as refused:
                found.error = _provider(str(refused))
                return found
            except ConnectionFault as fault:
                reason: dict[str, Any] = {"error": str(fault)}
                trouble, headers = f"connection failed ({fault})", {}
            else:
                if reply.status != _TOO_MANY and reply.status < 500:
                    return _judged(found, reply)
                reason = {"status": reply.status}
                trouble, headers = _trouble(reply.status), dict(reply.headers)
            count = len(found.retries)
            pause_s = retry_after_s(headers.get("retry-after"), self.clock.now())
            if pause_s is None:
                pause_s = _FIRST_PAUSE_S * 2**count * (1 + spread)
            if count >= self.retries or pause_s > min(left_s, deadline - self.clock.monotonic()):
                found.error = _provider(trouble)
                return found
            self.clock.sleep(pause_s)
            left_s -= pause_s
            found.retries.append({**reason, "waited_ms": round(pause_s * 1000)})


def retry_after_s(value: str | None, now: float) -> float | None:
    """The seconds that ``Retry-After`` asks for, 0 or more; None where it is absent or unreadable."""
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        # More digits than any wait has; int() refuses thousands of them.
        return float(value[:12]) if len(value) <= 12 else float(10**12)
    try:
        date = email.utils.parsedate_to_datetime(value)
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        return max(0.0, date.timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def _judged(found: Called, reply: Reply) -> Called:
    if 200 <= reply.status < 300:
        found.reply = reply
    elif 300 <= reply.status < 400:
        found.error = _provider(f"redirected ({reply.status}); give the final address")
    elif 400 <= reply.status < 500:
        found.error = _provider(f"request refused ({reply.status})")
    else:
        found.error = _provider(f"unexpected status {reply.status}")
    return found


def _trouble(status: int) -> str:
    return f"rate limited ({status})" if status == _TOO_MANY else f"server error ({status})"


def _provider(detail: str) -> dict[str, str]:
    return {"type": "provider", "detail": detail}
