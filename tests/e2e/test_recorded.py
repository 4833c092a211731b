"""Recorded runs by the real command: real agents behind the proxy, sealed and verified."""

import json
import random
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "unit" / "recording"))

from fake_upstream import FakeUpstream, chat, chat_chunks, plain, stream

KEY = "sk-canary-1234567890abcdef"

TOOLS = """
import json, os, sys
from openai import OpenAI

messages = [{"role": "user", "content": sys.stdin.read() + " in " + os.getcwd()}]
with OpenAI() as client:
    while True:
        reply = client.chat.completions.create(model="m", messages=messages).choices[0].message
        messages.append(reply.model_dump(exclude_none=True))
        for call in reply.tool_calls or []:
            found = f"{call.function.name} found {call.function.arguments}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": found})
        if not reply.tool_calls:
            print(reply.content)
            break
"""

# One call without any client: quick to start.
ONCE = """
import json, os, sys, urllib.request, uuid
body = {"model": "m", "messages": [{"role": "user", "content": CONTENT}], "stream": STREAM}
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
request = urllib.request.Request(url, json.dumps(body).encode())
with urllib.request.urlopen(request) as reply:
    text = reply.read().decode()
print("yes")
"""


def once(cli, content="'hi'", *, streamed=False):
    return cli.write("agent.py", ONCE.replace("CONTENT", content).replace("STREAM", str(streamed)))


def agent(path):
    return f"{sys.executable} {path}"


@pytest.fixture
def upstream():
    """``upstream(answer)``: where it serves."""
    opened = []

    def serve(answer=lambda _: plain(chat("yes"))):
        opened.append(FakeUpstream(answer).__enter__())
        return f"{opened[-1].url}/v1"

    yield serve
    for server in opened:
        server.__exit__()


def record(cli, url, path, *words, code=0, **options):
    return cli.json(
        "bench", "run", "suite.json", "--reliability", 3, "--record", "--upstream", url,
        "--agent", agent(path), *words, code=code, **options,
    )  # fmt: skip


def receipt(cli):
    text = (cli.cwd / "reliability.json").read_text()
    return text, json.loads(text)


def attempts(document):
    """The events of each attempt."""
    found = [attempt for result in document["task_results"] for attempt in result["attempts"]]
    return [attempt["receipt"]["events"] for attempt in found]


def verified(cli, code=0):
    return cli.json("bench", "reliability-verify", "reliability.json", "--suite", "suite.json", code=code)


def test_a_tool_using_agent_whose_answers_differ_is_recorded_and_verified(cli, upstream):
    draw = random.Random(7)

    def answer(seen):
        turns = sum(message["role"] == "tool" for message in seen.json["messages"])
        assert seen.headers["authorization"] == f"Bearer {KEY}"
        if turns < 4 and draw.random() < 0.6:
            return plain(chat(None, [("look", json.dumps({"n": draw.randint(1, 2)})) for _ in range(2)]))
        return plain(chat("yes"))

    cli.suite("a", "b")
    path = cli.write("agent.py", TOOLS)
    done = record(cli, upstream(answer), path, "--env", "OPENAI_API_KEY", env={"OPENAI_API_KEY": KEY})
    assert (done["coordination_ok"], done["coordination_rule"], done["pass_caret_k"]) == (True, "causal", 1.0)
    text, document = receipt(cli)
    assert "canary" not in text
    asked = [event for events in attempts(document) for event in events if event["kind"] == "model.request"]
    assert str(cli.tmp) not in json.dumps(asked)
    assert verified(cli)["status"] == "MATCH"


def test_large_messages_stand_in_the_receipt_once(cli, upstream):
    cli.suite("a")
    record(cli, upstream(), once(cli, "'long ' * 1000"))
    text, document = receipt(cli)
    assert text.count("long long long " * 10 + "long") <= 70
    assert any("long" in str(value) for value in document["blobs"].values())
    assert verified(cli)["status"] == "MATCH"


def test_an_agent_that_makes_something_up_is_named_by_path(cli, upstream):
    cli.suite("a")
    done = record(cli, upstream(), once(cli, "str(uuid.uuid4())"), code=1)
    assert done["coordination_ok"] is False
    found = verified(cli, code=1)
    assert found["status"] == "COORDINATION_DIVERGED"
    details = " ".join(finding["detail"] for finding in found["findings"])
    assert "request.messages[0]" in details


def test_a_declared_field_may_change(cli, upstream):
    cli.suite("a")
    field = "request.messages[*].content=[0-9a-f-]{36}"
    done = record(cli, upstream(), once(cli, "'id ' + str(uuid.uuid4())"), "--identity-field", field)
    assert done["coordination_ok"] is True
    _, document = receipt(cli)
    assert document["identity_fields"] == [field]
    assert verified(cli)["status"] == "MATCH"


def test_the_identical_rule_can_be_asked_for(cli, upstream):
    cli.suite("a")
    done = record(cli, upstream(), once(cli), "--coordination", "identical")
    assert done["coordination_rule"] == "identical"
    assert verified(cli)["status"] == "MATCH"


def test_an_upstream_that_breaks_off_its_streams_makes_attempts_errored_and_verifies(cli, upstream):
    replies = iter([False, True, False])

    def answer(_):
        return (
            stream(chat_chunks("abc")[:3], done=False, cut=True)
            if next(replies)
            else stream(chat_chunks("abc"))
        )

    cli.suite("a")
    done = record(cli, upstream(answer), once(cli, streamed=True), "--concurrency", 1)
    assert (done["counts"]["passed"], done["counts"]["errored"]) == (2, 1)
    _, document = receipt(cli)
    assert document["task_results"][0]["attempts"][1]["error"]["type"] == "stream"
    assert verified(cli)["status"] == "MATCH"


def test_a_run_in_which_no_call_reaches_the_proxy_stops_and_says_what_to_look_at(cli, upstream):
    cli.suite("a", "b")
    path = cli.write("agent.py", "print('yes')")
    done = cli(
        "bench", "run", "suite.json", "--reliability", 2, "--record", "--upstream", upstream(),
        "--agent", agent(path), "--concurrency", 1, "--quiet",
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert (
        "no model call reached the proxy in 2 attempts of task 'a': does the agent read OPENAI_BASE_URL"
        in done.stderr
    )
    assert not (cli.cwd / "reliability.json").exists()


def test_a_profile_can_ask_for_recording(cli, upstream):
    cli.suite("a")
    path = once(cli)
    words = json.dumps([sys.executable, str(path)])
    cli.write(
        "passfloor.toml", f"[agents.mine]\ncommand = {words}\nrecord = true\ncoordination = 'identical'\n"
    )
    done = cli.json(
        "bench",
        "run",
        "suite.json",
        "--reliability",
        2,
        "--agent",
        "mine",
        env={"OPENAI_BASE_URL": upstream()},
    )
    assert done["coordination_rule"] == "identical"
    _, document = receipt(cli)
    assert [event["kind"] for event in attempts(document)[0]][1:3] == ["model.request", "model.output"]


def test_a_bare_model_is_recorded_behind_its_base_url(cli, upstream):
    cli.suite("a")
    done = cli.json(
        "bench", "run", "suite.json", "--reliability", 2, "--model", "m", "--base-url", upstream(), "--record"
    )
    assert (done["coordination_rule"], done["pass_caret_k"]) == ("causal", 1.0)
    assert verified(cli)["status"] == "MATCH"


def test_a_resumed_run_records_on(cli, upstream):
    cli.suite("a")
    url, path = upstream(), once(cli)
    record(cli, url, path)
    done = record(cli, url, path, "--attempts", 5, "--resume", "--force")
    assert done["n"] == 5
    assert verified(cli)["status"] == "MATCH"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--upstream", "http://127.0.0.1:1/v1"], "--upstream has no meaning without --record"),
        (["--identity-field", "request.user"], "--identity-field has no meaning without --record"),
        (["--coordination", "causal"], "add --record"),
        (["--coordination", "loose"], "say 'identical' or 'causal'"),
        (["--record", "--coordination", "loose"], "say 'identical' or 'causal'"),
        (["--record", "--upstream", "nonsense"], "--upstream is no http or https URL"),
        (["--record", "--upstream", "http://127.0.0.1:1/v1"], "nothing listens at the upstream 127.0.0.1:1"),
        (["--record", "--identity-field", "request.user=("], "request.user"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_runs(cli, expect_refusal, words, said):
    cli.suite("a")
    done = cli("bench", "run", "suite.json", "--reliability", 1, "--agent", "true", *words)
    assert said in expect_refusal(done, 2)


@pytest.mark.parametrize("words", [["--adapter", "mock", "--stub-signer"]])
def test_an_agent_without_calls_of_its_own_cannot_be_recorded(cli, expect_refusal, words):
    done = cli("bench", "run", "golden-v1", "--reliability", 1, "--record", *words)
    assert "--record has no meaning for this agent" in expect_refusal(done, 2)


def test_a_dry_run_says_the_rule_and_what_may_change(cli, upstream):
    cli.suite("a")
    words = ["--identity-field", "request.user", "--dry-run"]
    done = cli.good(
        "bench",
        "run",
        "suite.json",
        "--reliability",
        1,
        "--agent",
        "true",
        "--record",
        "--upstream",
        upstream(),
        *words,
    )
    assert "rule 'causal'" in done.stdout
    assert "changes : request.user" in done.stdout


def test_recorded_calls_are_replayed_and_never_asked_again(cli, upstream):
    cli.suite("a")
    path = once(cli)
    record(cli, upstream(), path)
    done = cli.json(
        "bench",
        "reliability-check",
        "reliability.json",
        "--suite",
        "suite.json",
        "--agent",
        agent(path),
    )
    assert (done["status"], done["mode"]) == ("PASS", "replay")
