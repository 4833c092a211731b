"""Receipts of real runs, made here and now, are judged by the independent verifiers as by the package."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path += [str(Path(__file__).parents[1] / place) for place in ("e2e", "unit/recording", "conformance")]

from fake_upstream import FakeUpstream, chat, plain
from test_independent import COMMANDS, at_least_twenty

# By its place: there is a conftest in every folder.
_spec = importlib.util.spec_from_file_location("e2e_conftest", Path(__file__).parents[1] / "e2e/conftest.py")
e2e = importlib.util.module_from_spec(_spec)
sys.modules["e2e_conftest"] = e2e
_spec.loader.exec_module(e2e)
make_cli = e2e.make_cli

AGENT = """
import json, os, sys, urllib.request
messages = [{"role": "user", "content": sys.stdin.read() + " " * 2000}]
for turn in range(2):
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    body = json.dumps({"model": "m", "messages": messages}).encode()
    with urllib.request.urlopen(urllib.request.Request(url, body)) as reply:
        said = json.loads(reply.read())["choices"][0]["message"]["content"]
    messages += [{"role": "assistant", "content": said}, {"role": "user", "content": "sure?"}]
open("notes.txt", "w").write("long " * 500)
print(said)
"""
PLAIN = "import sys; open('kept.bin', 'wb').write(bytes(range(256))); print('yes' if len(sys.argv) else '')"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A home with ``identical.json`` and ``causal.json``, both n = 3 over two tasks, and the signer's key."""
    cli = make_cli(tmp_path_factory.mktemp("fresh"))
    cli.suite("a", "b")
    suite = json.loads((cli.cwd / "suite.json").read_text())
    suite["defaults"] = {"files": {"list.txt": "one\n", "data.bin": {"base64": "AP8="}}}
    (cli.cwd / "suite.json").write_text(json.dumps(suite))
    made = ("bench", "run", "suite.json", "--reliability", 2, "--attempts", 3, "--agent")
    cli.good(*made, f"{sys.executable} {cli.write('plain.py', PLAIN)}", "--out", "identical.json")
    draws = iter(["yes", "no", "yes", "yes", "maybe", "yes"] * 9)
    with FakeUpstream(lambda _: plain(chat(next(draws)))) as upstream:
        agent = f"{sys.executable} {cli.write('agent.py', AGENT)}"
        cli.good(*made, agent, "--record", "--upstream", f"{upstream.url}/v1", "--out", "causal.json")
    keys = json.loads(cli.good("key", "publish").stdout)["keys"]
    cli.key = keys[0]["x"]
    return cli


def verdict(cli, name, receipt):
    if name == "node":
        at_least_twenty()
    words = [*COMMANDS[name], "--suite", "suite.json", "--signer-key", cli.key, receipt]
    return subprocess.run(words, cwd=cli.cwd, capture_output=True, text=True, check=False, timeout=120)


def judged(cli, receipt, code=0):
    flags = ("--suite", "suite.json", "--signer-key", cli.key)
    return cli.json("bench", "reliability-verify", receipt, *flags, code=code)


def edited(cli, receipt, change):
    document = json.loads((cli.cwd / receipt).read_text())
    change(document)
    (cli.cwd / "edited.json").write_text(json.dumps(document))
    return "edited.json"


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("rule", ["identical", "causal"])
def test_a_fresh_receipt_matches(runs, name, rule):
    document = json.loads((runs.cwd / f"{rule}.json").read_text())
    assert document["coordination_rule"] == rule
    assert bool(document["blobs"]) == (rule == "causal")
    ours = judged(runs, f"{rule}.json")
    done = verdict(runs, name, f"{rule}.json")
    assert (done.stdout.splitlines()[0], done.returncode, ours["status"]) == ("MATCH", 0, "MATCH")


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("rule", ["identical", "causal"])
def test_an_edit_of_it_is_called_the_same(runs, name, rule):
    def change(document):
        document["task_results"][0]["attempts"][1]["receipt"]["events"].insert(1, {"seq": 1, "kind": "route"})

    path = edited(runs, f"{rule}.json", change)
    ours = judged(runs, path, code=1)
    done = verdict(runs, name, path)
    assert (done.stdout.splitlines()[0], done.returncode) == (ours["status"], 1)


@pytest.mark.parametrize("name", COMMANDS)
def test_another_signer_is_not_trusted(runs, name):
    other = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    if name == "node":
        at_least_twenty()
    words = [*COMMANDS[name], "--suite", "suite.json", "--signer-key", other, "identical.json"]
    done = subprocess.run(words, cwd=runs.cwd, capture_output=True, text=True, check=False, timeout=120)
    said = ["UNSIGNED", "  key_unknown $.signer_fingerprint"]
    assert (done.stdout.splitlines()[:2], done.returncode) == (said, 1)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_redacted_receipt_holds_but_for_what_was_taken_out(runs, name):
    if not (runs.cwd / "redacted.json").exists():
        flags = ("--suite", "suite.json", "--out", "redacted.json")
        made = runs.json("bench", "redact", "causal.json", *flags)
        assert (made["removed"] > 0, made["left"]) == (True, 0)
    done = verdict(runs, name, "redacted.json")
    assert (done.stdout.splitlines()[0], done.returncode) == ("MATCH", 0)
    undeclared = edited(runs, "redacted.json", lambda document: document["ext"]["redacted"]["blobs"].pop())
    assert verdict(runs, name, undeclared).stdout.splitlines()[0] == "HASH_MISMATCH"
    named = edited(runs, "redacted.json", lambda document: document["ext"]["redacted"].update(signature="x"))
    said = verdict(runs, name, named).stdout
    assert "header $.signature" in said
    assert judged(runs, "redacted.json")["status"] == "MATCH"
