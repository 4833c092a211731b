"""Collects what one attempt asks its models and hears from them, in the order in which it happened."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from passfloor.dialects import dialect_of, is_whole
from passfloor.recording.bodies import BODY_CAP, TooLong, reply_members, request_members
from passfloor.recording.headers import (
    Headers,
    boundary_of,
    coordination_headers,
    first,
    lane_of,
    served_again,
    whole_text,
    without_keys,
)

SETTLE_S = 2.0
"""Longest wait, once an agent has ended, for the ends of the calls it left open."""

Lines = Callable[[bool], Sequence[dict[str, Any]]]
"""Gives the events an agent declared itself since it was last asked; ``True``: for the last time."""


@dataclass
class Taken:
    """What was recorded of an attempt.

    Attributes:
        events: In order, without ``seq``; samples without ``said``.
        fault: ``{type, detail}`` where a reply broke off, or is too long to be kept; None otherwise.
    """

    events: list[dict[str, Any]] = field(default_factory=list)
    fault: dict[str, str] | None = None


class Exchange:
    """One call, from its request to the end of its reply. Used by one thread at a time.

    Attributes:
        call: Its number.
        lane: The lane it names.
        dialect: What it speaks.
        provider: Whose client sent it: the word in the path.
        method: As sent.
        path: What follows the provider's word, with its query.
        headers: As sent.
        body: As sent; let go of once the call is over.
        asked: The ``model.request`` that was recorded of it.
        too_long: Its reply cannot be kept; known once ``event`` was asked for.
        placed: Its answer stands among the events.
        is_gone: Says whether the agent hung up.
    """

    def __init__(
        self,
        recorder: "Recorder",
        call: int,
        provider: str,
        method: str,
        path: str,
        headers: Headers,
        body: bytes,
    ) -> None:
        self.call = call
        self.provider = provider
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.lane = lane_of(headers)
        self.dialect = dialect_of(method, path)
        self.asked: dict[str, Any] = {}
        self.too_long = False
        self._recorder = recorder
        self._status: int | None = None
        self._reply_headers: Headers = []
        self._chunks: list[bytes] = []
        self._size = 0
        self._by: str | None = None
        self.placed = False
        self.is_gone: Callable[[], bool] = lambda: False

    def began(self, status: int, headers: Headers) -> None:
        """Its first byte leaves for the agent now: here the answer stands among the events."""
        self._status, self._reply_headers = status, headers
        self._recorder.place(self)

    def feed(self, chunk: bytes) -> None:
        """The next bytes of the reply's body leave."""
        self._size += len(chunk)
        if self._size <= BODY_CAP:
            self._chunks.append(chunk)

    def ended(self, by: str | None) -> None:
        """It is over: ``by`` whom it was broken off (``client``, ``upstream``), None where by nobody."""
        if self._by is None:
            self._by = by or "end"
            self.body = b""
            self._recorder.settled(self)

    def event(self) -> dict[str, Any]:
        """The ``model.output`` of the reply, without ``said``."""
        by = None if self._by == "end" else self._by or "client"
        coding = first(self._reply_headers, "content-encoding")
        raw = b"".join(self._chunks)
        sample: dict[str, Any] = {"status": self._status}
        try:
            sample |= reply_members(raw, coding=coding, whole=by is None, size=self._size)
        except TooLong:
            self.too_long = True
            sample["text"] = ""
        mark = is_whole(self.dialect, sample["text"]) if "text" in sample else None
        if by is None and mark is False:
            by = "upstream"
        elif by is not None and (mark or self._is_all_there(by)):
            by = None
        sample["complete"] = by is None and not self.too_long
        if by is not None:
            sample["ended_by"] = by
        if headers := served_again(self._reply_headers):
            sample["headers"] = headers
        return {"kind": "model.output", "call": self.call, "sample": sample}

    def _is_all_there(self, by: str) -> bool:
        """Whether the agent hung up on a reply of which it had every byte."""
        length = first(self._reply_headers, "content-length")
        return by == "client" and self._status is not None and length == str(self._size) and self._size > 0


class Recorder:
    """One attempt's recording. Safe between threads."""

    def __init__(self, lines: Lines = lambda _: ()) -> None:
        """Record an attempt.

        Args:
            lines: The agent's own journal: asked when a call arrives and at the end. A ``model.request`` in
                it is a call the agent made by itself; ``ref`` joins it to its ``model.output``.
        """
        self._lines = lines
        self._changed = threading.Condition()
        self._events: list[dict[str, Any] | Exchange] = []
        self._open: set[Exchange] = set()
        self._refs: dict[Any, int] = {}
        self._declared: dict[Any, dict[str, Any]] = {}
        self._calls = 0
        self._closed = False
        self._too_long: str | None = None

    def asked(self, provider: str, method: str, path: str, headers: Headers, body: bytes) -> Exchange | None:
        """A whole request has arrived; None where the attempt is over."""
        with self._changed:
            if self._closed:
                return None
            # Whoever hung up before this call was made is noticed first: the hang-up was what led to it.
            for waiting in [waiting for waiting in self._open if waiting.is_gone()]:
                waiting.ended("client")
            self._read_lines(final=False)
            exchange = Exchange(self, self._calls, provider, method, path, headers, body)
            self._calls += 1
            event: dict[str, Any] = {
                "kind": "model.request",
                "call": exchange.call,
                "lane": exchange.lane,
                "dialect": exchange.dialect,
                "method": method,
                "path": f"/{provider}{without_keys(whole_text(path))}",
            }
            if recorded := coordination_headers(headers):
                event["headers"] = recorded
            try:
                members = request_members(
                    body,
                    coding=first(headers, "content-encoding"),
                    boundary=boundary_of(first(headers, "content-type")),
                )
            except TooLong:
                members = {"request_text": ""}
                self._too_long = (
                    self._too_long or f"call {exchange.call}: the request is longer than {BODY_CAP} bytes"
                )
            exchange.asked = {**event, **members}
            self._events.append(exchange.asked)
            self._open.add(exchange)
            return exchange

    def place(self, exchange: Exchange) -> None:
        """The answer of a call stands here, once."""
        with self._changed:
            if not exchange.placed and not self._closed:
                exchange.placed = True
                self._events.append(exchange)

    def settled(self, exchange: Exchange) -> None:
        """A call is over; an answer of which no byte left stands where that was known."""
        self.place(exchange)
        with self._changed:
            self._open.discard(exchange)
            self._changed.notify_all()

    def declared(self, ref: Any) -> dict[str, Any] | None:
        """The ``model.request`` that the agent wrote under ``ref``; None where it wrote none."""
        with self._changed:
            if not self._closed:
                self._read_lines(final=False)
            return self._declared.get(ref)

    def finish(self, settle_s: float = SETTLE_S) -> Taken:
        """The agent has ended: what was recorded, and nothing that comes later.

        Args:
            settle_s: Seconds to wait for calls that are open; what is open then was left by the agent.
        """
        deadline = time.monotonic() + settle_s
        with self._changed:
            while self._open and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            self._read_lines(final=True)
            left_open = sorted(self._open, key=lambda exchange: exchange.call)
            self._events += [exchange for exchange in left_open if not exchange.placed]
            self._closed = True
            taken = Taken()
            for event in self._events:
                if isinstance(event, Exchange):
                    event.placed = True
                    taken.events.append(event.event())
                    taken.fault = taken.fault or _fault(event, taken.events[-1]["sample"])
                else:
                    taken.events.append(event)
            if taken.fault is None and self._too_long:
                taken.fault = {"type": "capture", "detail": self._too_long}
            return taken

    def _read_lines(self, *, final: bool) -> None:
        for line in self._lines(final):
            event = dict(line)
            ref = event.pop("ref", None) if event["kind"] in {"model.request", "model.output"} else None
            if event["kind"] == "model.request":
                self._refs[ref] = self._calls
                event = {"call": self._calls, "lane": "", **event}
                self._declared[ref] = event
                self._calls += 1
            elif ref is not None and ref in self._refs:
                event = {"call": self._refs.pop(ref), **event}
            self._events.append(event)


def _fault(exchange: Exchange, sample: dict[str, Any]) -> dict[str, str] | None:
    if exchange.too_long:
        return {
            "type": "capture",
            "detail": f"call {exchange.call}: the reply is longer than {BODY_CAP} bytes",
        }
    if sample.get("ended_by") == "upstream":
        return {"type": "stream", "detail": f"call {exchange.call}: the upstream broke off its reply"}
    return None
