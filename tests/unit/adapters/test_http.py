"""An agent service that misbehaves on purpose, on loopback."""

import copy
import gzip
import itertools
import json
import pickle
import socket
import threading

import pytest

from passfloor.adapters.exchange import BODY_CAP
from passfloor.adapters.http import HttpAdapter
from passfloor.adapters.interface import AttemptSpec, is_attempt_adapter
from passfloor.adapters.retries import Reply
from passfloor.canonical import canonical
from passfloor.digests import attempt_seed
from passfloor.errors import UsageError
from passfloor.models.suite import Task
from passfloor.verification.steps import frame

TASK = Task.model_validate(
    {"id": "t", "description": "say yes", "assertions": [{"kind": "output_equals", "expected": "yes"}]}
)
SPEC = AttemptSpec(2, "ab" * 32, "run/0/2", 7, 123)
YES = (200, {}, {"output": "yes"})


@pytest.fixture
def run(server, clock):
    def attempt(*script, task=TASK, spec=SPEC, **options):
        server.script = list(script)
        adapter = HttpAdapter(server.url + "/run", clock=clock, environ={}, **options)
        events = adapter.run_attempt(task, spec, {})["events"]
        canonical(events)
        assert list(frame.problems(events, {})) == []
        return events

    return attempt


def error(events):
    return events[-1].get("error")


def said(events):
    return events[-3]["sample"]


def test_one_post_brings_the_task_and_is_named_by_the_attempt(run, server):
    events = run(YES)
    (seen,) = server.seen
    assert seen.path == "/run"
    assert seen.json == {"task_id": "t", "input": "say yes", "attempt_id": "ab" * 32, "seed": 123}
    assert seen.headers["Idempotency-Key"] == "ab" * 32
    assert seen.headers["Content-Type"] == "application/json"
    assert events == [
        {"seq": 0, "kind": "task.started", "task_hash": TASK.task_hash, "seed": 7},
        {"seq": 1, "kind": "model.output", "sample": {"stdout": "yes", "exit_code": None, "stderr_tail": ""}},
        {"seq": 2, "kind": "model.artifact", "sample": {}},
        {"seq": 3, "kind": "task.completed"},
    ]


def test_every_attempt_is_a_call_of_its_own(server):
    counter = itertools.count()
    server.script = [lambda handler: answer(handler, {"output": str(next(counter))})]
    adapter = HttpAdapter(server.url)
    outputs = [said(adapter.run_task(TASK, {})["events"])["stdout"] for _ in range(5)]
    assert outputs == ["0", "1", "2", "3", "4"]
    assert len({seen.headers["Idempotency-Key"] for seen in server.seen}) == 5
    assert [seen.json["seed"] for seen in server.seen] == [
        attempt_seed(0, TASK.task_hash, i) for i in range(5)
    ]


def answer(handler, value):
    body = json.dumps(value).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def test_events_of_the_answer_become_lines_of_the_journal(run):
    events = run(
        (200, {}, {"output": "yes", "events": [{"kind": "tool.call", "tool": "x", "id": "ab" * 32}]})
    )
    assert events[1] == {"seq": 1, "kind": "tool.call", "tool": "x", "id": "${attempt_id}"}
    assert events[-1]["kind"] == "task.completed"


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"kind": "model.output", "sample": "forged"}, "event 2: the kind 'model.output' is the harness's"),
        ({"seq": 1, "kind": "x"}, "event 2: seq is the harness's"),
        ("text", "event 2: is not a JSON object"),
        ({"kind": "x", "\ud835": 1}, "event 2: "),
        ({"kind": "x", "big": 2**53}, "event 2: "),
    ],
)
def test_a_bad_event_is_the_attempts_fault_and_the_output_is_kept(run, bad, says):
    events = run((200, {}, {"output": "yes", "events": [{"kind": "ok"}, bad]}))
    assert error(events)["type"] == "journal"
    assert error(events)["detail"].startswith(says)
    assert (events[1]["kind"], said(events)["stdout"]) == ("ok", "yes")


def test_limited_twice_and_then_answered_is_one_passed_attempt_with_two_waits(run, server, clock):
    limited = (429, {"Retry-After": "1"}, b"")
    events = run(limited, limited, YES)
    assert said(events)["stdout"] == "yes"
    assert said(events)["retries"] == [{"status": 429, "waited_ms": 1000}] * 2
    assert clock.waits == [1.0, 1.0]
    assert {seen.headers["Idempotency-Key"] for seen in server.seen} == {"ab" * 32}


def test_always_limited_is_errored_at_once_also_side_by_side(server, clock):
    server.script = [(429, {"Retry-After": "86400"}, b"")]
    adapter, found = HttpAdapter(server.url, clock=clock), []
    threads = [
        threading.Thread(target=lambda: found.append(adapter.run_task(TASK, {})["events"])) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [error(events) for events in found] == [{"type": "provider", "detail": "rate limited (429)"}] * 8
    assert len(server.seen) == 8
    assert clock.waits == []


def test_a_wrong_answer_is_never_asked_for_again(run, server):
    events = run((503, {}, b""), (200, {}, {"output": "no"}), YES)
    assert said(events)["stdout"] == "no"
    assert [retry["status"] for retry in said(events)["retries"]] == [503]
    assert len(server.seen) == 2


def test_no_retries_means_none(run, server):
    assert error(run((503, {}, b""), YES, retries=0)) == {"type": "provider", "detail": "server error (503)"}
    assert len(server.seen) == 1


def drop(handler):
    handler.connection.shutdown(socket.SHUT_RDWR)


def short(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"output": "yes"}')


def torn(handler):
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b'20\r\n{"output": "yes"}')


@pytest.mark.parametrize("breaks", [drop, short, torn])
def test_a_connection_that_breaks_is_met_by_another_call(run, breaks):
    events = run(breaks, YES)
    assert said(events)["stdout"] == "yes"
    assert [retry["error"] for retry in said(events)["retries"]] == ["connection dropped"]
    assert error(run(breaks, retries=0))["detail"] == "connection failed (connection dropped)"


def test_an_address_where_nothing_listens_is_errored_and_refused_by_the_check(clock):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    adapter = HttpAdapter(f"http://127.0.0.1:{port}/", clock=clock)
    events = adapter.run_attempt(TASK, SPEC, {})["events"]
    assert error(events) == {"type": "provider", "detail": "connection failed (connection refused)"}
    assert [retry["error"] for retry in said(events)["retries"]] == ["connection refused"] * 2
    with pytest.raises(UsageError, match=f"nothing listens at 127.0.0.1:{port}"):
        adapter.check()


def test_the_check_sends_no_request(server):
    HttpAdapter(server.url).check()
    assert server.seen == []


@pytest.mark.parametrize("way", ["hangs", "drips"])
def test_an_answer_that_does_not_come_in_time_is_a_timeout_and_not_asked_again(server, way):
    server.script = [getattr(server, way)]
    events = HttpAdapter(server.url, timeout_s=0.3).run_attempt(TASK, SPEC, {})["events"]
    assert error(events) == {"type": "timeout", "detail": "not finished after 0.3 s"}
    assert len(server.seen) == 1


def test_the_tasks_own_time_wins(server):
    server.script = [server.hangs]
    task = TASK.model_copy(update={"timeout_s": 0.2})
    events = HttpAdapter(server.url).run_attempt(task, SPEC, {})["events"]
    assert error(events)["detail"] == "not finished after 0.2 s"


def test_a_redirect_is_not_followed(run, server):
    events = run((302, {"Location": server.url + "/other"}, b""), YES)
    assert error(events) == {"type": "provider", "detail": "redirected (302); give the final address"}
    assert len(server.seen) == 1


def floods(handler):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(800):
        handler.wfile.write(b" " * 65536)


TOO_LONG = {"type": "provider", "detail": f"the answer is longer than {BODY_CAP} bytes"}


def test_a_body_without_end_is_not_read_to_its_end(run):
    assert error(run(floods)) == TOO_LONG


def test_a_packed_answer_is_unpacked_within_the_same_bound(run, server):
    packed = {"Content-Encoding": "gzip"}
    assert said(run((200, packed, gzip.compress(b'{"output": "yes"}'))))["stdout"] == "yes"
    assert server.seen[0].headers["Accept-Encoding"] == "identity"
    assert error(run((200, packed, gzip.compress(b" " * (BODY_CAP + 1))))) == TOO_LONG
    for body in (b'{"output": "yes"}', gzip.compress(b'{"output": "yes"}')[:-9]):
        assert error(run((200, packed, body)))["detail"] == "the answer says gzip and is none"
    unknown = "the answer is packed in a way that was not asked for"
    assert error(run((200, {"Content-Encoding": "br"}, b"")))["detail"] == unknown


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"<html>", "the answer is not JSON"),
        (b"", "the answer is not JSON"),
        (b"\xff", "the answer is not UTF-8"),
        (b"[]", "the answer is no JSON object"),
        (b"[" * 100_000, "the answer is nested too deep"),
        (b'{"output": "no", "output": "yes"}', "the answer names a member twice"),
        (b'{"answer": "yes"}', "the answer has no output that is a text"),
        (b'{"output": 7}', "the answer has no output that is a text"),
        (b'{"output": "yes", "events": {}}', "the answer's events are no list"),
    ],
)
def test_an_answer_that_is_none_is_errored_and_never_wrong(run, body, says):
    assert error(run((200, {}, body))) == {"type": "provider", "detail": says}


def test_events_of_any_depth_make_the_attempt_errored_and_stop_nothing(run):
    for depth in (*range(100, 1000, 50), *range(900, 1000)):
        nested = b"[" * depth + b"]" * depth
        found = error(run((200, {}, b'{"output": "yes", "events": [{"kind": "a", "x": ' + nested + b"}]}")))
        assert found["type"] in {"journal", "provider"}


def test_what_is_no_http_is_errored(run):
    assert "no HTTP" in error(run(lambda handler: handler.wfile.write(b"hello\r\n")))["detail"]


def test_half_a_surrogate_pair_is_replaced_and_flagged(run):
    sample = said(run((200, {}, rb'{"output": "a\ud835b"}')))
    assert sample["stdout"] == "a\ufffdb"
    assert list(sample["replaced"]) == ["stdout"]
    whole = said(run((200, {}, rb'{"output": "\ud835\udd38"}')))
    assert (whole["stdout"], "replaced" in whole) == ("\U0001d538", False)


def test_a_long_answer_keeps_its_start_and_says_how_much_is_missing(run):
    sample = said(run((200, {}, {"output": "x" * (1024 * 1024 + 5)})))
    assert (len(sample["stdout"]), sample["cut"]) == (1024 * 1024, 5)
    between = said(run((200, {}, {"output": "x" + "é" * (512 * 1024)})))
    assert (between["stdout"], between["cut"]) == ("x" + "é" * (512 * 1024 - 1), 2)
    assert "replaced" not in between


def test_the_value_of_a_header_appears_nowhere(server, clock):
    echo = {"output": "key is sk-canary-1234!", "events": [{"kind": "x", "header": "Bearer sk-canary-1234"}]}
    server.script = [(200, {}, echo)]
    adapter = HttpAdapter(
        server.url, headers_env={"X-Token": "TOKEN"}, environ={"TOKEN": "sk-canary-1234"}, clock=clock
    )
    events = adapter.run_attempt(TASK, SPEC, {})["events"]
    assert server.seen[0].headers["X-Token"] == "sk-canary-1234"
    assert said(events)["stdout"] == "key is ${TOKEN}!"
    assert said(events)["scrubbed"] == 1
    assert "sk-canary" not in json.dumps([events, adapter.identity(), adapter.options()])
    assert list(frame.problems(events, {})) == []


def test_a_header_whose_variable_is_not_set_or_not_fit_is_refused(server):
    with pytest.raises(UsageError, match="TOKEN is not set"):
        HttpAdapter(server.url, headers_env={"X-Token": "TOKEN"}, environ={}).check()
    for value in ("", "a\nb", "é"):
        with pytest.raises(UsageError, match="cannot stand in a header"):
            HttpAdapter(server.url, headers_env={"X-Token": "TOKEN"}, environ={"TOKEN": value})
    for name in ("Host", "X Y", "idempotency-key", "X:"):
        with pytest.raises(UsageError, match="no header that can be added"):
            HttpAdapter(server.url, headers_env={name: "TOKEN"}, environ={"TOKEN": "x"})


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:80", "ftp://h/", "http://", "http:///x", "http://h:99999/", "http://h:0/", "http://h/ x",
        "http://h/\n", "http://user:pw@h/", "http://h/#f", "http://[::1/", "file:///etc/passwd", "http://hé/",
        "http://a..b/", f"http://{'a' * 64}/",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_service_is_refused_without_repeating_it(url):
    with pytest.raises(UsageError) as refused:
        HttpAdapter(url)
    assert "pw" not in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("options", [{"retries": -1}, {"retries": True}, {"retries": 1.0}, {"timeout_s": 0}])
def test_numbers_that_cannot_be_are_refused(options):
    with pytest.raises(UsageError, match=next(iter(options))[:5].replace("timeo", "time-")):
        HttpAdapter("http://h/", **options)


def test_a_task_with_files_is_refused_since_they_cannot_be_handed_over():
    task = TASK.model_copy(update={"files": {"a": "x"}})
    with pytest.raises(UsageError, match="has starting files"):
        HttpAdapter("http://h/").run_attempt(task, SPEC, {})


def test_it_can_be_copied_and_pickled_and_tells_who_it_is():
    adapter = HttpAdapter("http://h:8/run", timeout_s=9, retries=1, environ={})
    for other in (copy.deepcopy(adapter), pickle.loads(pickle.dumps(adapter))):
        assert is_attempt_adapter(other)
        assert other.identity() == {"adapter": "http", "url": "http://h:8/run", "headers": {}}
        assert other.options() == {"timeout_s": 9, "retries": 1}
        assert other.score_task(TASK, {"events": []}) is not None


def test_a_call_can_be_made_by_another_sender():
    adapter = HttpAdapter("http://h/", send=lambda *_: Reply(200, {}, b'{"output": "yes"}'))
    assert said(adapter.run_attempt(TASK, SPEC, {})["events"])["stdout"] == "yes"


def test_a_secure_address_that_speaks_no_tls_is_errored(server):
    server.script = [YES]
    adapter = HttpAdapter(server.url.replace("http:", "https:"), retries=0)
    found = error(adapter.run_attempt(TASK, SPEC, {})["events"])
    assert found["type"] == "provider"
    assert "no secure connection" in found["detail"]
    assert server.seen == []


@pytest.mark.parametrize("wrong", [{}, 1, None, "1"])
def test_recorded_retries_are_a_list_and_the_frame_is_refused_where_they_are_not(run, wrong):
    events = run((503, {}, b""), YES)
    assert said(events)["retries"]
    said(events)["retries"] = wrong
    assert [place for place, _ in frame.problems(events, {})] == ["[1].sample"]
    said(events)["retries"] = []
    said(events)["again"] = []
    assert [place for place, _ in frame.problems(events, {})] == ["[1].sample"]


@pytest.mark.parametrize(
    ("headers", "more", "by"),
    [
        ({"X-Cache": "HIT", "Age": "12"}, {}, ["age", "x-cache"]),
        ({}, {"cached": True}, ["cached"]),
        ({"X-Cache": "MISS", "Age": "0"}, {"cached": False}, None),
        ({}, {"cached": "true"}, None),
        ({}, {"cached": True, "events": []}, ["cached"]),
    ],
)
def test_an_answer_that_says_it_was_kept_is_flagged_in_the_sample(run, headers, more, by):
    events = run((200, headers, {"output": "yes", **more}))
    assert said(events).get("cached") == by
    assert error(events) is None


@pytest.mark.parametrize("wrong", [{}, 1, None, "x-cache", [], [1], ["x-cache", None]])
def test_what_says_so_is_a_list_of_names_and_the_frame_is_refused_where_it_is_not(run, wrong):
    events = run((200, {"X-Cache": "HIT"}, {"output": "yes"}))
    said(events)["cached"] = wrong
    assert [place for place, _ in frame.problems(events, {})] == ["[1].sample"]
