"""The examples of the documentation: recorded, verified, and made again with the upstream stopped."""

import importlib.util
import json
import re
import shutil
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "unit" / "recording"))

from fake_upstream import FakeUpstream, chat, message, message_events, plain, stream

DOCS = Path(__file__).resolve().parents[2] / "docs"
KEY = "sk-canary-1234567890abcdef"
AGENTS = {
    "openai_agent.py": "openai",
    "anthropic_agent.py": "anthropic",
    "pydantic_ai_agent.py": "pydantic_ai",
}


class Bookkeeper:
    """A model whose answers differ by themselves.

    Of the attempts of a task every other one reads the invoices side by side and adds them up in its head,
    badly; the others read one after another and add with the tool. ``nameless``: all are of the first kind,
    and its calls of tools have no ids, as with some local servers.
    """

    def __init__(self, *, nameless=False):
        self.nameless = nameless
        self.opened = Counter()
        self.lock = threading.Lock()

    def next(self, task, given):
        """What it says next: calls of tools, or a text. ``given``: what it gave to tools, turn by turn."""
        names = re.findall(r"\w+\.txt", task)
        calls = [arguments for turn in given for arguments in turn]
        if not given:
            with self.lock:
                self.opened[task] += 1
                hasty = self.nameless or self.opened[task] % 2
        else:
            hasty = len(given[0]) > 1
        if len(calls) < len(names):
            some = names if hasty else [names[len(calls)]]
            return [("read_file", {"name": name}) for name in some], None
        amounts = [84, 63, 20][: len(names)]
        if not hasty and len(calls) == len(names):
            return [("add", {"amounts": amounts})], None
        return [], str(sum(amounts) - hasty)

    def __call__(self, seen):
        assert KEY in seen.headers.get("authorization", "") + seen.headers.get("x-api-key", "")
        return self.messages(seen) if seen.path.endswith("/messages") else self.completion(seen)

    def completion(self, seen):
        task = next(each["content"] for each in seen.json["messages"] if each["role"] == "user")
        turns = [each["tool_calls"] for each in seen.json["messages"] if each.get("tool_calls")]
        given = [[json.loads(call["function"]["arguments"]) for call in turn] for turn in turns]
        calls, text = self.next(task, given)
        reply = chat(text, [(name, json.dumps(arguments)) for name, arguments in calls])
        for call in reply["choices"][0]["message"].get("tool_calls", []) if self.nameless else []:
            call["id"] = ""
        return plain(reply)

    def messages(self, seen):
        task, *later = (each["content"] for each in seen.json["messages"])
        turns = [[block["input"] for block in turn if block["type"] == "tool_use"] for turn in later]
        calls, text = self.next(task, [turn for turn in turns if turn])
        content = [{"type": "text", "text": text or "I look it up."}]
        content += [{"type": "tool_use", "name": name, "input": arguments} for name, arguments in calls]
        return stream(message_events(message(content)), done=False, named=True)


KEYS = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
LET_THROUGH = [word for name in KEYS for word in ("--env", name)]


class Example:
    """A script of the documentation, in a place of its own, the suite beside it."""

    def __init__(self, cli, name):
        if importlib.util.find_spec(AGENTS[name]) is None:
            pytest.skip(f"the package {AGENTS[name]} is not installed")
        for file in (name, "books.yaml"):
            shutil.copy(DOCS / "examples" / file, cli.cwd)
        self.cli = cli
        self.agent = ("--agent", f"{sys.executable} {name}", *LET_THROUGH)

    def record(self, model, *words, code=0):
        """Record two attempts of each task, with a model that is stopped afterwards."""
        with FakeUpstream(model) as server:
            return self.cli.json(
                *("bench", "run", "books.yaml", "--reliability", 2, *self.agent, "--force"),
                *("--record", "--upstream", f"{server.url}/v1", *words),
                env=KEYS,
                timeout=400,
                code=code,
            )

    def read(self, verb, *words, code=0):
        receipt = ("reliability.json", "--suite", "books.yaml")
        return self.cli.json("bench", verb, *receipt, *words, code=code, timeout=400)

    def requests(self):
        """How many calls each attempt made."""
        receipt = json.loads((self.cli.cwd / "reliability.json").read_text())
        attempts = [attempt for result in receipt["task_results"] for attempt in result["attempts"]]
        kinds = [[event["kind"] for event in attempt["receipt"]["events"]] for attempt in attempts]
        return [each.count("model.request") for each in kinds]

    def proved(self, attempts):
        assert self.read("reliability-verify")["status"] == "MATCH"
        found = self.read("reliability-check", "--all", *self.agent)
        assert (found["status"], found["mode"], found["compared"]) == ("PASS", "replay", attempts)
        assert all(each["byte_identical"] for each in found["attempts"]), found["attempts"]


def test_every_example_is_tried():
    assert {path.name for path in (DOCS / "examples").glob("*.py")} == set(AGENTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_an_example_is_recorded_verified_and_made_again_with_the_upstream_stopped(cli, name):
    example = Example(cli, name)
    done = example.record(Bookkeeper())
    assert (done["coordination_ok"], done["coordination_rule"]) == (True, "causal")
    assert (done["pass_at_1"], done["pass_caret_k"], done["counts"]["errored"]) == (1.0, 0.0, 0)
    assert "canary" not in (cli.cwd / "reliability.json").read_text()
    first, second = example.requests()[:2], example.requests()[2:]
    assert (sorted(first), sorted(second)) == ([2, 4], [2, 5])
    example.proved(4)


@pytest.mark.slow
def test_ids_that_a_framework_makes_up_by_itself_are_named_and_can_be_declared(cli):
    example = Example(cli, "pydantic_ai_agent.py")
    done = example.record(Bookkeeper(nameless=True), "--task", "two_customers", code=1)
    assert done["coordination_ok"] is False
    (finding,) = example.read("reliability-verify", code=1)["findings"]
    assert re.fullmatch(r"events\[3\]\.request\.messages\[2\]\.tool_calls\[0\]\.id", finding["path"])
    done = example.record(Bookkeeper(nameless=True), "--task", "two_customers", *declared())
    assert done["coordination_ok"] is True
    example.proved(2)


def declared():
    """The declarations that the documentation gives for these ids."""
    page = (DOCS / "how-to" / "record-your-framework.md").read_text(encoding="utf-8")
    fields = [field for field in re.findall(r"--identity-field '(.*?)'", page) if "pyd_ai_" in field]
    return [word for field in fields for word in ("--identity-field", field)]
