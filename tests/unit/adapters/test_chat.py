"""A bare model behind an OpenAI-compatible endpoint, played by a server on loopback."""

import copy
import itertools
import json
import pickle

import pytest

from passfloor.adapters.chat import ChatAdapter
from passfloor.adapters.interface import AttemptSpec, is_attempt_adapter
from passfloor.canonical import digest
from passfloor.errors import UsageError
from passfloor.models.suite import Task
from passfloor.verification.steps import frame

TASK = Task.model_validate(
    {"id": "t", "description": "say yes", "assertions": [{"kind": "output_equals", "expected": "yes"}]}
)
SPEC = AttemptSpec(0, "ab" * 32, "run/0/0", 7, 123)
KEY = "sk-canary-1234"


def choice(content="yes", reason="stop", **message):
    return {
        "id": "x",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content, **message},
                     "finish_reason": reason}],
    }  # fmt: skip


@pytest.fixture
def run(server, clock):
    def attempt(*script, environ=None, **options):
        server.script = [item if isinstance(item, tuple) else (200, {}, item) for item in script]
        adapter = ChatAdapter("m-1", server.url + "/v1/", clock=clock, environ=environ or {}, **options)
        events = adapter.run_attempt(TASK, SPEC, {})["events"]
        assert list(frame.problems(events, {})) == []
        assert KEY not in json.dumps([events, adapter.identity(), adapter.options()])
        return events

    return attempt


def said(events):
    return events[-3]["sample"]


def test_one_completion_is_asked_for_and_its_text_is_the_answer(run, server):
    events = run(choice(), options={"temperature": 0.7}, system="be short", environ={"OPENAI_API_KEY": KEY})
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["Authorization"] == f"Bearer {KEY}"
    assert seen.json == {
        "model": "m-1",
        "temperature": 0.7,
        "messages": [{"role": "system", "content": "be short"}, {"role": "user", "content": "say yes"}],
    }
    assert said(events) == {"stdout": "yes", "exit_code": None, "stderr_tail": ""}
    assert [event["kind"] for event in events] == [
        "task.started", "model.output", "model.artifact", "task.completed",
    ]  # fmt: skip


def test_the_request_is_the_same_in_every_attempt_and_each_is_made(server):
    counter = itertools.count()
    server.script = [lambda handler: server_answer(handler, choice(str(next(counter))))]
    adapter = ChatAdapter("m", server.url, environ={})
    outputs = [said(adapter.run_task(TASK, {})["events"])["stdout"] for _ in range(5)]
    assert outputs == ["0", "1", "2", "3", "4"]
    assert len({seen.body for seen in server.seen}) == 1
    assert "Authorization" not in server.seen[0].headers


def server_answer(handler, value):
    body = json.dumps(value).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@pytest.mark.parametrize(
    ("reply", "stdout", "tail"),
    [
        (choice("ye", "length"), "ye", "finish_reason: length\n"),
        (choice(None, "tool_calls", tool_calls=[{}]), "", "finish_reason: tool_calls\n"),
        (choice(None, "stop", refusal="I will not"), "", "refusal: I will not\n"),
        (choice("", "content_filter"), "", "finish_reason: content_filter\n"),
        (choice("yes", None), "yes", ""),
    ],
)
def test_an_answer_without_text_or_cut_short_is_an_answer_and_says_how_it_ended(run, reply, stdout, tail):
    events = run(reply)
    assert (said(events)["stdout"], said(events)["stderr_tail"]) == (stdout, tail)
    assert events[-1]["kind"] == "task.completed"


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ({"error": {"message": "no"}}, "the answer has no choices[0].message"),
        ({"choices": []}, "the answer has no choices[0].message"),
        ({"choices": [{"message": None}]}, "the answer has no choices[0].message"),
        ({"choices": {"0": 1}}, "the answer has no choices[0].message"),
        (["x"], "the answer is no JSON object"),
        (choice([{"type": "text", "text": "yes"}]), "the answer's content is no text"),
    ],
)
def test_an_answer_that_is_none_is_errored_and_never_wrong(run, reply, says):
    assert run(reply)[-1]["error"] == {"type": "provider", "detail": says}


def test_a_long_refusal_keeps_its_start(run):
    tail = said(run(choice(None, refusal="é" * 5000)))["stderr_tail"]
    assert tail.startswith("refusal: é")
    assert len(tail.encode()) <= 4096


def test_platform_faults_are_met_by_another_call_and_recorded(run):
    events = run((503, {}, b""), (429, {"Retry-After": "2"}, b""), choice())
    assert said(events)["stdout"] == "yes"
    assert [retry["status"] for retry in said(events)["retries"]] == [503, 429]


def test_the_key_appears_nowhere_also_where_the_endpoint_echoes_it(run):
    key = {"OPENAI_API_KEY": KEY}
    events = run(choice(f"your key is {KEY}", refusal=f"{KEY}?"), environ=key)
    assert said(events)["stdout"] == "your key is ${OPENAI_API_KEY}"
    assert said(events)["scrubbed"] == 2
    refused = run((422, {"X-Echo": KEY}, f"bad Authorization: Bearer {KEY}".encode()), environ=key)
    assert refused[-1]["error"] == {"type": "provider", "detail": "request refused (422)"}


def test_a_key_in_another_variable_has_to_be_set(server):
    adapter = ChatAdapter("m", server.url, api_key_env="OTHER_KEY", environ={})
    with pytest.raises(UsageError, match="OTHER_KEY is not set"):
        adapter.check()
    ChatAdapter("m", server.url, environ={}).check()
    with pytest.raises(UsageError, match="OPENAI_API_KEY cannot stand in a header") as refused:
        ChatAdapter("m", server.url, environ={"OPENAI_API_KEY": "sk-x\r\nHost: y"})
    assert "sk-x" not in str(refused.value)


@pytest.mark.parametrize("name", ["stream", "messages", "model", "n"])
def test_options_that_are_ours_to_set_are_refused(name):
    with pytest.raises(UsageError, match=f"'{name}' is set by passfloor"):
        ChatAdapter("m", "http://h/v1", options={name: 1}, environ={})


def test_options_that_are_no_json_and_names_that_are_none_are_refused():
    with pytest.raises(UsageError, match="no JSON"):
        ChatAdapter("m", "http://h/v1", options={"x": float("nan")}, environ={})
    for name in ("", "m\n"):
        with pytest.raises(UsageError, match="model's name"):
            ChatAdapter(name, "http://h/v1", environ={})
    with pytest.raises(UsageError, match="base URL"):
        ChatAdapter("m", "h/v1", environ={})


def test_model_address_and_options_are_sealed_and_the_key_is_not():
    options = {"temperature": 0.5}
    adapter = ChatAdapter("m", "http://h/v1", options=options, environ={"OPENAI_API_KEY": KEY})
    options["temperature"] = 1
    for other in (copy.deepcopy(adapter), pickle.loads(pickle.dumps(adapter))):
        assert is_attempt_adapter(other)
        assert other.identity() == {"adapter": "chat", "url": "http://h/v1", "model": "m"}
        assert other.options() == {
            "timeout_s": 300.0, "retries": 2, "options": {"temperature": 0.5}, "system": None,
        }  # fmt: skip
        digest(other.identity())
        digest(other.options())


@pytest.mark.parametrize(
    ("headers", "more", "by"),
    [
        ({"CF-Cache-Status": "HIT"}, {}, ["cf-cache-status"]),
        ({"x-litellm-cache-key": "0a"}, {"cached": True}, ["cached", "x-litellm-cache-key"]),
        ({}, {"usage": {"prompt_tokens_details": {"cached_tokens": 1024}}}, None),
    ],
)
def test_an_answer_kept_by_a_gateway_is_flagged_and_a_provider_s_cache_of_prompts_is_not(
    run, headers, more, by
):
    assert said(run((200, headers, {**choice(), **more}))).get("cached") == by
