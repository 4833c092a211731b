"""Recorded attempts made again by the real command, with the upstream stopped."""

import json
import random
import sys
import threading
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "unit" / "recording"))

from fake_upstream import FakeUpstream, chat, chat_chunks, plain, stream

KEY = "sk-canary-1234567890abcdef"

# A conversation with tools on the openai client. NOTE, ARGUMENT and ORDER are what a test makes of it.
TOOLS = """
import datetime, json, os, sys, time, uuid
from openai import OpenAI

messages = [{"role": "system", "content": NOTE}, {"role": "user", "content": sys.stdin.read()}]
with OpenAI() as client:
    while True:
        reply = client.chat.completions.create(model="m", messages=messages).choices[0].message
        messages.append(reply.model_dump(exclude_none=True))
        for call in reply.tool_calls or []:
            found = f"{call.function.name} {call.function.arguments} {ARGUMENT}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": found})
        if not reply.tool_calls:
            print(reply.content)
            break
"""

# Without any client: quick to start. PLAN is the agent, over ``ask``, which returns the text of an answer.
QUICK = """
import datetime, json, os, pathlib, sys, threading, time, urllib.request, uuid

def ask(content, lane="", streamed=False):
    body = {"model": "m", "messages": [{"role": "user", "content": content}], "stream": streamed}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    headers = {"x-passfloor-lane": lane} if lane else {}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as reply:
        text = reply.read().decode()
    return text if streamed else json.loads(text)["choices"][0]["message"]["content"]

"""


def drawn(seed=7):
    """Random tool calls for a while, then the answer."""
    draw, lock = random.Random(seed), threading.Lock()

    def answer(seen):
        turns = sum(message["role"] == "tool" for message in seen.json["messages"])
        with lock:
            if turns < 6 and draw.random() < 0.6:
                calls = [("look", json.dumps({"n": draw.randint(1, 9)})) for _ in range(draw.randint(1, 2))]
                return plain(chat(None, calls))
        return plain(chat("yes"))

    return answer


def looked_up(seen):
    """A tool call, then the answer."""
    asked = seen.json["messages"][-1]["role"] == "tool"
    return plain(chat("yes") if asked else chat(None, [("look", "{}")]))


class Harness:
    def __init__(self, cli):
        self.cli = cli

    def agent(self, text, name="agent.py"):
        return f"{sys.executable} {self.cli.write(name, text)}"

    def tools(self, note="'you look things up'", argument="''"):
        return self.agent(TOOLS.replace("NOTE", note).replace("ARGUMENT", argument))

    def quick(self, plan):
        return self.agent(QUICK + plan)

    def record(
        self, agent, answer=lambda _: plain(chat("yes")), *words, ids=("a",), k=2, code=0, timeout=120
    ):
        """Record against an upstream that is stopped afterwards."""
        self.cli.suite(*ids)
        with FakeUpstream(answer) as server:
            return self.cli.json(
                *("bench", "run", "suite.json", "--reliability", k, "--record", "--agent", agent),
                *("--upstream", f"{server.url}/v1", "--env", "OPENAI_API_KEY", *words),
                env={"OPENAI_API_KEY": KEY}, code=code, timeout=timeout,
            )  # fmt: skip

    def check(self, agent, *words, code=0, timeout=120):
        return self.cli.json(
            *("bench", "reliability-check", "reliability.json", "--suite", "suite.json", "--agent", agent),
            *("--env", "OPENAI_API_KEY", *words),
            code=code,
            timeout=timeout,
        )

    def verify(self, *words, code=0):
        words = ("reliability.json", "--suite", "suite.json", *words)
        return self.cli.json("bench", "reliability-verify", *words, code=code)


@pytest.fixture
def harness(cli):
    return Harness(cli)


def only(found):
    """The one attempt that was compared."""
    (attempt,) = found["attempts"]
    return attempt


def test_a_tool_using_agent_is_proved_with_the_upstream_stopped(harness):
    agent = harness.tools()
    done = harness.record(agent, drawn(), ids="abcde", k=5, timeout=500)
    assert (done["coordination_ok"], done["coordination_rule"], done["n"]) == (True, "causal", 5)
    found = harness.check(agent, "--all", timeout=500)
    assert (found["status"], found["mode"], found["compared"]) == ("PASS", "replay", 25)
    assert all(each["coordination_identical"] and each["byte_identical"] for each in found["attempts"])
    places = [(each["task_id"], each["attempt"]) for each in found["attempts"]]
    assert places == [(task, index) for task in "abcde" for index in range(5)]


@pytest.mark.parametrize(
    ("plan", "place"),
    [
        ("print(ask('q ' + str(uuid.uuid4())))", "request.messages[0].content"),
        ("print(ask(f'it is {time.time_ns()}'))", "request.messages[0].content"),
        (
            "words = {w + c for w in ('yes', 'no', 'so') for c in 'abcdefgh'}\nprint(ask(' '.join(words)))",
            "request.messages[0].content",
        ),
    ],
    ids=["uuid4", "timestamp", "hash_order"],
)
def test_what_an_agent_makes_up_is_named_by_path_in_verify_and_in_the_check(harness, plan, place):
    agent = harness.quick(plan)
    assert harness.record(agent, code=1)["coordination_ok"] is False
    verified = harness.verify(code=1)
    assert verified["status"] == "COORDINATION_DIVERGED"
    assert any(place in finding["path"] for finding in verified["findings"])
    found = harness.check(agent, code=1)
    assert found["status"] == "FAIL"
    assert only(found)["divergent_field"] == f"events[1].{place}"
    assert "!=" in only(found)["detail"]


def test_a_uuid_in_a_tools_result_and_a_time_in_a_prompt_are_named_with_the_real_client(harness):
    agent = harness.tools(argument="uuid.uuid4()")
    harness.record(agent, looked_up, k=1)
    assert only(harness.check(agent, code=1))["divergent_field"] == "events[3].request.messages[3].content"
    (harness.cli.cwd / "reliability.json").unlink()
    agent = harness.tools(note="str(datetime.datetime.now())")
    harness.record(agent, looked_up, k=1)
    assert only(harness.check(agent, code=1))["divergent_field"] == "events[1].request.messages[0].content"


def test_parallel_questions_in_lanes_and_paths_in_prompts_are_never_flagged(harness):
    agent = harness.quick(
        "found = {}\n"
        "def one(n): found[n] = ask(f'{n} in {os.getcwd()}', lane=str(n)) + ask('the same', lane=str(n))\n"
        "threads = [threading.Thread(target=one, args=(n,)) for n in range(3)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "ask(f'{sorted(found.items())}')\nprint('yes')\n"
    )
    draw, lock = random.Random(3), threading.Lock()

    def answer(_):
        with lock:
            return plain(chat(str(draw.randint(0, 5))))

    assert harness.record(agent, answer, k=4)["coordination_ok"] is True
    found = harness.check(agent, "--all", "--repeat", 3)
    assert (found["status"], found["repeated"]) == ("PASS", 3)
    assert all(each["byte_identical"] for each in found["attempts"])


def test_a_race_between_threads_is_flagged_at_the_latest_when_it_is_repeated(harness):
    agent = harness.quick(
        "order = []\n"
        "def one(n):\n"
        "    time.sleep(int.from_bytes(os.urandom(1), 'big') / 2000)\n"
        "    order.append(n)\n"
        "threads = [threading.Thread(target=one, args=(n,)) for n in range(4)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(ask(f'order {order}'))\n"
    )
    harness.record(agent, k=1)
    found = harness.check(agent, "--repeat", 12, code=1)
    assert only(found)["divergent_field"] == "events[1].request.messages[0].content"


def test_one_question_asked_side_by_side_is_answered_either_way_round(harness):
    agent = harness.quick(
        "found = {}\n"
        "def one(n): found[n] = ask('vote')\n"
        "threads = [threading.Thread(target=one, args=(n,)) for n in range(2)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "ask('count ' + ' '.join(found[n] for n in range(2)))\nprint('yes')\n"
    )
    together, lock, votes = threading.Barrier(2), threading.Lock(), iter("xyz" * 9)

    def answer(seen):
        if "vote" not in seen.json["messages"][0]["content"]:
            return plain(chat("so many"))
        together.wait(20)
        with lock:
            return plain(chat(next(votes)))

    harness.record(agent, answer, "--concurrency", 1, k=1)
    assert only(harness.check(agent, "--repeat", 4))["coordination_identical"] is True


def test_answers_that_nobody_can_place_leave_it_undecided_and_never_diverged(harness):
    agent = harness.quick(
        "found = {}\n"
        "def one(n): found[n] = ask('vote')\n"
        "threads = [threading.Thread(target=one, args=(n,)) for n in range(3)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "ask(' '.join(found[n] for n in range(3)) + str(uuid.uuid4()))\nprint('yes')\n"
    )
    together, lock, votes = threading.Barrier(3), threading.Lock(), iter("xyz" * 9)

    def answer(seen):
        if seen.json["messages"][0]["content"] == "vote":
            together.wait(20)
        with lock:
            return plain(chat(next(votes)))

    harness.record(agent, answer, "--concurrency", 1, k=1)
    found = harness.check(agent, code=4)
    assert found["status"] == "UNDECIDED"
    assert only(found)["undecided"] is True
    assert "name lanes" in only(found)["detail"]


@pytest.mark.parametrize(
    ("then", "now", "said"),
    [
        ("ask('1'); ask('2')", "ask('1')", "recorded, not asked for"),
        ("ask('1')", "ask('1'); ask('2')", "not recorded"),
    ],
    ids=["less", "more"],
)
def test_an_agent_that_asks_for_less_or_more_than_was_recorded_diverges(harness, then, now, said):
    # One program, which reads what to do from a place that no digest covers.
    where = harness.cli.write("plan.txt", then)
    agent = harness.quick(f"exec(open({str(where)!r}).read())\nprint('yes')")
    harness.record(agent, k=1)
    assert only(harness.check(agent))["byte_identical"] is True
    where.write_text(now)
    found = harness.check(agent, code=1)
    assert said in only(found)["detail"]
    assert only(found)["divergent_field"].startswith("events[")


def test_streams_end_where_they_ended(harness):
    def answer(seen):
        cut = "cut" in seen.json["messages"][0]["content"]
        return stream(chat_chunks("yes")[: 2 if cut else None], done=not cut, cut=cut)

    agent = harness.quick("ask('whole', streamed=True)\nask('cut', streamed=True)\nprint('yes')\n")
    harness.record(agent, answer, k=1, code=4)
    found = harness.check(agent)
    assert only(found)["byte_identical"] is True
    assert "reproduced as far as it went" in only(found)["detail"]
    told = json.loads((harness.cli.cwd / "reliability.json").read_text())
    last = told["task_results"][0]["attempts"][0]["receipt"]["events"][-1]
    assert last["error"]["type"] == "stream"


def test_a_replay_that_runs_out_of_time_and_a_folder_that_is_taken_are_undecided(harness):
    where = harness.cli.write("plan.txt", "")
    agent = harness.quick(f"exec(open({str(where)!r}).read())\nprint(ask('q'))")
    harness.record(agent, k=1)
    where.write_text("time.sleep(60)")
    found = harness.check(agent, "--timeout", 1, code=4)
    assert "--timeout" in only(found)["detail"]
    where.write_text("")
    told = json.loads((harness.cli.cwd / "reliability.json").read_text())
    attempt_id = told["task_results"][0]["attempts"][0]["attempt_id"]
    folder = harness.cli.tmp / f"pf-{attempt_id[:24]}"
    folder.mkdir()
    found = harness.check(agent, code=4)
    assert "exists already" in only(found)["detail"]
    assert folder.is_dir()
    folder.rmdir()
    assert harness.check(agent)["status"] == "PASS"


def test_another_program_is_undecided_and_a_forged_receipt_is_not_run(harness):
    agent = harness.quick("print(ask('q'))")
    harness.record(agent, k=1)
    other = harness.agent(QUICK + "print(ask('q') )", "other.py")
    assert harness.check(other, code=4)["attempts"] == []
    path = harness.cli.cwd / "reliability.json"
    path.write_text(path.read_text().replace('\\"yes\\"', '\\"no\\"'))
    assert harness.check(agent, code=1)["attempts"] == []


def test_a_signed_statement_is_demanded_shown_and_refused_of_others(harness):
    cli, agent = harness.cli, harness.quick("print(ask('q'))")
    harness.record(agent)
    demand = ("--require-replayed-coordination",)
    found = harness.verify(*demand, code=3)
    assert (found["status"], found["check"]) == ("POLICY_FAILED", None)
    assert [finding["code"] for finding in found["findings"]] == ["replayed_coordination"]

    harness.check(agent, "--attempt", 1, "--out", "part.json")
    part = harness.verify(*demand, "--check", "part.json", code=3)
    assert "1 are not vouched for" in part["findings"][0]["detail"]
    harness.check(agent, "--all", "--out", "check.json")
    found = harness.verify(*demand, "--check", "check.json")
    assert found["check"]["counts"]["byte_identical"] == 2
    assert found["check"]["problem"] is None
    assert harness.check(agent, "--all", "--out", "check.json", "--force")["passed"] is True

    signer = found["signer_fingerprint"]
    words = ("reliability.json", "--suite", "suite.json", "--check")
    report = cli.good("bench", "report", *words, "check.json").stdout
    assert "the rule 'causal'" in report
    assert "replayed 2 of 2 attempts" in " ".join(report.split())
    assert signer in report
    text = cli.good("bench", "reliability-verify", *words, "check.json")
    assert f"by the word of {signer}" in " ".join(text.stdout.split())

    statement = json.loads((cli.cwd / "check.json").read_text())
    statement["attempts"][0]["byte_identical"] = False
    cli.write("forged.json", json.dumps(statement))
    for verb in ("reliability-verify", "report"):
        done = cli("bench", verb, *words, "forged.json")
        assert done.returncode == 3
        assert "replayed_coordination" in done.stdout + done.stderr
    (cli.cwd / "reliability.json").unlink()
    harness.record(agent)
    assert "another receipt" in harness.verify("--check", "check.json", code=3)["check"]["problem"]


def test_the_stub_signs_a_statement_that_counts_only_where_it_is_allowed(harness):
    agent = harness.quick("print(ask('q'))")
    harness.record(agent, lambda _: plain(chat("yes")), "--stub-signer", k=1)
    harness.check(agent, "--allow-stub", "--all", "--out", "check.json", "--stub-signer")
    words = ("--require-replayed-coordination", "--check", "check.json")
    assert harness.verify("--allow-stub", *words)["check"]["assurance"] == "test"


def test_a_bare_model_is_replayed_without_an_endpoint_or_a_key(harness):
    cli = harness.cli
    cli.suite("a")
    with FakeUpstream(lambda _: plain(chat("yes"))) as server:
        model = ("--model", "m", "--base-url", f"{server.url}/v1")
        cli.good(
            *("bench", "run", "suite.json", "--reliability", 2, "--record", *model),
            env={"OPENAI_API_KEY": KEY},
        )
    words = ("reliability.json", "--suite", "suite.json", "--all", *model)
    found = cli.json("bench", "reliability-check", *words)
    assert (found["status"], found["mode"], found["compared"]) == ("PASS", "replay", 2)
    assert all(each["byte_identical"] for each in found["attempts"])


def test_a_client_that_gave_up_on_an_answer_gives_up_again(harness):
    agent = harness.quick(
        "import socket\n"
        "socket.setdefaulttimeout(1)\n"
        "try: ask('slow')\n"
        "except OSError: pass\n"
        "socket.setdefaulttimeout(30)\n"
        "print(ask('quick'))\n"
    )
    over = threading.Event()

    def answer(seen):
        if seen.json["messages"][0]["content"] == "slow":
            over.wait(20)
        else:
            over.set()
        return plain(chat("yes"))

    harness.record(agent, answer, "--concurrency", 1, k=1)
    assert only(harness.check(agent))["byte_identical"] is True


def test_a_sample_that_a_program_declares_itself_leaves_what_follows_undecided(harness):
    agent = harness.quick(
        "drawn = uuid.uuid4().hex\n"
        "with open(os.environ['PASSFLOOR_JOURNAL'], 'a') as journal:\n"
        "    print(json.dumps({'kind': 'model.output', 'sample': drawn}), file=journal)\n"
        "ask(drawn)\nprint('yes')\n"
    )
    assert harness.record(agent)["coordination_ok"] is True
    found = harness.check(agent, code=4)
    assert "sample of its own" in only(found)["detail"]


def test_some_tasks_are_checked_and_flags_about_no_statement_are_refused(harness):
    agent = harness.quick("print(ask('q'))")
    harness.record(agent, ids="abc")
    found = harness.check(agent, "--task", "c", "--task", "a", "--attempt", 1)
    assert [(each["task_id"], each["attempt"]) for each in found["attempts"]] == [("a", 1), ("c", 1)]
    words = ("reliability.json", "--suite", "suite.json", "--agent", agent, "--env", "OPENAI_API_KEY")
    for further in ("--force", "--stub-signer"):
        done = harness.cli("bench", "reliability-check", *words, further)
        assert (done.returncode, done.stdout) == (2, "")
        assert "--out" in done.stderr
