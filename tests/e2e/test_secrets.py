"""A key that the agent was given and gives away in every way it can: it is written nowhere."""

import base64
import json
import os

import pytest

CANARY = "sk-canary-1234"
SPELLINGS = {
    "plain": CANARY,
    "percent": "".join(f"%{byte:02X}" for byte in CANARY.encode()),
    "base64": base64.b64encode(CANARY.encode()).decode(),
    "basic": base64.b64encode(f"user:{CANARY}".encode()).decode(),
    "json": "".join(f"\\u{ord(character):04x}" for character in CANARY),
}
LEAKY = """
import base64, json, os, sys
from pathlib import Path

key = os.environ["OPENAI_API_KEY"]
print("\\n".join(f"{name}={value}" for name, value in os.environ.items()))
print("to stderr:", key, file=sys.stderr)
Path("url.txt").write_text("https://x.example/?key=" + "".join(f"%{byte:02X}" for byte in key.encode()))
Path("auth.txt").write_text("Authorization: Basic " + base64.b64encode(f"user:{key}".encode()).decode())
Path("b64.txt").write_text(base64.b64encode(key.encode()).decode())
Path("escaped.json").write_text('"' + "".join(f"\\\\u{ord(c):04x}" for c in key) + '"')
Path("raw.bin").write_bytes(b"\\xff" + key.encode() + b"\\xfe")
Path(f"named-{key}.txt").write_text("nothing in it")
with open(os.environ["PASSFLOOR_JOURNAL"], "a") as journal:
    journal.write(json.dumps({"kind": "http.request", "headers": {"x-api-key": key}, key: 1}) + "\\n")
sys.exit(MODE)
"""


def everything_written(cli):
    """Path -> content of all files below the home: receipts, journals, workspaces, identity."""
    return {
        path: path.read_bytes()
        for folder, _, names in os.walk(cli.home)
        for path in (type(cli.home)(folder) / name for name in names)
        if path.is_file()
    }


def assert_nowhere(cli, *outputs):
    for path, content in everything_written(cli).items():
        for spelling, text in SPELLINGS.items():
            assert text.encode() not in content, (spelling, path)
            assert CANARY not in str(path)
    for output in outputs:
        for spelling, text in SPELLINGS.items():
            assert text not in output, spelling


@pytest.fixture
def leaky(cli):
    def make(mode="0"):
        cli.write("leaky.py", LEAKY.replace("MODE", mode))
        task = {"id": "t", "description": "d", "assertions": [{"kind": "completed"}]}
        cli.write("suite.json", json.dumps({"version": "own-v1", "tasks": [task]}))
        return ("--agent", "python3 leaky.py", "--env", "OPENAI_API_KEY")

    return make


def test_a_key_that_is_printed_written_encoded_and_used_as_a_name_is_in_nothing_we_write(cli, leaky):
    agent, env = leaky(), {"OPENAI_API_KEY": CANARY}
    ran = cli.good("bench", "run", "suite.json", "--reliability", 2, *agent, env=env)
    assert_nowhere(cli, ran.stdout, ran.stderr)

    receipt = json.loads((cli.cwd / "reliability.json").read_text())
    attempt = receipt["task_results"][0]["attempts"][0]
    events = attempt["receipt"]["events"]
    [said] = [event["sample"] for event in events if event["kind"] == "model.output"]
    [left] = [event["sample"] for event in events if event["kind"] == "model.artifact"]
    assert "OPENAI_API_KEY=[scrubbed]" in said["stdout"]
    assert said["stderr_tail"] == "to stderr: [scrubbed]\n"
    assert said["scrubbed"] == 2
    assert left["named-[scrubbed].txt"]["scrubbed"] == 1
    assert {name for name, entry in left.items() if entry.get("scrubbed")} == set(left)
    assert left["url.txt"]["text"] == "https://x.example/?key=[scrubbed]"
    assert left["url.txt"]["size"] == len(left["url.txt"]["text"])
    assert events[1] == {
        "seq": 1,
        "kind": "http.request",
        "headers": {"x-api-key": "[scrubbed]"},
        "[scrubbed]": 1,
    }
    verified = cli.json("bench", "verify", "reliability.json", "--suite", "suite.json")
    assert verified["status"] == "MATCH"
    checked = cli.json(
        "bench", "check", "reliability.json", "--suite", "suite.json", *agent, "--all", env=env
    )
    assert (checked["status"], checked["compared"]) == ("PASS", 2)
    assert_nowhere(cli, json.dumps(checked))


@pytest.mark.parametrize("mode", ["key", "3"])
def test_an_error_that_quotes_the_key_says_so_without_it(cli, leaky, mode):
    """A program that ends with the key as its last words, and one that just fails."""
    agent, env = leaky(mode), {"OPENAI_API_KEY": CANARY}
    ran = cli("bench", "run", "suite.json", "--reliability", 2, *agent, env=env)
    assert ran.returncode == 4
    assert "every attempt errored" in ran.stderr
    assert_nowhere(cli, ran.stdout, ran.stderr)


def test_a_callable_that_cannot_be_loaded_quotes_no_key(cli):
    cli.write("agent.py", "import os\nraise ValueError(os.environ['OPENAI_API_KEY'])\n")
    cli.suite("t")
    words = ("--agent-function", "agent:act", "--env", "OPENAI_API_KEY")
    env = {"OPENAI_API_KEY": CANARY}
    refused = cli("bench", "run", "suite.json", "--reliability", 1, *words, env=env)
    assert refused.returncode == 2
    assert "ValueError" in refused.stderr
    assert "[scrubbed]" in refused.stderr
    assert_nowhere(cli, refused.stderr)


def test_a_pattern_of_one_s_own_is_replaced_and_stands_in_no_digest(cli):
    cli.suite("t")
    agent = ("--agent", "echo yes, ticket 4711")
    plain = ("bench", "run", "suite.json", "--reliability", 1, *agent, "--out")
    cli.good(*plain, "plain.json")
    cli.good(*plain, "scrubbed.json", "--scrub", "ticket [0-9]+", "--scrub", "nothing")
    before, after = (json.loads((cli.cwd / name).read_text()) for name in ("plain.json", "scrubbed.json"))
    assert "ticket 4711" in json.dumps(before)
    assert "4711" not in json.dumps(after)
    assert before["subject"] == after["subject"]
    refused = cli(*plain, "other.json", "--scrub", "(sk-canary-1234")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert CANARY not in refused.stderr


def test_a_secret_too_short_to_be_found_is_warned_of(cli):
    cli.suite("t")
    words = ("--agent", "echo yes", "--env", "DOOR_TOKEN")
    ran = cli.good("bench", "run", "suite.json", "--reliability", 1, *words, env={"DOOR_TOKEN": "4711"})
    assert "warning: the value of DOOR_TOKEN is too short" in ran.stderr
    assert "4711" not in ran.stderr


@pytest.mark.parametrize("pattern", ["[a-z]+", ".", "(?s).*", "[0-9a-f]{8,}", "exit"])
def test_a_pattern_that_matches_nearly_everything_still_leaves_a_receipt_that_verifies(cli, leaky, pattern):
    agent, env = leaky(), {"OPENAI_API_KEY": CANARY}
    words = ("bench", "run", "suite.json", "--reliability", 2, *agent, "--scrub", pattern)
    told = cli.json(*words, env=env)
    assert told["counts"]["passed"] == 2
    assert cli.json("bench", "verify", "reliability.json", "--suite", "suite.json")["status"] == "MATCH"
    checked = cli.json(
        "bench", "check", "reliability.json", "--suite", "suite.json", *agent, "--scrub", pattern, env=env
    )
    assert checked["status"] == "PASS"
