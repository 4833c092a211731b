"""Handing out recorded answers: which one, how it ends, what callables are told."""

import asyncio
import weakref
from types import SimpleNamespace

import pytest

from passfloor import blobs
from passfloor.adapters.function import FunctionAdapter
from passfloor.adapters.interface import AttemptSpec
from passfloor.models.suite import Task
from passfloor.projection import Symbols
from passfloor.recording.attempts import Recording
from passfloor.recording.forwarding import Upstreams
from passfloor.recording.recorder import Recorder
from passfloor.recording.replayer import (
    MOST_EXCHANGES,
    REPLAY_KEYS,
    Exchanged,
    Recorded,
    Replayer,
    _serve,
)
from passfloor.recording.server import ModelProxy
from passfloor.scrubbing import Scrubber

TASK = Task.model_validate({"id": "t", "description": "do it"})
SPEC = AttemptSpec(0, "a" * 64, "run/0/0", 0, 1)

FUNCTIONS = """
import functools, os
from pathlib import Path

SEEN = Path(__file__).with_name("seen")

def asked(value):
    SEEN.write_text(SEEN.read_text() + "x")
    return value

def plain(task, attempt):
    one = attempt.sample(lambda: asked({"n": 3}))
    two = attempt.model({"ask": "name", "where": str(attempt.workspace)}, lambda: asked("Ada"), lane="side")
    attempt.emit("note", said=two)
    return f"{one['n']} {two} {attempt.sample(lambda: asked(None))}"

async def later(task, attempt):
    async def call():
        return asked(["Ada"])
    one = await attempt.model("name", call)
    two = await attempt.model("other", lambda: call())
    three = attempt.sample(lambda: asked("now"))
    return one[0] + two[0] + three + str(len(await attempt.sample(lambda: call())))

def more(task, attempt):
    wanted = 2 if Path(__file__).with_name("more").exists() else 1
    return " ".join(str(attempt.sample(lambda: asked(1))) for _ in range(wanted))

def other(task, attempt):
    word = "b" if Path(__file__).with_name("more").exists() else "a"
    return attempt.model(word, lambda: asked("yes"))
"""


@pytest.fixture
def run(tmp_path):
    """``run(name, source)``: the events of one attempt, and how often something was asked anew."""
    (tmp_path / "agents_again.py").write_text(FUNCTIONS)
    seen = tmp_path / "seen"

    def go(name, source):
        seen.write_text("")
        adapter = FunctionAdapter(f"agents_again:{name}", workspace_root=tmp_path, start_folder=tmp_path)
        adapter.record(Recording(lambda _: source, keys=REPLAY_KEYS))
        try:
            events = adapter.run_attempt(TASK, SPEC, {})["events"]
        finally:
            adapter.close()
        return events, len(seen.read_text())

    return go


def again(events):
    return Replayer(Recorded.of(blobs.externalise(events)[0]), Scrubber())


@pytest.mark.parametrize("name", ["plain", "later"])
def test_a_callable_is_told_what_was_recorded_and_asks_nobody(run, name):
    events, asked = run(name, Upstreams({}))
    assert events[-1]["kind"] == "task.completed", events[-1]
    assert asked >= 3
    repeated, asked = run(name, again(events))
    assert (repeated, asked) == (events, 0)


@pytest.mark.parametrize("name", ["more", "other"])
def test_a_callable_that_asks_for_what_was_not_recorded_is_refused(run, tmp_path, name):
    events, _ = run(name, Upstreams({}))
    (tmp_path / "more").touch()
    source = again(events)
    refused, asked = run(name, source)
    assert (asked, source.unanswered) == (0, 1)
    assert "nothing was recorded" in refused[-1]["error"]["detail"]


def test_what_was_recorded_of_an_attempt_is_let_go_of_when_it_is_over():
    proxy = ModelProxy()
    proxy.start()
    try:
        source = Replayer(Recorded.of([]), Scrubber())
        kept, address = weakref.ref(source), proxy.open(Recorder(), source)
        del source
        assert kept() is not None
        proxy.shut(address)
        assert kept() is None
    finally:
        proxy.close()


class Sink:
    def __init__(self):
        self.told = []

    async def start(self, status, headers, reason=None):
        self.told.append((status, dict(headers)))

    async def send(self, data):
        self.told.append(data)

    async def end(self):
        self.told.append("end")

    async def cut(self):
        self.told.append("cut")


JSON = {"content-type": "application/json", "retry-after": "0"}


@pytest.mark.parametrize(
    ("sample", "method", "clean", "told"),
    [
        (
            {"status": 429, "text": "no", "complete": True, "headers": JSON},
            "POST", False, [(429, {**JSON, "content-length": "2"}), b"no", "end"],
        ),
        ({"status": 200, "text": "", "complete": True}, "HEAD", False, [(200, {}), "end"]),
        ({"status": 204, "text": "", "complete": True}, "POST", False, [(204, {}), "end"]),
        (
            {"status": 200, "base64": "/w==", "complete": True},
            "GET", False, [(200, {"content-length": "1"}), b"\xff", "end"],
        ),
        (
            {"status": 200, "text": "data: x", "complete": False, "ended_by": "upstream"},
            "POST", False, [(200, {}), b"data: x", "cut"],
        ),
        (
            {"status": 200, "text": "data: x", "complete": False, "ended_by": "upstream"},
            "POST", True, [(200, {}), b"data: x", "end"],
        ),
        ({"status": None, "text": "", "complete": False, "ended_by": "upstream"}, "POST", True, ["cut"]),
    ],
)  # fmt: skip
def test_an_answer_is_served_as_it_was_and_ends_as_it_ended(sample, method, clean, told):
    sink = Sink()
    asyncio.run(_serve(sample, method, sink, clean=clean))
    assert sink.told == told


def test_an_answer_that_the_agent_gave_up_is_held_open_until_it_does_again():
    async def go():
        sink = Sink()
        sample = {"status": 200, "text": "da", "complete": False, "ended_by": "client"}
        serving = asyncio.create_task(_serve(sample, "POST", sink, clean=False))
        done, _ = await asyncio.wait([serving], timeout=0.05)
        serving.cancel()
        return sink.told, done

    told, done = asyncio.run(go())
    assert (told, done) == ([(200, {}), b"da"], set())


def asked(call, content="same", lane=""):
    frame = {"dialect": "other", "method": "POST", "path": "/openai/x"}
    return {"kind": "model.request", "call": call, "lane": lane, **frame, "request": {"q": content}}


def answered(call, text, **sample):
    told = {"status": 200, "said": text, "text": text, "complete": True, **sample}
    return {"kind": "model.output", "call": call, "sample": told}


def told(*events):
    return Recorded.of([{"seq": seq, **event} for seq, event in enumerate(events)])


def test_answers_may_be_exchanged_only_where_calls_overlapped_and_they_differ():
    apart = told(asked(0), answered(0, "x"), asked(1), answered(1, "y"))
    alike = told(asked(0), asked(1), answered(0, "x"), answered(1, "x"))
    beside = told(asked(0), asked(1), answered(1, "y"), answered(0, "x"))
    assert [list(found.exchanges(found.raced)) for found in (apart, alike)] == [[], []]
    ways = list(beside.exchanges(beside.raced))
    assert len(ways) == MOST_EXCHANGES
    (name,) = beside.raced
    assert ways[0] == Exchanged({name: (1, 0)})
    assert [sample["text"] for sample in beside.answers[name]] == ["x", "y"]
    now = list(apart.exchanges(frozenset(apart.answers)))
    assert len(now) == MOST_EXCHANGES


def test_a_broken_stream_may_have_ended_as_a_whole_one():
    broken = told(asked(0), answered(0, "x", complete=False, ended_by="upstream"))
    assert list(broken.exchanges(frozenset())) == [Exchanged({}, clean=True)]
    assert broken.lacking == ""


def test_what_was_not_kept_as_it_was_is_told():
    assert "secrets" in told(asked(0), answered(0, "x", scrubbed=1)).lacking
    assert "too long" in told(asked(0), answered(0, "", complete=False)).lacking


def test_a_request_gets_the_lowest_answer_that_is_left_and_then_none():
    recorded = told(
        asked(0), answered(0, "x"), asked(1), answered(1, "y"), asked(2, "other"), answered(2, "z")
    )
    source = Replayer(recorded, Scrubber())
    source.begin(None, Symbols("", "a" * 64, ""))

    class Refusing(Sink):
        async def refuse(self, status, code, message):
            self.told.append((status, code))

    def ask(call, content="same"):
        sink = Refusing()
        exchange = SimpleNamespace(asked=asked(call, content), call=call, method="POST")
        asyncio.run(source.answer(exchange, sink))
        return sink.told

    assert [ask(0, "other")[1], ask(1)[1], ask(2)[1]] == [b"z", b"x", b"y"]
    assert ask(3) == [(400, "not_recorded")]
    assert source.unanswered == 1
