"""What replies say: the same whether streamed or not, and free of what providers make up anew each time."""

import json

import pytest
from fake_upstream import (
    call_item,
    chat,
    chat_chunks,
    message,
    message_events,
    response,
    response_events,
    said_item,
)

from passfloor.canonical import canonical, equal
from passfloor.dialects import dialect_of, is_whole, read_reply

TOOLS = [("look", '{"é": 1}'), ("look", "{}")]


def as_stream(datas, *, done=False, ends="\n\n"):
    lines = [f"data: {json.dumps(data, ensure_ascii=False)}" for data in datas]
    return ends.join([*lines, *(["data: [DONE]"] if done else []), ""])


CHAT = [("yes ✓", ()), (None, TOOLS), ("both", TOOLS), ("", ())]
RESPONSES = [lambda: [said_item("yes ✓")], lambda: [call_item("look", '{"a": 1}'), said_item("ok")]]
MESSAGES = [
    [{"type": "text", "text": "yes ✓"}],
    [
        {"type": "thinking", "thinking": "so", "signature": "s" * 40},
        {"type": "text", "text": "ok"},
        {"type": "tool_use", "name": "look", "input": {"id": "kept-as-it-is", "deep": [1.5]}},
        {"type": "tool_use", "name": "stop", "input": {}},
    ],
]


def pairs():
    """Dialect, a plain reply, another that says the same under other ids, and the stream that spells it."""
    for content, tools in CHAT:
        plain, other = (json.dumps(chat(content, tools)) for _ in "ab")
        yield "openai_chat", plain, other, as_stream(chat_chunks(content, tools), done=True)
    for items in RESPONSES:
        plain, other = (json.dumps(response(items())) for _ in "ab")
        yield "openai_responses", plain, other, as_stream(response_events(response(items())))
    for blocks in MESSAGES:
        plain, other = (json.dumps(message(blocks)) for _ in "ab")
        yield "anthropic", plain, other, as_stream(message_events(message(blocks)))


@pytest.mark.parametrize(("dialect", "plain", "other", "stream"), list(pairs()))
def test_replies_that_differ_in_what_was_made_up_say_the_same(dialect, plain, other, stream):
    said = read_reply(dialect, plain).said
    assert plain != other
    assert equal(said, read_reply(dialect, other).said)
    assert equal(said, read_reply(dialect, stream).said)


@pytest.mark.parametrize(("dialect", "plain", "other", "stream"), list(pairs()))
def test_every_id_that_was_made_up_is_numbered_and_none_is_left(dialect, plain, other, stream):
    for text in (plain, other, stream):
        reply = read_reply(dialect, text)
        left = canonical(reply.said).decode()
        assert reply.minted
        for name in reply.minted:
            assert name in text
            assert name not in left
        for number in range(len(reply.minted) - 1):
            assert f'"@{number}"' in left


def test_the_reply_s_own_id_has_the_last_number():
    whole = chat("x", TOOLS)
    calls = [call["id"] for call in whole["choices"][0]["message"]["tool_calls"]]
    assert read_reply("openai_chat", json.dumps(whole)).minted == (*calls, whole["id"])


def test_an_id_that_comes_again_has_its_number():
    item = call_item("f", "{}")
    result = {"type": "function_call_output", "call_id": item["call_id"], "output": item["id"]}
    reply = read_reply("openai_responses", json.dumps(response([item, result])))
    first, second = reply.said["output"]
    assert second == {"type": "function_call_output", "call_id": first["call_id"], "output": first["id"]}


def test_what_a_tool_is_given_is_never_taken_for_an_id():
    given = {"id": "0123456789abcdef", "signature": "0123456789abcdef"}
    reply = read_reply("anthropic", json.dumps(message([{"type": "tool_use", "name": "f", "input": given}])))
    assert reply.said["content"][0]["input"] == given


def test_a_short_id_stays_since_it_could_stand_anywhere():
    whole = chat("x", TOOLS[:1])
    whole["choices"][0]["message"]["tool_calls"][0]["id"] = "0"
    assert (
        read_reply("openai_chat", json.dumps(whole)).said["choices"][0]["message"]["tool_calls"][0]["id"]
        == "0"
    )


def test_what_the_provider_keeps_closed_is_numbered():
    item = {"id": "rs_0123456789", "type": "reasoning", "summary": [], "encrypted_content": "e" * 30}
    reply = read_reply("openai_responses", json.dumps(response([item])))
    assert reply.said["output"] == [
        {"id": "@0", "type": "reasoning", "summary": [], "encrypted_content": "@1"}
    ]
    closed = {"type": "redacted_thinking", "data": "d" * 30}
    assert read_reply("anthropic", json.dumps(message([closed]))).said["content"][0]["data"] == "@0"


def test_what_was_said_differently_stays_different():
    for one, other in [
        (chat("a"), chat("b")),
        (chat("a"), chat("a", TOOLS)),
        (chat("a", TOOLS), chat("a", TOOLS[::-1])),
        (chat("a"), chat("a", usage={"total_tokens": 3})),
        (chat("a"), {**chat("a"), "model": "fake-9"}),
    ]:
        assert not equal(*(read_reply("openai_chat", json.dumps(whole)).said for whole in (one, other)))


def test_the_served_model_and_its_fingerprint_are_told():
    reply = read_reply("openai_chat", json.dumps(chat("a")))
    assert (reply.model, reply.fingerprint, reply.cached) == ("fake-1", "fp_1", False)
    assert read_reply("openai_chat", json.dumps({**chat("a"), "cached": True})).cached
    streamed = read_reply("openai_chat", as_stream(chat_chunks("a"), done=True))
    assert (streamed.model, streamed.fingerprint) == ("fake-1", "fp_1")


def test_line_ends_names_and_comments_make_no_difference():
    events = message_events(message(MESSAGES[1]))
    text = as_stream(events)
    said = read_reply("anthropic", text).said
    for other in (
        text.replace("\n", "\r\n"),
        text.replace("\n", "\r"),
        ": hello\n\n" + text,
        "\ufeff" + text,
        text.replace("data: ", "data:"),
        "".join(
            f"id: 1\nevent: {event['type']}\ndata: {json.dumps(event)}\nretry: 3\n\n" for event in events
        ),
    ):
        assert equal(read_reply("anthropic", other).said, said)


@pytest.mark.parametrize(("dialect", "plain", "other", "stream"), list(pairs()))
def test_a_stream_is_whole_only_with_the_mark_of_its_end(dialect, plain, other, stream):
    assert is_whole(dialect, stream) is True
    events = stream.split("\n\n")
    assert is_whole(dialect, "\n\n".join(events[:-2])) is False
    assert is_whole(dialect, plain) is None
    assert is_whole("other", stream) is None


def test_a_cut_stream_says_what_it_said_so_far():
    events = chat_chunks("abc", TOOLS)
    said = read_reply("openai_chat", as_stream(events[:3]) + 'data: {"id": "chatc').said
    assert said["choices"] == [{"index": 0, "message": {"role": "assistant", "content": "ab"}}]
    part = message_events(message(MESSAGES[1]))[:12]
    tool = read_reply("anthropic", as_stream(part)).said["content"]
    assert [block["type"] for block in tool] == ["thinking", "text", "tool_use"]
    opened = response_events(response([said_item("yes"), said_item("no")]))
    before = read_reply("openai_responses", as_stream(opened[:5])).said
    assert before["output"][0]["response.output_text.delta.0"] == "ye"
    assert before["status"] == "in_progress"
    done = read_reply("openai_responses", as_stream(opened[:9])).said
    assert done["output"][0]["content"][0]["text"] == "yes"


def test_an_error_in_a_stream_is_its_end_and_is_said():
    error = {"error": {"message": "overloaded", "type": "server_error"}}
    text = as_stream([*chat_chunks("a")[:2], error])
    assert is_whole("openai_chat", text)
    assert read_reply("openai_chat", text).said["error"] == error["error"]
    assert read_reply("openai_chat", as_stream([error])).said == error
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "m"}}
    text = as_stream([*message_events(message(MESSAGES[0]))[:3], overloaded])
    assert is_whole("anthropic", text)
    assert read_reply("anthropic", text).said["error"] == overloaded["error"]
    failed = {"type": "error", "code": "x", "message": "m", "sequence_number": 3}
    text = as_stream([*response_events(response([]))[:1], failed])
    assert is_whole("openai_responses", text)
    assert read_reply("openai_responses", text).said["error"] == {
        "type": "error",
        "code": "x",
        "message": "m",
    }


def test_an_error_reply_says_its_error():
    body = {
        "error": {"message": "no such model", "type": "invalid_request_error", "param": None, "code": None}
    }
    assert read_reply("openai_chat", json.dumps(body)).said == body


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "3",
        "null",
        '{"id": "a", "id": "b"}',
        '{"created": 12345678901234567890}',
        '{"x": 1e20}',
        '{"x": NaN}',
        '{"x": "\\ud835"}',
        '{"choices": 3}',
        '{"choices": [3]}',
        '{"choices": [{"message": {"tool_calls": 1}}]}',
        '{"choices": [{"message": {"tool_calls": [1]}}]}',
        "data: 3\n\ndata: {}\n\n",
        "data: nonsense\n\ndata: {}\n\n",
        'data: {"choices": [{"index": -1, "delta": {}}]}\n\n',
        'data: {"choices": [{"index": 0, "delta": []}]}\n\ndata: {"choices": [3]}\n\n',
        ": only a comment\n\n",
        "[" * 100_000,
        '{"a":' * 60 + "1" + "}" * 60,
        "data: " + '{"a":' * 60 + "1" + "}" * 60 + "\n\n",
    ],
)
def test_what_a_dialect_does_not_read_says_its_own_text(text):
    assert read_reply("openai_chat", text) is None
    assert is_whole("openai_chat", text) in (None, False)


def test_no_dialect_reads_other_calls():
    assert read_reply("other", "{}") is None
    assert read_reply("nonsense", "{}") is None


@pytest.mark.parametrize(
    ("method", "path", "dialect"),
    [
        ("POST", "/openai/chat/completions", "openai_chat"),
        ("POST", "/openai/deployments/x/chat/completions?api-version=1", "openai_chat"),
        ("POST", "/openai/responses", "openai_responses"),
        ("POST", "/openai/responses/", "openai_responses"),
        ("POST", "/anthropic/v1/messages?beta=true", "anthropic"),
        ("GET", "/openai/responses", "other"),
        ("POST", "/openai/responses/resp_1/cancel", "other"),
        ("POST", "/anthropic/v1/messages/count_tokens", "other"),
        ("POST", "/openai/embeddings", "other"),
        ("POST", "", "other"),
    ],
)
def test_the_dialect_is_known_by_method_and_path(method, path, dialect):
    assert dialect_of(method, path) == dialect
