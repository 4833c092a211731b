"""Answers the calls of one attempt with what was recorded of it, and asks nobody."""

import asyncio
import base64
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice, permutations, product
from typing import Any

from passfloor import blobs
from passfloor.canonical import canonical
from passfloor.projection import ANSWER, ASKED, SAMPLE, ActReader
from passfloor.projection.symbols import Symbols
from passfloor.recording.recorder import Exchange, Recorder
from passfloor.recording.sealing import sealed
from passfloor.recording.source import NothingRecorded, Sink
from passfloor.scrubbing import Scrubber

REPLAY_KEYS: Mapping[str, str] = {
    "OPENAI_API_KEY": "passfloor-replay",
    "ANTHROPIC_API_KEY": "passfloor-replay",
}
"""What stands in for the keys of providers: clients do not start without one."""

MOST_EXCHANGES = 8
"""How often answers of which nobody knows who got which are exchanged."""

_NO_BODY = frozenset({204, 304})
_STREAM = "text/event-stream"


@dataclass(frozen=True)
class Recorded:
    """What one attempt was told.

    Attributes:
        answers: Digest of a request -> samples of its answers, by call.
        samples: Lane -> what an agent was told by other means, in order.
        raced: Digests of requests that got different answers while the calls overlapped.
        lacking: Why something it was told cannot be told again as it was; empty where all can.
        broken: An answer was broken off by the upstream.
    """

    answers: Mapping[str, Sequence[Mapping[str, Any]]]
    samples: Mapping[str, Sequence[Any]]
    raced: frozenset[str]
    lacking: str
    broken: bool

    @classmethod
    def of(cls, events: Sequence[Mapping[str, Any]]) -> "Recorded":
        """Read the sealed events of an attempt, large values replaced by references."""
        reader = ActReader()
        answers: dict[str, dict[int, Mapping[str, Any]]] = defaultdict(dict)
        samples: dict[str, list[Any]] = defaultdict(list)
        asked: dict[int, str] = {}
        waiting: Counter[str] = Counter()
        raced: set[str] = set()
        for event in events:
            acts = reader.read(event)
            if event["kind"] == ASKED:
                name = asked[event["call"]] = acts[0].digest
                waiting[name] += 1
                raced |= {name} if waiting[name] > 1 else set()
            elif event["kind"] == ANSWER and "call" in event:
                name = asked[event["call"]]
                waiting[name] -= 1
                answers[name][event["call"]] = event[SAMPLE]
            elif event["kind"] == ANSWER:
                samples[event.get("lane", "")].append(event[SAMPLE])
        by_call = {name: [found[call] for call in sorted(found)] for name, found in answers.items()}
        told = [sample for found in by_call.values() for sample in found]
        return cls(
            by_call,
            samples,
            frozenset(name for name in raced if len(by_call.get(name, ())) > 1),
            lacking=_lacking(told),
            broken=any(sample.get("ended_by") == "upstream" for sample in told),
        )

    def differ(self, name: str) -> bool:
        """Whether a request got different answers."""
        return len({canonical(sample) for sample in self.answers.get(name, ())}) > 1

    def exchanges(self, raced: frozenset[str]) -> Iterator["Exchanged"]:
        """Ways to hand out answers other than as recorded, ``MOST_EXCHANGES`` at most.

        Args:
            raced: Digests of requests whose answers may have gone to one caller or the other.
        """
        names = sorted(name for name in raced if self.differ(name))
        orders = product(*(permutations(range(len(self.answers[name]))) for name in names))
        ways = [
            Exchanged(dict(zip(names, order, strict=True)), clean)
            for order in islice(orders, 1 + MOST_EXCHANGES)
            for clean in ((False, True) if self.broken else (False,))
        ]
        # Who comes first may change from one replay to the next: what did not fit may fit then.
        yield from islice(cycle(ways), 1, 1 + MOST_EXCHANGES if names else len(ways))


@dataclass(frozen=True)
class Exchanged:
    """One way to hand out answers.

    Attributes:
        orders: Digest of a request -> its answers by position, in the order in which they are handed out.
        clean: A broken answer ends as if it were whole: a stream without its last event may have ended so.
    """

    orders: Mapping[str, Sequence[int]] = field(default_factory=dict)
    clean: bool = False


class Replayer:
    """A ``Source`` over the recorded answers of one attempt, for one replay of it.

    Attributes:
        raced: Digests of requests of which several were open at once.
        unanswered: How many requests there was no answer to.
    """

    def __init__(self, recorded: Recorded, scrubber: Scrubber, exchanged: Exchanged | None = None) -> None:
        """Fix what is handed out, and in which order."""
        way = exchanged or Exchanged()
        self._queues = {
            name: [found[at] for at in way.orders.get(name, range(len(found)))][::-1]
            for name, found in recorded.answers.items()
        }
        self._samples = {lane: list(found)[::-1] for lane, found in recorded.samples.items()}
        self._clean = way.clean
        self._scrubber = scrubber
        self._reader = ActReader()
        self._seq = 0
        self._open: Counter[str] = Counter()
        self.raced: set[str] = set()
        self.unanswered = 0

    def begin(self, recorder: Recorder, symbols: Symbols) -> None:
        """The attempt begins; see ``Recalling``."""
        self._recorder = recorder
        self._symbols = symbols

    async def answer(self, call: Exchange, sink: Sink) -> None:
        """Hand out the answer of the same digest whose call was the lowest of those not handed out yet."""
        name = self._asked(call.asked)
        sample = self._next(name, call.call)
        if sample is None:
            await sink.refuse(400, "not_recorded", "no recorded answer to this request is left")
            return
        self._open[name] += 1
        if self._open[name] > 1:
            self.raced.add(name)
        try:
            await _serve(sample, call.method, sink, clean=self._clean)
        finally:
            self._open[name] -= 1

    def recall(self, asked: Any) -> str:
        """See ``Recalling``."""
        if "ref" not in asked:
            left = self._samples.get(str(asked.get("lane", "")))
            if not left:
                self.unanswered += 1
                raise NothingRecorded("no recorded sample of this lane is left")
            return json.dumps(left.pop())
        event = self._recorder.declared(asked["ref"])
        sample = None if event is None else self._next(self._asked(event), event["call"])
        if sample is None or not isinstance(sample.get("text"), str):
            raise NothingRecorded("no recorded answer to this request is left")
        return str(sample["text"])

    async def close(self) -> None:
        """Nothing is held open."""

    def _asked(self, event: Mapping[str, Any]) -> str:
        """The digest of a request as it would be sealed now."""
        (done,) = sealed([{**event, "seq": self._seq}], self._scrubber, self._symbols)
        (moved,), _ = blobs.externalise([done])
        (act,) = self._reader.read(moved)
        self._seq += 1
        return act.digest

    def _next(self, name: str, call: int) -> Mapping[str, Any] | None:
        queue = self._queues.get(name)
        if not queue:
            self.unanswered += 1
            return None
        sample = queue.pop()
        # At once: an id in it may come back before its last byte has left.
        self._symbols.seal({"seq": self._seq, "kind": ANSWER, "call": call, SAMPLE: dict(sample)})
        self._seq += 1
        return sample


def _lacking(told: Sequence[Mapping[str, Any]]) -> str:
    if any("scrubbed" in sample for sample in told):
        return "secrets were taken out of an answer, which cannot be told again as it was"
    if any(not sample["complete"] and "ended_by" not in sample for sample in told):
        return "an answer was too long to be kept"
    return ""


async def _serve(sample: Mapping[str, Any], method: str, sink: Sink, *, clean: bool) -> None:
    """Send an answer as it was, and end it as it ended."""
    text = sample.get("text")
    body = base64.b64decode(sample["base64"]) if text is None else text.encode()
    status, complete = sample["status"], sample["complete"]
    if status is not None:
        headers = list(sample.get("headers", {}).items())
        kind = sample.get("headers", {}).get("content-type", "")
        if complete and method != "HEAD" and status not in _NO_BODY and not kind.startswith(_STREAM):
            headers.append(("content-length", str(len(body))))
        await sink.start(status, headers)
        if body:
            await sink.send(body)
    if complete or (clean and status is not None and sample.get("ended_by") != "client"):
        await sink.end()
    elif sample.get("ended_by") == "client":
        # Whoever hung up on it will again.
        await asyncio.Event().wait()
    else:
        await sink.cut()
