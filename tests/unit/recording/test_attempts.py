"""Recorded attempts of each kind of agent: what the agent is given, and the events that are sealed."""

import json
import sys

import pytest
from fake_upstream import FakeUpstream, chat, chat_chunks, plain, stream

from passfloor.adapters.chat import ChatAdapter
from passfloor.adapters.function import FunctionAdapter
from passfloor.adapters.interface import AttemptSpec
from passfloor.adapters.process import ProcessAdapter
from passfloor.errors import UsageError
from passfloor.grading import grade
from passfloor.models.suite import Task
from passfloor.recording.attempts import Recording, record_from
from passfloor.recording.upstreams import parse_upstreams
from passfloor.scrubbing import Scrubber

KEY = "sk-canary-1234567890abcdef"

# An agent without any client: it asks once for each word of its prompt.
AGENT = """
import json, os, sys, urllib.request

def ask(text, lane="", provider="OPENAI", path="/chat/completions", **more):
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}], **more}).encode()
    request = urllib.request.Request(os.environ[provider + "_BASE_URL"] + path, body)
    request.add_header("Content-Type", "application/json")
    request.add_header("Authorization", "Bearer " + os.environ.get("OPENAI_API_KEY", "none"))
    if lane:
        request.add_header("x-passfloor-lane", lane)
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)

def emit(**event):
    with open(os.environ["PASSFLOOR_JOURNAL"], "a") as journal:
        journal.write(json.dumps(event) + "\\n")
"""
WORDS = (
    AGENT
    + """
for word in sys.stdin.read().split():
    emit(kind="tool.call", tool=word)
    reply = ask(word + " in " + os.getcwd())
open("left.txt", "w").write(reply["choices"][0]["message"]["content"])
print(reply["choices"][0]["message"]["content"])
emit(kind="note.done")
"""
)


def task(description="one two", **members):
    return Task.model_validate({"id": "t", "description": description, **members})


def spec(index=0):
    return AttemptSpec(index, f"{index + 160:02x}" * 32, "", 0, 7)


def kinds(events):
    return [event["kind"] for event in events]


@pytest.fixture
def recorded(tmp_path):
    """``recorded(adapter, answer)``: the adapter, recording what goes to an upstream that answers so."""
    opened = []

    def make(adapter, answer=lambda _: plain(chat("yes")), **more):
        upstream = FakeUpstream(answer)
        upstream.__enter__()
        recording = record_from(parse_upstreams([f"{upstream.url}/v1"], {}), Scrubber([KEY]), **more)
        adapter.record(recording)
        opened.append((adapter, upstream))
        return adapter

    yield make
    for adapter, upstream in opened:
        adapter.close()
        upstream.__exit__()


def process(tmp_path, text=WORDS, **more):
    agent = tmp_path / "agent.py"
    agent.write_text(text)
    return ProcessAdapter([sys.executable, str(agent)], workspace_root=tmp_path, **more)


def test_a_program_s_calls_stand_among_its_events_in_order(recorded, tmp_path):
    events = recorded(process(tmp_path)).run_attempt(task(), spec(), {})["events"]
    assert kinds(events) == [
        "task.started",
        *["tool.call", "model.request", "model.output"] * 2,
        "note.done",
        "agent.output",
        "agent.artifact",
        "task.completed",
    ]
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert events[2]["request"]["messages"][0]["content"] == "one in ${attempt}/work"
    assert events[3]["sample"]["said"]["choices"][0]["message"]["content"] == "yes"
    assert events[-3]["value"] == {"stdout": "yes\n", "exit_code": 0, "stderr_tail": ""}
    assert events[-2]["value"]["left.txt"]["text"] == "yes"


def test_what_is_graded_is_what_the_agent_said_and_not_its_model(recorded, tmp_path):
    wanted = task(
        assertions=[{"kind": "output_equals", "expected": "yes"}, {"kind": "file_exists", "path": "left.txt"}]
    )
    events = recorded(process(tmp_path)).run_attempt(wanted, spec(), {})["events"]
    assert grade(wanted, events).outcome == "passed"


def test_two_attempts_that_are_told_the_same_are_the_same_but_for_the_text(recorded, tmp_path):
    adapter = recorded(process(tmp_path))
    one, other = (adapter.run_attempt(task(), spec(index), {})["events"] for index in range(2))
    assert one != other
    for event in (*one, *other):
        event.get("sample", {}).pop("text", None)
    assert one == other


def test_attempts_side_by_side_never_mix(recorded, tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    def answer(seen):
        return plain(chat(seen.json["messages"][0]["content"].partition(" ")[0]))

    adapter = recorded(process(tmp_path), answer)
    with ThreadPoolExecutor(4) as pool:
        done = list(
            pool.map(lambda n: adapter.run_attempt(task(f"w{n} v{n}"), spec(n), {})["events"], range(8))
        )
    for number, events in enumerate(done):
        assert events[-3]["value"]["stdout"] == f"v{number}\n"
        asked = [
            event["request"]["messages"][0]["content"] for event in events if event["kind"] == "model.request"
        ]
        assert asked == [f"w{number} in ${{attempt}}/work", f"v{number} in ${{attempt}}/work"]


def test_the_agent_is_pointed_at_the_proxy_and_past_any_other(recorded, tmp_path):
    names = ("OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_BASE_URL", "NO_PROXY", "no_proxy", "HTTP_PROXY")
    show = f"import os, json; print(json.dumps({{name: os.environ.get(name) for name in {names}}}))"
    environ = {
        "PATH": "/usr/bin:/bin",
        "NO_PROXY": "corp",
        "HTTP_PROXY": "http://corp:3128",
        "OPENAI_BASE_URL": "http://x",
    }
    adapter = recorded(
        process(tmp_path, show, env=["NO_PROXY", "HTTP_PROXY", "OPENAI_BASE_URL"], environ=environ)
    )
    said = json.loads(adapter.run_attempt(task(), spec(), {})["events"][1]["value"]["stdout"])
    assert said == {
        "OPENAI_BASE_URL": "${proxy}/openai",
        "OPENAI_API_BASE": "${proxy}/openai",
        "ANTHROPIC_BASE_URL": "${proxy}/anthropic",
        "NO_PROXY": "corp,127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
        "HTTP_PROXY": "http://corp:3128",
    }


def test_recording_changes_nothing_about_who_the_agent_is(recorded, tmp_path):
    plain_one = process(tmp_path)
    assert recorded(process(tmp_path)).identity() == plain_one.identity()


def test_case_21_a_key_is_in_nothing_that_is_sealed(recorded, tmp_path):
    """The agent prints its environment and asks with it; the provider echoes the key, whole and in pieces."""
    text = AGENT + (
        "import urllib.error, base64\n"
        "key = os.environ['OPENAI_API_KEY']\n"
        "try: ask('my key is ' + key, path='/chat/completions?key=' + key)\n"
        "except urllib.error.HTTPError as error: print(error.read().decode(), dict(os.environ))\n"
        "ask(base64.b64encode(b'user:' + key.encode()).decode())\n"
    )

    def answer(seen):
        if "key=" in seen.path:
            return plain({"error": {"message": f"bad header {seen.headers['authorization']}"}}, 422)
        return stream(chat_chunks(f"it was {KEY}"))

    # The reply to the second call is no JSON, which ends the agent: that is part of what is recorded.
    environ = {"PATH": "/usr/bin:/bin", "OPENAI_API_KEY": KEY}
    events = recorded(process(tmp_path, text, env=["OPENAI_API_KEY"], environ=environ), answer)
    done = json.dumps(events.run_attempt(task(), spec(), {}))
    assert "[scrubbed]" in done
    for form in (KEY, KEY[3:], "c2stY2FuYXJ5"):
        assert form not in done


def test_case_20_a_reply_that_broke_off_makes_the_attempt_errored(recorded, tmp_path):
    def answer(_):
        return stream(chat_chunks("abc")[:2], done=False, cut=True)

    done = recorded(process(tmp_path), answer).run_attempt(task(), spec(), {})["events"]
    assert done[-1]["error"] == {"type": "stream", "detail": "call 0: the upstream broke off its reply"}
    assert kinds(done)[-3:] == ["agent.output", "agent.artifact", "attempt.errored"]


def test_lanes_named_by_the_agent_are_recorded(recorded, tmp_path):
    text = (
        AGENT + "ask('a', lane='left'); emit(kind='tool.call', tool='x', lane='left'); ask('b', lane='right')"
    )
    events = recorded(process(tmp_path, text)).run_attempt(task(), spec(), {})["events"]
    assert [event["lane"] for event in events if "lane" in event] == ["left", "left", "right"]


def test_a_program_may_declare_what_it_was_told_but_never_a_call(recorded, tmp_path):
    declares = AGENT + "emit(kind='model.output', sample={'drawn': 3})"
    events = recorded(process(tmp_path, declares)).run_attempt(task(), spec(), {})["events"]
    assert events[1] == {"seq": 1, "kind": "model.output", "sample": {"drawn": 3}}
    for more, said in [
        ("x=1", "a model.output has a sample and may have a lane, and nothing else"),
        ("lane=3", "lane is not at most 100 printable characters"),
    ]:
        odd = AGENT + f"emit(kind='model.output', sample=1, {more})"
        events = recorded(process(tmp_path, odd)).run_attempt(task(), spec(), {})["events"]
        assert said in events[-1]["error"]["detail"]
    pretends = AGENT + "emit(kind='model.request', request={})"
    events = recorded(process(tmp_path, pretends)).run_attempt(task(), spec(), {})["events"]
    assert events[-1]["error"]["type"] == "journal"


def test_a_bad_journal_line_is_the_attempt_s_fault_and_names_its_line(recorded, tmp_path):
    text = AGENT + "emit(kind='a'); ask('x'); emit(kind='b'); emit(nothing=1); ask('y'); emit(kind='c')"
    events = recorded(process(tmp_path, text)).run_attempt(task(), spec(), {})["events"]
    assert events[-1]["error"] == {"type": "journal", "detail": "line 3: kind is not a non-empty string"}
    assert [kind for kind in kinds(events) if len(kind) == 1] == ["a", "b"]


def test_a_last_line_without_its_end_counts(recorded, tmp_path):
    text = AGENT + "ask('x'); open(os.environ['PASSFLOOR_JOURNAL'], 'a').write('{\"kind\": \"last\"}')"
    assert "last" in kinds(recorded(process(tmp_path, text)).run_attempt(task(), spec(), {})["events"])


def test_an_agent_that_ends_in_the_middle_of_its_call_left_it(recorded, tmp_path):
    text = (
        AGENT
        + "import threading, time\nthreading.Thread(target=ask, args=('x',), daemon=True).start()\n"
        + ("while not os.path.exists('../../go'): time.sleep(0.01)\nos._exit(0)")
    )

    def answer(_):
        (tmp_path / "go").touch()
        # Longer than the agent lives, and never waited for.
        from threading import Event

        Event().wait(5)
        return plain({})

    events = recorded(process(tmp_path, text), answer).run_attempt(task(), spec(), {})["events"]
    assert events[2]["sample"]["ended_by"] == "client"
    assert events[-1]["kind"] == "task.completed"


FUNCTIONS = """
import json, os, urllib.request

def drawn(task, attempt):
    one = attempt.sample(lambda: {"n": 3})
    two = attempt.model({"ask": "name", "where": str(attempt.workspace)}, lambda: "Ada", lane="side")
    attempt.emit("note", said=two)
    return f"{one['n']} {two}"

async def later(task, attempt):
    async def call():
        return ["Ada"]
    return (await attempt.model("name", call))[0] + str(await attempt.sample(call))

def asks(task, attempt):
    body = json.dumps({"model": "m", "messages": []}).encode()
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)
    attempt.emit("before")
    with urllib.request.urlopen(request) as reply:
        text = json.load(reply)["choices"][0]["message"]["content"]
    attempt.emit("after")
    return text

def unfit(task, attempt):
    attempt.sample(lambda: object())
"""


@pytest.fixture
def function(recorded, tmp_path):
    (tmp_path / "agents_here.py").write_text(FUNCTIONS)

    def make(name, *, record=True):
        adapter = FunctionAdapter(f"agents_here:{name}", workspace_root=tmp_path, start_folder=tmp_path)
        return recorded(adapter) if record else adapter

    return make


def test_a_function_s_draws_and_models_are_recorded(function):
    events = function("drawn").run_attempt(task(), spec(), {})["events"]
    assert kinds(events) == [
        "task.started",
        "model.output",
        "model.request",
        "model.output",
        "note",
        "agent.output",
        "agent.artifact",
        "task.completed",
    ]
    assert events[1] == {"seq": 1, "kind": "model.output", "sample": {"n": 3}}
    assert events[2] == {
        "seq": 2,
        "kind": "model.request",
        "call": 0,
        "lane": "side",
        "dialect": "other",
        "method": "CALL",
        "path": "",
        "request": {"ask": "name", "where": "${attempt}/work"},
    }
    sample = {"status": 200, "text": '"Ada"', "complete": True, "said": '"Ada"'}
    assert events[3] == {"seq": 3, "kind": "model.output", "call": 0, "sample": sample}
    assert events[5]["value"]["stdout"] == "3 Ada"


def test_an_asynchronous_function_s_draws_are_recorded_once_awaited(function):
    events = function("later").run_attempt(task(), spec(), {})["events"]
    assert kinds(events)[1:4] == ["model.request", "model.output", "model.output"]
    assert events[3]["sample"] == ["Ada"]
    assert events[-3]["value"]["stdout"] == "Ada['Ada']"


def test_a_function_s_calls_through_the_proxy_stand_among_its_lines(function):
    events = function("asks").run_attempt(task(), spec(), {})["events"]
    assert kinds(events)[1:5] == ["before", "model.request", "model.output", "after"]
    assert events[-3]["value"]["stdout"] == "yes"


def test_what_cannot_be_written_down_is_refused_where_it_would_be(function):
    events = function("unfit").run_attempt(task(), spec(), {})["events"]
    assert events[-1]["error"]["type"] == "exit"
    assert "TypeError" in events[-1]["error"]["detail"]


def test_a_function_that_is_not_recorded_writes_nothing_of_its_draws(function):
    adapter = function("drawn", record=False)
    events = adapter.run_attempt(task(), spec(), {})["events"]
    adapter.close()
    assert kinds(events) == ["task.started", "note", "model.output", "model.artifact", "task.completed"]
    assert events[2]["sample"]["stdout"] == "3 Ada"


def test_a_bare_model_s_calls_are_recorded_with_its_retries(recorded):
    replies = iter([plain({"error": {}}, 503), plain(chat("yes"))])
    upstream = FakeUpstream(lambda _: next(replies))
    with upstream:
        adapter = ChatAdapter("m", f"{upstream.url}/v1", environ={"OPENAI_API_KEY": KEY})
        recording = record_from(parse_upstreams([f"openai={adapter.base_url}"], {}), Scrubber([KEY]))
        adapter.record(recording)
        events = adapter.run_attempt(task("hi"), spec(), {})["events"]
        adapter.close()
    assert kinds(events) == [
        "task.started",
        *["model.request", "model.output"] * 2,
        "agent.output",
        "agent.artifact",
        "task.completed",
    ]
    assert events[-3]["value"] == {"stdout": "yes", "exit_code": None, "stderr_tail": ""}
    assert KEY not in json.dumps(events)
    assert upstream.seen[0].headers["authorization"] == f"Bearer {KEY}"


def test_an_identity_field_that_cannot_be_read_is_refused_before_anything_runs():
    with pytest.raises(UsageError):
        Recording(lambda _: None, identity_fields=["request.user=("])


def test_without_the_extra_recording_says_how_to_install_it(tmp_path):
    import subprocess

    program = (
        "import sys; sys.modules['aiohttp'] = None\n"
        "from passfloor.errors import UsageError\n"
        "from passfloor.recording.attempts import record_from\n"
        "from passfloor.scrubbing import Scrubber\n"
        "try: record_from({}, Scrubber())\n"
        "except UsageError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "recording needs aiohttp; install it with: pip install 'passfloor[record]'\n"


def test_agents_are_driven_without_any_http_library_unless_recorded():
    import subprocess

    program = (
        "import sys\n"
        "import passfloor.adapters.process, passfloor.adapters.function, passfloor.adapters.chat\n"
        "import passfloor.cli.run\n"
        "print([name for name in ('aiohttp', 'asyncio', 'multidict', 'openai') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
