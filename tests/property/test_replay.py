"""Random agents whose recorded answers are handed out again: none diverges, unless it draws."""

import contextlib
import json
import random
import sys
from pathlib import Path
from types import SimpleNamespace

from hypothesis import given

sys.path.append(str(Path(__file__).parent))

from test_causal import MODERATE, SEEDS, Agent, Attempt, h

from passfloor.checking.replay import judge
from passfloor.projection import Symbols
from passfloor.recording.replayer import Recorded, Replayer
from passfloor.scrubbing import Scrubber


class Collected:
    """A sink: what was handed out."""

    def __init__(self):
        self.status, self.body = None, b""

    async def start(self, status, headers, reason=None):
        self.status = status

    async def send(self, data):
        self.body += data

    async def end(self):
        pass

    async def refuse(self, status, code, message):
        self.status = status


def handed(replayer, event):
    """Status, content and id of what the replayer answers."""
    sink = Collected()
    call = SimpleNamespace(asked=event, call=event["call"], method="POST")
    with contextlib.suppress(StopIteration):
        replayer.answer(call, sink).send(None)
    if sink.status == 400:
        return 400, "none", "none"
    message = json.loads(sink.body)["choices"][0]["message"]
    return sink.status, message["content"], message["tool_calls"][0]["id"]


class Again(Attempt):
    """The same attempt, another order of what is ready, and the answers of a recording."""

    def __init__(self, agent, number, luck, recorded):
        self.replayer, self.told = Replayer(Recorded.of(recorded.events), Scrubber()), {}
        self.replayer.begin(None, Symbols("/tmp/pf", recorded.attempt_id, ""))
        super().__init__(agent, number, luck)

    def _advance(self, thread):
        before = len(self.events)
        super()._advance(thread)
        for event in self.events[before:]:
            if event["kind"] == "model.request":
                self.told[event["call"]] = handed(self.replayer, event)

    def _first_byte(self, call):
        super()._first_byte(call)
        thread, ask = self.streaming[call]
        self.answers[call] = self.told[call]
        if ask.early:
            thread.value = (self.told[call][0], self.told[call][1][0])


def outcome(seed, *, then="", now=""):
    """Record an agent that draws ``then``, replay it where it draws ``now``; and whether it said so."""
    agents = [
        Agent(seed, named=True, draw=lambda place, own=own: own if not place or h(seed, place) % 2 else "")
        for own in (then, now)
    ]
    recorded = Attempt(agents[0], 1, random.Random(h(seed, "then"))).view()
    again = Again(agents[1], 1, random.Random(h(seed, "now")), recorded).view()
    seen = bool(then) and any(then in str(event.get("request")) for event in recorded.events)
    return judge(recorded, again, lacking=""), seen


@MODERATE
@given(SEEDS)
def test_an_agent_that_names_its_lanes_is_replayed_whatever_is_ready_first(seed):
    found, _ = outcome(seed)
    assert (found.held, found.same, found.detail) == (True, True, "")


@MODERATE
@given(SEEDS)
def test_what_an_agent_draws_for_itself_is_named(seed):
    found, seen = outcome(seed, then=" heads", now=" tails")
    assert (found.held, found.undecided) == (not seen, False)
    assert not seen or found.path.startswith("events[")
    assert outcome(seed, then=" heads", now=" heads")[0].held
