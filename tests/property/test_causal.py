"""Random agents under a random scheduler: none whose acts follow from what it heard is ever flagged."""

import hashlib
import itertools
import json
import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from passfloor import blobs
from passfloor.projection import AttemptView, Symbols, acts_of, compare_causally

MODERATE = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
SEEDS = st.integers(0, 2**32)
SEARCH = 120


def h(*parts):
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6])


class Ask:
    """A call of the model; ``early``: go on at its first token."""

    def __init__(self, lane, messages, *, early=False):
        self.lane, self.messages, self.early = lane, messages, early


class Rest:
    """Wait for the end of the stream that an early ``Ask`` began."""


class Agent:
    """A deterministic program of threads: what it does is a function of its seed and of what it heard.

    ``named``: every thread is a lane of its own. ``draw``: what the agent draws for itself, nothing by
    default.
    """

    def __init__(self, seed, *, named=False, draw=lambda place: ""):
        self.seed, self.named, self.draw = seed, named, draw

    def thread(self, place, state, depth):
        lane = place if self.named else ""
        messages = [{"role": "user", "content": f"{place} {state}{self.draw(place)}"}]
        for step in range(1 + h(self.seed, place, "steps") % 3):
            kind = h(self.seed, place, step, state) % 7
            inner = f"{place}.{step}"
            if kind in (0, 1):
                messages, state = yield from self.turn(lane, messages, state)
            elif kind == 2 and depth:
                votes = [self.vote(f"{inner}v{i}" if self.named else "", messages, state) for i in range(3)]
                state = h(sorted((yield votes)))
            elif kind == 3 and depth:
                state = h((yield [self.thread(f"{inner}t{i}", state, depth - 1) for i in range(2)]))
            elif kind == 4:
                while (yield Ask(lane, [*messages, {"role": "user", "content": f"again {state}"}]))[
                    1
                ] == "Ax":
                    state = h(state, "again") % 50
            elif kind == 5:
                first = yield Ask(lane, [{"role": "user", "content": f"{inner} {state} stream"}], early=True)
                heard = yield [self.vote(f"{inner}e" if self.named else "", [{"first": list(first)}], state)]
                state = h(state, heard, (yield Rest())[:2])
            elif not place or self.named:
                yield {"kind": "note", "lane": lane, "state": state}
        return state

    def turn(self, lane, messages, state):
        """A chat with tools, which echoes the ids it was given; asks again when it is told to wait."""
        tries, status = 0, None
        while tries < 3 and status != 200:
            status, content, tool = yield Ask(lane, messages)
            tries += 1
        said = {"role": "assistant", "tool_calls": [{"id": tool, "arguments": content}]}
        done = {"role": "tool", "tool_call_id": tool, "content": f"result of {tool} for {content}"}
        return [*messages, said, done], h(state, status, content, tries) % 50

    def vote(self, lane, messages, state):
        status, content, _ = yield Ask(lane, [*messages, {"role": "user", "content": f"vote {state}"}])
        return h(status, content)


class Thread:
    """One thread of an agent at work: what started it, what it waits for, and its early stream."""

    def __init__(self, gen, parent=None, slot=0):
        self.gen, self.parent, self.slot = gen, parent, slot
        self.results, self.value = [], None
        self.stream, self.rest = None, False


class Attempt:
    """One run of an agent: the order of what is ready is drawn, and so is every answer."""

    def __init__(self, agent, number, luck, *, ids="fresh", cut=0.0):
        self.luck, self.ids, self.id = luck, ids, hashlib.sha256(b"attempt %d" % number).hexdigest()
        self.events, self.answers = [{"kind": "task.started", "task_hash": "0" * 64, "seed": 0}], {}
        self.runnable, self.waiting, self.streaming = [Thread(agent.thread("", 0, 2))], {}, {}
        self.whole, self.end, self.errored = set(), None, False
        while ways := [*self._ways()]:
            if luck.random() < cut:
                self.errored = True
                break
            way, which = luck.choice(ways)
            way(which)
        self._close()

    def _ways(self):
        yield from ((self._advance, thread) for thread in self.runnable)
        yield from ((self._first_byte, call) for call in self.waiting)
        yield from ((self._last_byte, call) for call in self.streaming)

    def _wake(self, thread, value):
        thread.value = value
        self.runnable.append(thread)

    def _advance(self, thread):
        self.runnable.remove(thread)
        try:
            wanted = thread.gen.send(thread.value)
        except StopIteration as end:
            self._joined(thread, end.value)
            return
        if isinstance(wanted, Ask):
            call = len(self.answers) + len(self.waiting)
            self.waiting[call] = (thread, wanted)
            self.events.append(request(call, wanted))
        elif isinstance(wanted, Rest):
            thread.rest = True
            if thread.stream in self.whole:
                self._wake(thread, self.answers[thread.stream])
        elif isinstance(wanted, dict):
            self.events.append(wanted)
            self._wake(thread, None)
        else:
            thread.results = [None] * len(wanted)
            self.runnable += [Thread(gen, thread, slot) for slot, gen in enumerate(wanted)]

    def _joined(self, thread, result):
        if thread.parent is None:
            self.end = result
            return
        thread.parent.results[thread.slot] = [result]
        if None not in thread.parent.results:
            self._wake(thread.parent, [item[0] for item in thread.parent.results])

    def _first_byte(self, call):
        thread, ask = self.waiting.pop(call)
        status = 429 if self.luck.random() < 0.15 else 200
        content = self.luck.choice("AB") + self.luck.choice("xy")
        tool = f"call_{self.luck.getrandbits(64):016x}" if self.ids == "fresh" else "functions.search:0"
        self.answers[call] = (status, content, tool)
        self.events.append({"kind": "model.output", "call": call})
        self.streaming[call] = (thread, ask)
        if ask.early:
            thread.stream, thread.rest = call, False
            self._wake(thread, (status, content[0]))

    def _last_byte(self, call):
        thread, ask = self.streaming.pop(call)
        self.whole.add(call)
        self.events.append({"last": call})
        if not ask.early or thread.rest:
            self._wake(thread, self.answers[call])

    def _close(self):
        output = {"stdout": "" if self.errored else str(self.end), "exit_code": None, "stderr_tail": ""}
        self.events += [{"kind": "agent.output", "value": output}, {"kind": "agent.artifact", "value": {}}]
        self.events.append({"kind": "attempt.errored"} if self.errored else {"kind": "task.completed"})

    def view(self, *, late=False, shared=False, owing=False):
        """The sealed attempt; each argument takes a part of the rule away.

        ``late``: an answer stands at its last byte. ``shared``: no answer is the attempt's own. ``owing``: a
        cut attempt owes all.
        """
        symbols = Symbols("/tmp/pf", self.id, "")
        sealed = []
        for event in self._placed(late=late):
            if event["kind"] == "model.output":
                event = {**event, "sample": self._sample(event["call"])}
            sealed.append(symbols.seal({**event, "seq": len(sealed)}))
        if owing and self.errored:
            sealed.pop()
        events, _ = blobs.externalise(sealed)
        return AttemptView(events, attempt_id="" if shared else self.id)

    def _placed(self, *, late):
        for event in self.events:
            if not late and "last" not in event:
                yield event
            elif late and event.get("kind") != "model.output":
                yield {"kind": "model.output", "call": event["last"]} if "last" in event else event

    def _sample(self, call):
        status, content, tool = self.answers[call]
        made = {"id": tool, "type": "function", "function": {"name": "f", "arguments": content}}
        message = {"role": "assistant", "content": content, "tool_calls": [made]}
        reply = {"id": f"chatcmpl-{tool}", "choices": [{"index": 0, "message": message}]}
        return {"status": status, "text": json.dumps(reply), "complete": call in self.whole}


def request(call, ask):
    body = {"model": "m", "messages": ask.messages}
    frame = {"dialect": "openai_chat", "method": "POST", "path": "/openai/v1/chat/completions"}
    return {"kind": "model.request", "call": call, "lane": ask.lane, **frame, "request": body}


def attempts(seed, n=4, *, named=False, **options):
    """Attempts of one deterministic agent, each with luck of its own."""
    agent = Agent(seed, named=named)
    return [Attempt(agent, number, random.Random(h(seed, number)), **options) for number in range(n)]


def judged(made, **ablation):
    return compare_causally([attempt.view(**ablation) for attempt in made])


SETTINGS = {
    "common_lane": {},
    "lanes": {"named": True},
    "cut": {"cut": 0.03},
    "cut_lanes": {"named": True, "cut": 0.03},
    "ids_that_come_again": {"ids": "fixed"},
    "ids_that_come_again_in_lanes": {"ids": "fixed", "named": True},
}


@pytest.mark.parametrize("options", SETTINGS.values(), ids=SETTINGS)
@MODERATE
@given(SEEDS)
def test_no_agent_that_follows_from_what_it_heard_is_flagged(options, seed):
    outcome = judged(attempts(seed, **options))

    assert outcome.divergence is None
    assert outcome.identical
    assert len(outcome.hash) == 64


@pytest.mark.parametrize(
    ("ablation", "options"),
    [
        ({"late": True}, {"named": True}),
        ({"shared": True}, {}),
        ({"owing": True}, {"cut": 0.03}),
    ],
    ids=["an_answer_at_its_last_byte", "no_private_answers", "cut_attempts_owe_all"],
)
def test_each_part_of_the_rule_is_needed(ablation, options):
    made = (attempts(seed, **options) for seed in range(SEARCH))

    flagged = sum(not judged(each, **ablation).identical for each in made)

    assert flagged


def drawing(seed, **options):
    """Attempts of an agent that draws something for itself in one of its threads."""
    made = []
    for number in range(3):
        luck = random.Random(h(seed, number))
        own = luck.choice(["", " 1", " 2"])
        agent = Agent(seed, draw=lambda place, own=own: own if not place or h(seed, place) % 2 else "")
        made.append(Attempt(agent, number, luck, **options))
    return made


def owes(a, b):
    """The rule for one pair, as it is written down: the first act that b owes to a, or None."""
    pools = {heard: Counter(act.digest for act in b if act.heard is heard) for heard in (True, False)}
    for act in a:
        if not pools[act.heard][act.digest]:
            return None if act.heard else act
        pools[act.heard][act.digest] -= 1
    return None


def pair_by_pair(views):
    acts = [acts_of(view.events, view.attempt_id) for view in views]
    pairs = itertools.permutations(range(len(views)), 2)
    return not any(owes(acts[a], acts[b]) for a, b in pairs if not views[b].errored)


@MODERATE
@given(SEEDS, st.sampled_from([0.0, 0.03]))
def test_all_pairs_at_once_come_to_what_they_come_to_one_by_one(seed, cut):
    views = [attempt.view() for attempt in drawing(seed, cut=cut)]

    assert compare_causally(views).identical == pair_by_pair(views)


def test_a_draw_is_flagged_wherever_an_act_differs_before_a_different_answer():
    outcomes = [judged(drawing(seed)) for seed in range(SEARCH)]

    flagged = [outcome.divergence for outcome in outcomes if outcome.divergence is not None]
    assert len(flagged) > SEARCH // 10
    assert all(found.path.startswith("events[") for found in flagged)
