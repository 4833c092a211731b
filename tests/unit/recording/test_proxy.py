"""The proxy: bytes pass untouched and at once, and what passes is recorded as it was."""

import gzip
import http.client
import json
import socket
import threading
import zlib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fake_upstream import Reply, byte_by_byte, chat, chat_chunks, gzipped, plain, stream

from passfloor.dialects import read_reply

CHAT = "/openai/chat/completions"
BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}).encode()


class Connection(http.client.HTTPConnection):
    """A client that sends what it is told and undoes nothing."""

    def __init__(self, address):
        self.base = urlsplit(address)
        super().__init__(self.base.hostname, self.base.port, timeout=20)

    def ask(self, method="POST", path=CHAT, body=BODY, **headers):
        self.request(method, self.base.path + path, body, {"Content-Type": "application/json", **headers})
        return self.getresponse()


def ask(rig, *args, **headers):
    connection = Connection(rig.address)
    try:
        reply = connection.ask(*args, **headers)
        return reply, reply.read()
    finally:
        connection.close()


def outputs(taken):
    return [event["sample"] for event in taken.events if event["kind"] == "model.output"]


def requests(taken):
    return [event for event in taken.events if event["kind"] == "model.request"]


def test_a_call_is_passed_on_and_recorded(rig):
    whole = chat("yes")
    made = rig(lambda _: plain(whole))
    reply, body = ask(made)
    taken = made.recorder.finish()
    assert (reply.status, json.loads(body)) == (200, whole)
    assert made.upstream.seen[0].path == "/v1/chat/completions"
    assert made.upstream.seen[0].body == BODY
    asked, heard = taken.events
    assert asked == {
        "kind": "model.request",
        "call": 0,
        "lane": "",
        "dialect": "openai_chat",
        "method": "POST",
        "path": CHAT,
        "request": json.loads(BODY),
    }
    assert heard == {
        "kind": "model.output",
        "call": 0,
        "sample": {
            "status": 200,
            "text": body.decode(),
            "complete": True,
            "headers": {"content-type": "application/json"},
        },
    }
    assert taken.fault is None


def test_no_credential_is_recorded_and_all_of_them_pass(rig):
    made = rig(lambda _: plain(chat(), **{"Set-Cookie": "session=canary", "X-Request-Id": "canary"}))
    headers = {
        "Authorization": "Bearer canary",
        "x-api-key": "canary",
        "Cookie": "a=canary",
        "OpenAI-Organization": "o",
    }
    reply, _ = ask(made, "POST", f"{CHAT}?api-version=1&key=canary&api_key=canary", BODY, **headers)
    seen = made.upstream.seen[0]
    for name, value in headers.items():
        assert seen.headers[name.lower()] == value
    assert seen.path.endswith("?api-version=1&key=canary&api_key=canary")
    assert reply.getheader("set-cookie") == "session=canary"
    taken = made.recorder.finish()
    assert "canary" not in json.dumps(taken.events)
    assert requests(taken)[0]["path"] == f"{CHAT}?api-version=1&key=[scrubbed]&api_key=[scrubbed]"


def test_the_few_headers_that_count_are_recorded(rig):
    made = rig(lambda _: plain({}))
    ask(
        made,
        "POST",
        "/anthropic/v1/messages",
        BODY,
        **{"anthropic-version": "1", "Anthropic-Beta": "b", "x-y": "z"},
    )
    assert made.upstream.seen[0].path == "/v1/messages"
    assert requests(made.recorder.finish())[0]["headers"] == {"anthropic-version": "1", "anthropic-beta": "b"}


def test_a_lane_is_read_and_not_passed_on(rig):
    made = rig(lambda _: plain({}))
    ask(made, "POST", CHAT, BODY, **{"X-Passfloor-Lane": "left"})
    ask(made, "POST", CHAT, BODY, **{"X-Passfloor-Lane": "l" * 101})
    assert [event["lane"] for event in requests(made.recorder.finish())] == ["left", ""]
    assert not any("passfloor" in name for seen in made.upstream.seen for name in seen.headers)


def test_headers_of_one_connection_stay_on_it(rig):
    def answer(_):
        reply = plain({})
        reply.headers |= {"Connection": "x-hop", "X-Hop": "1", "Keep-Alive": "timeout=9", "X-Kept": "1"}
        return reply

    made = rig(answer)
    reply, _ = ask(
        made,
        "POST",
        CHAT,
        BODY,
        Connection="keep-alive, x-mine",
        **{"X-Mine": "1", "TE": "trailers", "X-Kept": "2"},
    )
    seen = made.upstream.seen[0].headers
    assert "x-mine" not in seen
    assert "te" not in seen
    assert seen["x-kept"] == "2"
    assert seen["host"] == urlsplit(made.upstream.url).netloc
    assert reply.getheader("x-hop") is None
    assert reply.getheader("x-kept") == "1"


def test_nothing_is_added_to_a_request_that_has_no_such_header(rig):
    made = rig(lambda _: plain({}))
    connection = Connection(made.address)
    connection.putrequest("POST", connection.base.path + CHAT, skip_accept_encoding=True)
    connection.putheader("Content-Length", "2")
    connection.endheaders(b"{}")
    connection.getresponse().read()
    connection.close()
    assert set(made.upstream.seen[0].headers) <= {"host", "content-length", "connection"}


def test_a_stream_is_handed_on_event_by_event(rig):
    go_on = threading.Semaphore(0)

    def slowly():
        for event in chat_chunks("ab"):
            yield f"data: {json.dumps(event)}\n\n".encode()
            go_on.acquire(timeout=20)
        yield b"data: [DONE]\n\n"

    made = rig(lambda _: Reply(200, {"Content-Type": "text/event-stream"}, slowly()))
    connection = Connection(made.address)
    reply = connection.ask()
    # The next event is not made before this one was here: waiting for it would wait for ever.
    for _ in chat_chunks("ab"):
        assert reply.readline().startswith(b"data: {")
        assert reply.readline() == b"\n"
        go_on.release()
    assert reply.read() == b"data: [DONE]\n\n"
    connection.close()
    assert outputs(made.recorder.finish())[0]["complete"]


def test_the_head_of_a_stream_does_not_wait_for_its_first_event(rig):
    go_on = threading.Event()

    def later():
        go_on.wait(20)
        yield b"data: [DONE]\n\n"

    made = rig(lambda _: Reply(200, {"Content-Type": "text/event-stream"}, later()))
    connection = Connection(made.address)
    reply = connection.ask()
    assert reply.status == 200
    go_on.set()
    assert reply.read() == b"data: [DONE]\n\n"
    connection.close()


def test_single_bytes_through_characters_of_several_are_recorded_whole(rig):
    made = rig(lambda _: byte_by_byte(stream(chat_chunks("héé ✓ 🙂"))))
    _, body = ask(made)
    taken = made.recorder.finish()
    sample = outputs(taken)[0]
    assert sample["text"].encode() == body
    assert sample["complete"]
    said = read_reply("openai_chat", sample["text"]).said
    assert said["choices"][0]["message"]["content"] == "héé ✓ 🙂"


def test_case_19_a_gzipped_reply_passes_untouched_and_is_recorded_as_text(rig):
    whole = chat("yes")
    sent = gzipped(whole)
    made = rig(lambda _: sent)
    reply, body = ask(made, "POST", CHAT, BODY, **{"Accept-Encoding": "gzip, br, zstd"})
    assert body == sent.chunks[0]
    assert reply.getheader("content-encoding") == "gzip"
    assert reply.getheader("content-length") == str(len(body))
    # What nobody here could read is not asked for.
    assert made.upstream.seen[0].headers["accept-encoding"] == "gzip"
    sample = outputs(made.recorder.finish())[0]
    assert json.loads(sample["text"]) == whole
    # A replay restates the length, and the coding is gone with the coded bytes.
    assert sample["headers"] == {"content-type": "application/json"}


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("POST", 204), ("POST", 304)])
def test_case_19_replies_without_a_body_pass_whatever_coding_they_name(rig, method, status):
    def answer(_):
        headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
        return Reply(status, {**headers, "Content-Length": "33"} if method == "HEAD" else headers)

    made = rig(answer)
    reply, body = ask(made, method, CHAT, None if method == "HEAD" else BODY)
    assert (reply.status, body) == (status, b"")
    assert reply.getheader("content-encoding") == "gzip"
    if method == "HEAD":
        assert reply.getheader("content-length") == "33"
    sample = outputs(made.recorder.finish())[0]
    assert (sample["status"], sample["text"], sample["complete"]) == (status, "", True)


def test_case_19_binary_bodies_are_recorded_byte_for_byte(rig):
    import base64

    sound = bytes(range(256)) * 3
    made = rig(
        lambda _: Reply(200, {"Content-Type": "audio/mpeg", "Content-Length": str(len(sound))}, [sound])
    )
    _, body = ask(made, "POST", "/openai/audio/speech", b"\xff\xfe" + sound)
    taken = made.recorder.finish()
    assert body == sound
    assert base64.b64decode(outputs(taken)[0]["base64"]) == sound
    assert base64.b64decode(requests(taken)[0]["request_base64"]) == b"\xff\xfe" + sound


@pytest.mark.parametrize("pack", [zlib.compress, lambda data: zlib.compress(data)[2:-4]])
def test_both_forms_of_deflate_are_read(rig, pack):
    packed = pack(json.dumps(chat("yes")).encode())
    headers = {"Content-Encoding": "deflate", "Content-Length": str(len(packed))}
    made = rig(lambda _: Reply(200, headers, [packed]))
    ask(made)
    assert json.loads(outputs(made.recorder.finish())[0]["text"])["choices"]


def test_a_coding_nobody_knows_is_recorded_as_the_bytes_it_is(rig):
    made = rig(lambda _: Reply(200, {"Content-Encoding": "br", "Content-Length": "3"}, [b"\xff\x00\x01"]))
    _, body = ask(made)
    assert body == b"\xff\x00\x01"
    assert outputs(made.recorder.finish())[0]["base64"] == "/wAB"


def test_a_coded_request_passes_untouched_and_is_recorded_plain(rig):
    made = rig(lambda _: plain({}))
    packed = gzip.compress(BODY)
    ask(made, "POST", CHAT, packed, **{"Content-Encoding": "gzip"})
    assert made.upstream.seen[0].body == packed
    assert made.upstream.seen[0].headers["content-encoding"] == "gzip"
    assert requests(made.recorder.finish())[0]["request"] == json.loads(BODY)


def test_a_multipart_body_reads_the_same_whatever_divides_it(rig):
    made = rig(lambda _: plain({}))
    for boundary in ("----a1b2", "----c3d4"):
        part = 'Content-Disposition: form-data; name="f"\r\n\r\nhi'
        body = f"--{boundary}\r\n{part}\r\n--{boundary}--\r\n".encode()
        ask(
            made,
            "POST",
            "/openai/files",
            body,
            **{"Content-Type": f"multipart/form-data; boundary={boundary}"},
        )
        assert made.upstream.seen[-1].body == body
    one, other = (event["request_text"] for event in requests(made.recorder.finish()))
    assert one == other


@pytest.mark.parametrize(
    "body", [b"", b"no json", b'{"a": 1, "a": 2}', b'{"a": 1e300}', b'{"a":' * 50 + b"1" + b"}" * 50, b"3"]
)
def test_a_body_that_is_no_plain_json_is_recorded_as_text(rig, body):
    made = rig(lambda _: plain({}))
    ask(made, "POST", "/openai/odd", body)
    assert made.upstream.seen[0].body == body
    assert requests(made.recorder.finish())[0]["request_text"] == body.decode()


def test_case_20_a_stream_cut_without_its_mark_is_incomplete_and_an_error(rig):
    made = rig(lambda _: stream(chat_chunks("abc")[:3], done=False, cut=True))
    connection = Connection(made.address)
    reply = connection.ask()
    with pytest.raises(http.client.IncompleteRead) as broken:
        reply.read()
    connection.close()
    taken = made.recorder.finish()
    sample = outputs(taken)[0]
    assert sample["text"].encode() == broken.value.partial
    assert sample["text"].count("data: ") == 3
    assert (sample["complete"], sample["ended_by"]) == (False, "upstream")
    assert taken.fault == {"type": "stream", "detail": "call 0: the upstream broke off its reply"}


def test_case_20_a_clean_end_without_the_mark_is_incomplete_as_well(rig):
    made = rig(lambda _: stream(chat_chunks("abc")[:3], done=False))
    ask(made)
    taken = made.recorder.finish()
    assert outputs(taken)[0]["ended_by"] == "upstream"
    assert taken.fault["type"] == "stream"


@pytest.mark.parametrize("close_delimited", [False, True])
def test_case_20_one_event_of_two_megabytes_and_an_immediate_end_is_whole(rig, close_delimited):
    chunks = chat_chunks("x")
    chunks[1]["choices"][0]["delta"]["content"] = "é" * (1 << 20)
    text = (
        "".join(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    )
    reply = Reply(200, {"Content-Type": "text/event-stream"}, [text.encode()], cut=True)
    reply.close_delimited = close_delimited
    made = rig(lambda _: reply)
    connection = Connection(made.address)
    answer = connection.ask()
    try:
        body = answer.read()
    except http.client.IncompleteRead as broken:
        body = broken.partial
    connection.close()
    taken = made.recorder.finish()
    assert body == text.encode()
    assert outputs(taken)[0]["text"] == text
    assert outputs(taken)[0]["complete"]
    assert taken.fault is None


def test_case_20_who_hung_up_is_recorded(rig):
    go_on = threading.Event()

    def slowly():
        yield f"data: {json.dumps(chat_chunks('a')[0])}\n\n".encode()
        go_on.wait(20)
        for _ in range(100):
            yield b": still here\n\n" * 1000

    made = rig(lambda _: Reply(200, {"Content-Type": "text/event-stream"}, slowly()))
    connection = Connection(made.address)
    reply = connection.ask()
    assert reply.readline().startswith(b"data: {")
    reply.close()
    connection.close()
    taken = made.recorder.finish()
    sample = outputs(taken)[0]
    assert (sample["complete"], sample["ended_by"]) == (False, "client")
    assert taken.fault is None
    go_on.set()
    # The upstream need not go on either.
    assert made.upstream.hung_up.wait(20)


def test_an_agent_that_hangs_up_before_the_first_byte_was_told_nothing(rig):
    go_on = threading.Event()

    def answer(_):
        go_on.wait(20)
        return plain({})

    made = rig(answer)
    connection = Connection(made.address)
    connection.request("POST", connection.base.path + CHAT, BODY)
    while not made.upstream.seen:
        pass
    connection.close()
    sample = outputs(made.recorder.finish())[0]
    go_on.set()
    assert sample == {"status": None, "text": "", "complete": False, "ended_by": "client"}


def test_a_plain_reply_that_breaks_off_is_incomplete(rig):
    made = rig(
        lambda _: Reply(
            200, {"Content-Type": "application/json", "Content-Length": "99"}, ["{é".encode()[:2]], cut=True
        )
    )
    connection = Connection(made.address)
    with pytest.raises(http.client.IncompleteRead):
        connection.ask().read()
    connection.close()
    taken = made.recorder.finish()
    # Half a character is no text.
    assert outputs(taken)[0]["text"] == "{"
    assert taken.fault["type"] == "stream"


def test_what_arrived_together_with_the_break_is_handed_on(rig):
    text = b"data: {}\n\n" * 2000
    made = rig(lambda _: Reply(200, {"Content-Type": "text/event-stream"}, [text], cut=True))
    connection = Connection(made.address)
    with pytest.raises(http.client.IncompleteRead) as broken:
        connection.ask().read()
    connection.close()
    assert broken.value.partial == text
    assert outputs(made.recorder.finish())[0]["text"].encode() == text


def test_an_upstream_that_is_not_there_is_told_and_recorded(rig):
    made = rig(lambda _: plain({}))
    made.upstream.__exit__()
    reply, body = ask(made)
    assert reply.status == 502
    assert json.loads(body)["error"]["code"] == "upstream_unreachable"
    sample = outputs(made.recorder.finish())[0]
    assert (sample["status"], sample["complete"], sample["text"]) == (502, True, body.decode())


@pytest.mark.parametrize("status", [600, 999])
def test_a_status_that_is_none_of_http_s_is_answered_as_an_upstream_that_failed(rig, status):
    made = rig(lambda _: plain({}, status))
    reply, body = ask(made)
    assert reply.status == 502
    assert json.loads(body)["error"]["code"] == "upstream_unusable"
    assert outputs(made.recorder.finish())[0]["status"] == 502


def test_the_last_status_of_http_is_handed_on(rig):
    made = rig(lambda _: plain({}, 599))
    reply, _ = ask(made)
    assert reply.status == outputs(made.recorder.finish())[0]["status"] == 599


def test_nothing_is_retried(rig):
    made = rig(lambda _: plain({"error": {}}, 503, **{"Retry-After": "7"}))
    reply, _ = ask(made)
    assert (reply.status, reply.getheader("retry-after")) == (503, "7")
    assert len(made.upstream.seen) == 1
    # A replay need not wait.
    assert outputs(made.recorder.finish())[0]["headers"]["retry-after"] == "0"


def test_a_redirect_is_an_answer_like_any_other(rig):
    made = rig(lambda _: plain({}, 307, Location="http://127.0.0.1:1/elsewhere"))
    reply, _ = ask(made)
    assert (reply.status, reply.getheader("location")) == (307, "http://127.0.0.1:1/elsewhere")


def test_anything_else_under_the_prefix_passes_and_is_recorded(rig):
    made = rig(lambda seen: plain({"asked": seen.path}))
    _, body = ask(made, "GET", "/openai/models?limit=%2F1", None)
    assert json.loads(body) == {"asked": "/v1/models?limit=%2F1"}
    event = requests(made.recorder.finish())[0]
    assert (event["dialect"], event["method"], event["path"]) == ("other", "GET", "/openai/models?limit=%2F1")
    assert event["request_text"] == ""


@pytest.mark.parametrize("path", ["", "/", "/google/v1", "/openai2/x"])
def test_what_is_no_provider_of_this_attempt_is_not_found_and_not_recorded(rig, path):
    made = rig(lambda _: plain({}))
    assert ask(made, "POST", path)[0].status == 404
    assert made.recorder.finish().events == []
    assert made.upstream.seen == []


def test_another_attempt_s_word_opens_nothing(rig):
    made = rig(lambda _: plain({}))
    connection = Connection(f"http://{urlsplit(made.address).netloc}/{'0' * 24}")
    assert connection.ask().status == 404
    connection.close()


def test_an_attempt_that_is_over_is_not_answered(rig):
    made = rig(lambda _: plain({}))
    made.recorder.finish()
    assert ask(made)[0].status == 410
    made.proxy.shut(made.address)
    assert ask(made)[0].status == 404
    assert made.upstream.seen == []


def test_a_client_that_waits_for_leave_to_send_gets_it(rig):
    made = rig(lambda _: plain({}))
    base = urlsplit(made.address)
    with socket.create_connection((base.hostname, base.port), 20) as raw:
        head = f"POST {base.path}{CHAT} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(BODY)}\r\n"
        raw.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 100 Continue\r\n\r\n")
        raw.sendall(BODY)
        assert raw.recv(100).startswith(b"HTTP/1.1 200")
    assert "expect" not in made.upstream.seen[0].headers


def test_an_older_client_that_knows_no_chunks_gets_the_stream(rig):
    made = rig(lambda _: stream(chat_chunks("ab")))
    base = urlsplit(made.address)
    with socket.create_connection((base.hostname, base.port), 20) as raw:
        raw.sendall(f"POST {base.path}{CHAT} HTTP/1.0\r\nContent-Length: {len(BODY)}\r\n\r\n".encode() + BODY)
        data = b""
        while part := raw.recv(65536):
            data += part
    assert data.endswith(b"data: [DONE]\n\n")
    assert outputs(made.recorder.finish())[0]["complete"]


def test_eight_attempts_with_the_same_requests_never_mix(rig):
    """Each reply names the attempt it was for; every recording holds its own and no other."""
    made = rig(lambda seen: stream(chat_chunks(seen.headers["x-attempt"] * 5)))
    attempts = [made.another() for _ in range(8)]

    def agent(number):
        connection = Connection(attempts[number][1])
        for _ in range(20):
            reply = connection.ask(**{"X-Attempt": f"<{number}>"})
            assert f'"{number}"'.encode() in reply.read()
        connection.close()

    threads = [threading.Thread(target=agent, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, (recorder, _) in enumerate(attempts):
        taken = recorder.finish()
        assert [event["call"] for event in requests(taken)] == list(range(20))
        assert [event["call"] for event in taken.events] == [call for call in range(20) for _ in "ab"]
        for sample in outputs(taken):
            said = read_reply("openai_chat", sample["text"]).said
            assert said["choices"][0]["message"]["content"] == f"<{number}>" * 5


def test_it_listens_on_loopback_alone(rig):
    made = rig(lambda _: plain({}))
    port = urlsplit(made.address).port
    table = Path("/proc/net/tcp")
    lines = [line.split() for line in table.read_text().splitlines()[1:]] if table.exists() else []
    places = {words[1] for words in lines if words[3] == "0A" and words[1].endswith(f":{port:04X}")}
    assert places <= {f"0100007F:{port:04X}"}
    assert made.address.startswith("http://127.0.0.1:")


def test_a_proxy_that_is_closed_listens_no_more(rig):
    made = rig(lambda _: plain({}))
    ask(made)
    made.proxy.close()
    with pytest.raises(ConnectionError):
        ask(made)
