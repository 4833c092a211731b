"""The order of what was recorded, and what becomes of calls that are open when the agent has ended."""

import gzip
import json
import threading

from passfloor.recording.bodies import BODY_CAP, reply_members
from passfloor.recording.recorder import Recorder

JSON = [("content-type", "application/json")]
STREAM = [("content-type", "text/event-stream")]


def ask(recorder, body=b"{}", headers=(), path="/chat/completions"):
    return recorder.asked("openai", "POST", path, list(headers), body)


def answer(exchange, *chunks, headers=JSON, by=None):
    exchange.began(200, headers)
    for chunk in chunks:
        exchange.feed(chunk)
    exchange.ended(by)


def shape(taken):
    return [(event["kind"].partition(".")[2], event.get("call")) for event in taken.events]


def test_a_reply_of_many_packed_members_is_kept_as_it_came():
    for members, key in ((100, "text"), (101, "base64")):
        exchange = ask(recorder := Recorder())
        answer(exchange, gzip.compress(b"a") * members, headers=[*JSON, ("content-encoding", "gzip")])
        sample = recorder.finish().events[-1]["sample"]
        assert key in sample
    assert reply_members(gzip.compress(b"a") * 100, coding="gzip", whole=True) == {"text": "a" * 100}


def test_calls_are_numbered_as_they_arrive_and_answers_stand_where_their_first_byte_left():
    recorder = Recorder()
    first, second = ask(recorder), ask(recorder)
    second.began(200, STREAM)
    third = ask(recorder)
    answer(first, b"{}")
    answer(third, b"{}")
    second.feed(b"data: [DONE]\n\n")
    second.ended(None)
    assert shape(recorder.finish()) == [
        ("request", 0),
        ("request", 1),
        ("output", 1),
        ("request", 2),
        ("output", 0),
        ("output", 2),
    ]


def test_journal_lines_stand_where_they_were_read():
    lines = [
        [{"kind": "tool.call", "tool": "a"}],
        [{"kind": "tool.call", "tool": "b"}],
        [{"kind": "note.end"}],
    ]
    asked_last = []

    def read(final):
        asked_last.append(final)
        return lines.pop(0)

    recorder = Recorder(read)
    answer(ask(recorder), b"{}")
    answer(ask(recorder), b"{}")
    kinds = [event.get("tool") or event["kind"] for event in recorder.finish().events]
    assert kinds == ["a", "model.request", "model.output", "b", "model.request", "model.output", "note.end"]
    assert asked_last == [False, False, True]


def test_calls_declared_in_the_journal_are_numbered_with_the_others():
    lines = [
        [
            {"kind": "model.request", "ref": "r1", "dialect": "other", "request": 1},
            {"kind": "model.request", "ref": "r2", "lane": "x", "dialect": "other", "request": 2},
        ],
        [
            {"kind": "model.output", "ref": "r2", "sample": 2},
            {"kind": "model.output", "ref": "r1", "sample": 1},
        ],
    ]
    recorder = Recorder(lambda _: lines.pop(0))
    answer(ask(recorder), b"{}")
    taken = recorder.finish()
    # The reply to the last had left before the journal was read again.
    assert [call for kind, call in shape(taken) if kind == "request"] == [0, 1, 2]
    assert [call for kind, call in shape(taken) if kind == "output"] == [2, 1, 0]
    assert "ref" not in json.dumps(taken.events)
    assert [event["lane"] for event in taken.events[:3]] == ["", "x", ""]


def test_what_an_agent_leaves_open_is_waited_for_and_kept():
    recorder = Recorder()
    exchange = ask(recorder)
    exchange.began(200, JSON)
    waiting = threading.Event()

    def end():
        waiting.wait(20)
        exchange.feed(b"{}")
        exchange.ended(None)

    thread = threading.Thread(target=end)
    thread.start()
    waiting.set()
    taken = recorder.finish(settle_s=20)
    thread.join()
    assert taken.events[1]["sample"]["complete"]


def test_what_is_still_open_then_was_left_by_the_agent():
    recorder = Recorder()
    begun, silent = ask(recorder), ask(recorder)
    begun.began(200, STREAM)
    begun.feed(b"data: {}\n\n")
    taken = recorder.finish(settle_s=0)
    samples = [event["sample"] for event in taken.events[2:]]
    assert [sample["ended_by"] for sample in samples] == ["client", "client"]
    assert [sample["status"] for sample in samples] == [200, None]
    assert taken.fault is None
    # Nothing that comes later changes it.
    for exchange in (begun, silent):
        exchange.feed(b"late")
        exchange.ended(None)
    assert ask(recorder) is None
    assert len(taken.events) == 4


def test_an_agent_that_ends_when_it_has_everything_broke_nothing_off():
    recorder = Recorder()
    whole, stream, short = (ask(recorder) for _ in range(3))
    answer(whole, b'{"a":', b"1}", headers=[*JSON, ("content-length", "7")], by="client")
    answer(stream, b"data: {}\n\n", b"data: [DONE]\n\n", headers=STREAM, by="client")
    answer(short, b'{"a":', headers=[*JSON, ("content-length", "7")], by="client")
    samples = [event["sample"] for event in recorder.finish().events[3:]]
    assert [sample["complete"] for sample in samples] == [True, True, False]


def test_a_provider_that_breaks_off_after_the_mark_broke_nothing_off():
    recorder = Recorder()
    answer(ask(recorder), b"data: {}\n\ndata: [DONE]\n\n", headers=STREAM, by="upstream")
    taken = recorder.finish()
    assert taken.events[1]["sample"]["complete"]
    assert taken.fault is None


def test_the_first_reply_that_broke_off_is_named():
    recorder = Recorder()
    for by in (None, "upstream", "upstream"):
        answer(ask(recorder), b"{}", by=by)
    assert recorder.finish().fault == {"type": "stream", "detail": "call 1: the upstream broke off its reply"}


def test_what_is_too_long_to_keep_makes_the_attempt_errored():
    recorder = Recorder()
    exchange = ask(recorder)
    exchange.began(200, JSON)
    for _ in range(17):
        exchange.feed(b" " * (1 << 20))
    exchange.ended(None)
    taken = recorder.finish()
    assert taken.fault == {"type": "capture", "detail": f"call 0: the reply is longer than {BODY_CAP} bytes"}
    assert taken.events[1]["sample"]["complete"] is False
    recorder = Recorder()
    answer(ask(recorder, b" " * (BODY_CAP + 1)), b"{}")
    assert recorder.finish().fault["detail"] == f"call 0: the request is longer than {BODY_CAP} bytes"


def test_a_small_reply_that_unpacks_to_too_much_is_too_long():
    import gzip

    recorder = Recorder()
    answer(ask(recorder), gzip.compress(b" " * (BODY_CAP + 1)), headers=[("content-encoding", "gzip")])
    assert recorder.finish().fault["type"] == "capture"


def test_a_request_holds_no_half_characters():
    recorder = Recorder()
    headers = [("anthropic-beta", "\udcff"), ("anthropic-beta", "b")]
    answer(ask(recorder, headers=headers, path="/x\udcff"), b"{}")
    event = recorder.finish().events[0]
    assert event["headers"] == {"anthropic-beta": "\ufffd, b"}
    assert event["path"] == "/openai/x\ufffd"
