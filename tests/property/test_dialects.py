"""Reading replies is total: whatever arrives, it never raises, and what it says has a canonical form."""

import json
import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.canonical import canonical, equal
from passfloor.dialects import DIALECTS, is_whole, read_reply

sys.path.append(str(Path(__file__).parent.parent / "unit" / "recording"))

from fake_upstream import chat, chat_chunks, message, message_events, response, response_events, said_item

DIALECT = st.sampled_from(DIALECTS)
NAMES = st.sampled_from(
    ["id", "type", "index", "choices", "delta", "message", "content", "content_block", "tool_calls", "input",
     "arguments", "function", "response", "item", "output", "output_index", "usage", "error", "signature"]
)  # fmt: skip
TYPES = st.sampled_from(
    ["message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop", "error",
     "text_delta", "input_json_delta", "response.created", "response.completed", "response.output_item.added",
     "response.output_text.delta"]
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers(-3, 2**54) | st.floats() | st.text(max_size=12) | TYPES
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=3), inner, max_size=6)
    ),
    max_leaves=25,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=8)


def holds(dialect, text):
    reply = read_reply(dialect, text)
    assert is_whole(dialect, text) in (None, True, False)
    if reply is not None:
        canonical(reply.said)
        assert len(set(reply.minted)) == len(reply.minted)
        again = read_reply(dialect, text)
        assert equal(again.said, reply.said)
        assert again == reply


@settings(max_examples=200)
@given(DIALECT, st.text(max_size=200) | st.text(alphabet='data:{}[]",\n \\u0 1e', max_size=200))
def test_any_text_is_read_or_is_not(dialect, text):
    holds(dialect, text)


@settings(max_examples=200)
@given(DIALECT, VALUES)
def test_any_json_is_read_or_is_not(dialect, value):
    holds(dialect, json.dumps(value))


@settings(max_examples=200)
@given(DIALECT, st.lists(OBJECTS, max_size=6), st.booleans())
def test_any_stream_of_objects_is_read_or_is_not(dialect, events, done):
    holds(
        dialect,
        "".join(f"data: {json.dumps(event)}\n\n" for event in events) + ("data: [DONE]" if done else ""),
    )


@settings(max_examples=100)
@given(st.text(max_size=30), st.lists(st.tuples(st.text("ab", min_size=1), st.text(max_size=9)), max_size=3))
def test_a_chat_stream_says_what_the_plain_reply_says(content, tools):
    stream = (
        "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chat_chunks(content, tools))
        + "data: [DONE]\n\n"
    )
    plain = json.dumps(chat(content, tools))
    assert equal(read_reply("openai_chat", stream).said, read_reply("openai_chat", plain).said)


@settings(max_examples=100)
@given(st.sampled_from(["openai_chat", "openai_responses", "anthropic"]), st.text(max_size=9), st.data())
def test_a_stream_cut_anywhere_is_read_and_is_not_whole(dialect, text, data):
    make = {
        "openai_chat": lambda: [*chat_chunks(text, [("f", "{}")]), None],
        "openai_responses": lambda: response_events(response([said_item(text)])),
        "anthropic": lambda: message_events(message([{"type": "text", "text": text}])),
    }
    datas = [
        "[DONE]" if event is None else json.dumps(event, ensure_ascii=False) for event in make[dialect]()
    ]
    whole = "".join(f"data: {data}\n\n" for data in datas)
    last = len(whole) - len(f"{datas[-1]}\n\n") + 1
    cut = whole[: data.draw(st.integers(0, last))]
    assert is_whole(dialect, cut) in (None, False)
    holds(dialect, cut)
