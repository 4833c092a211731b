"""The official clients, unmodified: what they get through the proxy, and what is recorded of it."""

import asyncio
import json
import threading

import anthropic
import openai
import pytest
from fake_upstream import (
    Reply,
    byte_by_byte,
    call_item,
    chat,
    chat_chunks,
    gzipped,
    message,
    message_events,
    plain,
    response,
    response_events,
    said_item,
    stream,
)

from passfloor.canonical import equal
from passfloor.dialects import read_reply
from passfloor.projection.symbols import Symbols
from passfloor.recording.sealing import sealed
from passfloor.scrubbing import Scrubber

MESSAGES = [{"role": "user", "content": "hi"}]
TOOLS = [("look", '{"place": "Zürich"}'), ("look", '{"place": "東京"}'), ("stop", "{}")]
BLOCKS = [
    {"type": "thinking", "thinking": "I think ✓", "signature": "s" * 30},
    {"type": "text", "text": "Grüße"},
    {"type": "tool_use", "name": "look", "input": {"place": "東京"}},
    {"type": "tool_use", "name": "look", "input": {"place": "Zürich"}},
]


def answer(seen):
    """Each API as it is, streamed where that is asked for."""
    streamed = seen.json.get("stream")
    if seen.path.endswith("/chat/completions"):
        return stream(chat_chunks("hé", TOOLS)) if streamed else plain(chat("hé", TOOLS))
    if seen.path.endswith("/responses"):
        whole = response(
            [said_item("hé"), call_item("look", '{"a": 1}')],
            previous_response_id=seen.json.get("previous_response_id"),
        )
        return stream(response_events(whole), named=True, done=False) if streamed else plain(whole)
    whole = message(BLOCKS)
    return stream(message_events(whole), named=True, done=False) if streamed else plain(whole)


def openai_client(rig, kind=openai.OpenAI, **more):
    return kind(api_key="sk-canary-0123456789", base_url=rig.openai, **{"max_retries": 0, **more})


def anthropic_client(rig, kind=anthropic.Anthropic, **more):
    return kind(api_key="sk-canary-0123456789", base_url=rig.anthropic, **{"max_retries": 0, **more})


def heard(rig):
    """What each recorded answer says, in the order of the calls."""
    taken = rig.recorder.finish()
    assert "canary" not in json.dumps(taken.events)
    dialects = {event["call"]: event["dialect"] for event in taken.events if "dialect" in event}
    samples = [(event["call"], event["sample"]) for event in taken.events if event["kind"] == "model.output"]
    assert all(sample["complete"] for _, sample in samples)
    assert taken.fault is None
    return [
        read_reply(dialects[call], sample["text"]).said
        for call, sample in sorted(samples, key=lambda s: s[0])
    ]


def test_chat_completions_plain_and_streamed_with_parallel_tool_calls(rig):
    made = rig(answer)
    client = openai_client(made)
    whole = client.chat.completions.create(model="m", messages=MESSAGES).choices[0].message
    assert whole.content == "hé"
    assert [(call.function.name, call.function.arguments) for call in whole.tool_calls] == TOOLS
    arguments = ["", "", ""]
    for chunk in client.chat.completions.create(model="m", messages=MESSAGES, stream=True):
        for call in chunk.choices[0].delta.tool_calls or []:
            arguments[call.index] += call.function.arguments
    assert arguments == [text for _, text in TOOLS]
    client.close()
    plain_said, streamed_said = heard(made)
    assert equal(plain_said, streamed_said)


def test_responses_plain_streamed_and_following_one_another(rig):
    made = rig(answer)
    client = openai_client(made)
    first = client.responses.create(model="m", input="hi")
    assert first.output_text == "hé"
    second = client.responses.create(model="m", input="on", previous_response_id=first.id)
    assert second.previous_response_id == first.id
    with client.responses.stream(model="m", input="hi") as events:
        final = events.get_final_response()
    assert final.output_text == "hé"
    assert final.output[1].arguments == '{"a": 1}'
    client.close()
    said = heard(made)
    assert equal(said[0], said[2])
    assert made.upstream.seen[1].json["previous_response_id"] == first.id


def test_messages_plain_and_streamed(rig):
    made = rig(answer)
    client = anthropic_client(made)
    whole = client.messages.create(model="m", max_tokens=9, messages=MESSAGES)
    assert [block.type for block in whole.content] == ["thinking", "text", "tool_use", "tool_use"]
    with client.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as events:
        assert "".join(events.text_stream) == "Grüße"
        final = events.get_final_message()
    assert [block.input for block in final.content[2:]] == [{"place": "東京"}, {"place": "Zürich"}]
    client.close()
    plain_said, streamed_said = heard(made)
    assert equal(plain_said, streamed_said)


def test_asynchronous_clients_with_many_calls_at_once(rig):
    made = rig(answer)

    async def work():
        one, other = openai_client(made, openai.AsyncOpenAI), anthropic_client(made, anthropic.AsyncAnthropic)

        async def streamed():
            chunks = await one.chat.completions.create(model="m", messages=MESSAGES, stream=True)
            return [chunk async for chunk in chunks]

        calls = [one.chat.completions.create(model="m", messages=MESSAGES) for _ in range(4)]
        calls += [other.messages.create(model="m", max_tokens=9, messages=MESSAGES) for _ in range(4)]
        done = await asyncio.gather(*calls, *[streamed() for _ in range(4)])
        await one.close()
        await other.close()
        return done

    assert len(asyncio.run(work())) == 12
    assert len(heard(made)) == 12


def test_raw_replies_keep_their_headers(rig):
    made = rig(lambda _: plain(chat("yes"), **{"x-request-id": "r1", "x-ratelimit-remaining-requests": "7"}))
    client = openai_client(made)
    raw = client.chat.completions.with_raw_response.create(model="m", messages=MESSAGES)
    assert raw.headers["x-request-id"] == "r1"
    assert raw.headers["x-ratelimit-remaining-requests"] == "7"
    assert raw.parse().choices[0].message.content == "yes"
    with client.chat.completions.with_streaming_response.create(model="m", messages=MESSAGES) as flowing:
        assert json.loads(b"".join(flowing.iter_bytes()))["choices"]
    client.close()
    assert len(heard(made)) == 2


def test_gzipped_replies_and_single_bytes_reach_a_client_whole(rig):
    made = rig(
        lambda seen: (
            byte_by_byte(stream(chat_chunks("🙂 ü"))) if seen.json.get("stream") else gzipped(chat("🙂 ü"))
        )
    )
    client = openai_client(made)
    assert client.chat.completions.create(model="m", messages=MESSAGES).choices[0].message.content == "🙂 ü"
    chunks = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "🙂 ü"
    client.close()
    one, other = heard(made)
    assert equal(one, other)


def test_a_client_s_own_retry_is_two_calls_and_two_answers(rig):
    replies = iter(
        [plain({"error": {"message": "slow down"}}, 429, **{"retry-after-ms": "1"}), plain(chat("yes"))]
    )
    made = rig(lambda _: next(replies))
    client = openai_client(made, max_retries=2)
    assert client.chat.completions.create(model="m", messages=MESSAGES).choices[0].message.content == "yes"
    client.close()
    taken = made.recorder.finish()
    assert [event["kind"] for event in taken.events] == ["model.request", "model.output"] * 2
    assert taken.events[0]["request"] == taken.events[2]["request"]
    assert [event["sample"]["status"] for event in taken.events[1::2]] == [429, 200]
    assert taken.events[1]["sample"]["headers"].get("retry-after") is None


def test_a_client_s_time_out_and_retry_hears_nothing_and_then_the_answer(rig):
    release = threading.Event()
    calls = iter([True, False])

    def slowly(_):
        if next(calls):
            release.wait(20)
        return plain(chat("yes"))

    made = rig(slowly)
    client = openai_client(made, max_retries=1, timeout=2)
    assert client.chat.completions.create(model="m", messages=MESSAGES).choices[0].message.content == "yes"
    client.close()
    release.set()
    taken = made.recorder.finish()
    samples = [event["sample"] for event in taken.events if event["kind"] == "model.output"]
    assert samples[0] == {"status": None, "text": "", "complete": False, "ended_by": "client"}
    assert samples[1]["complete"]
    assert [event["kind"] for event in taken.events] == ["model.request", "model.output"] * 2
    # The client gave up, not the provider: the agent went on, and so does the attempt.
    assert taken.fault is None


def test_a_stream_the_client_closes_early_was_ended_by_the_client(rig):
    release = threading.Event()

    def slowly():
        yield f"data: {json.dumps(chat_chunks('a')[0])}\n\n".encode()
        release.wait(20)

    made = rig(lambda _: Reply(200, {"Content-Type": "text/event-stream"}, slowly()))
    client = openai_client(made)
    with client.chat.completions.create(model="m", messages=MESSAGES, stream=True) as chunks:
        next(iter(chunks))
    client.close()
    taken = made.recorder.finish()
    release.set()
    assert taken.events[1]["sample"]["ended_by"] == "client"


@pytest.mark.parametrize("cut_after", [0, 1, 5])
def test_a_stream_the_upstream_cuts_fails_in_the_client_as_it_would_without_us(rig, cut_after):
    made = rig(lambda _: stream(chat_chunks("abcdef")[:cut_after], done=False, cut=True))
    client = openai_client(made)
    chunks = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
    seen = []
    with pytest.raises(Exception, match=r"(?i)peer closed|incomplete|connection"):
        seen.extend(chunks)
    client.close()
    taken = made.recorder.finish()
    assert taken.events[1]["sample"]["text"].count("data: ") == cut_after
    assert taken.fault["type"] == "stream"


def test_an_error_is_raised_as_it_would_be_without_us(rig):
    made = rig(lambda _: plain({"error": {"message": "bad key", "type": "invalid_request_error"}}, 401))
    client = openai_client(made)
    with pytest.raises(openai.AuthenticationError, match="bad key"):
        client.chat.completions.create(model="m", messages=MESSAGES)
    client.close()
    assert heard(made)[0]["error"]["message"] == "bad key"


def test_ids_that_agents_echo_are_sealed_as_symbols(rig):
    """Two attempts that are told the same do the same: their sealed events are equal but for the text."""
    made = rig(answer)
    sealed_ones = []
    for _ in range(2):
        recorder, address = made.another()
        client = openai.OpenAI(api_key="k" * 20, base_url=f"{address}/openai", max_retries=0)
        reply = client.chat.completions.create(model="m", messages=MESSAGES).choices[0].message
        results = [{"role": "tool", "tool_call_id": call.id, "content": "found"} for call in reply.tool_calls]
        client.chat.completions.create(model="m", messages=[*MESSAGES, reply.model_dump(), *results])
        first = client.responses.create(model="m", input=f"see {address}")
        client.responses.create(model="m", input="on", previous_response_id=first.id)
        client.close()
        events = [{"seq": seq, **event} for seq, event in enumerate(recorder.finish().events)]
        done = sealed(events, Scrubber(), Symbols("", "", address))
        for event in done:
            event.get("sample", {}).pop("text", None)
        sealed_ones.append(done)
    assert sealed_ones[0] == sealed_ones[1]
    assert "${proxy}" in json.dumps(sealed_ones[0])
