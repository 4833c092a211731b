"""Fresh attempts against a claim: what is run, what is concluded, what is refused."""

import json

import pytest

from passfloor.canonical import canonical, sha256_hex
from passfloor.signing.jws import verify_detached
from passfloor.signing.public_keys import read_public_key

# Passes the first so many attempts of a task that it is asked for, by a file of its own.
AGENT = """
import os, sys
from pathlib import Path

log = Path(sys.argv[1]) / os.environ["PASSFLOOR_TASK_ID"]
with log.open("a") as file:
    file.write("x")
if "crash" in sys.argv:
    sys.exit(3)
print("yes" if log.stat().st_size <= int(sys.argv[2]) else "no")
"""
ONE = ("--concurrency", 1)


@pytest.fixture
def claimed(cli):
    """A receipt of three tasks that all passed ten times of ten, its suite, and a way to name an agent."""
    cli.write("agent.py", AGENT)
    suite = cli.suite("a", "b", "c")
    logs = iter(range(100))

    def agent(passes, *more):
        log = cli.cwd / f"log{next(logs)}"
        log.mkdir()
        return ("--agent", " ".join(["python", "agent.py", str(log), str(passes), *more])), log

    flags, _ = agent(10)
    cli.good("bench", "run", suite, "--reliability", 5, "--attempts", 10, *flags, *ONE, "--quiet")
    return cli, suite, agent


def runs(log):
    return {path.name: path.stat().st_size for path in log.iterdir()}


def test_an_agent_that_still_does_it_is_consistent_and_the_budget_is_what_is_run(claimed):
    cli, suite, agent = claimed
    flags, log = agent(99)
    found = cli.json("bench", "audit", "reliability.json", "--suite", suite, *flags, "--budget", 31)
    assert (found["status"], found["decision"]) == ("MATCH", "consistent")
    assert found["fresh"] == {"attempts": 31, "passed": 31, "errored": 0}
    assert sorted(runs(log).values()) == [10, 10, 11]
    assert [(each["n"], each["claimed"], each["p_value"]) for each in found["tasks"]] == [(10, 10, 1.0)] * 3
    assert (found["p_value"], found["alpha"]) == (1.0, "1/20")
    assert 0 < found["power"]["least_drop"] < 0.5


def test_an_agent_that_no_longer_does_it_is_inconsistent_and_the_tasks_are_named(claimed):
    cli, suite, agent = claimed
    flags, _ = agent(0)
    found = cli.json("bench", "audit", "reliability.json", "--suite", suite, *flags, "--budget", 30, code=1)
    assert found["decision"] == "inconsistent"
    assert found["p_value"] < 1e-6
    assert [each["against"] for each in found["tasks"]] == [True] * 3
    text = cli("bench", "audit", "reliability.json", "--suite", suite, *agent(0)[0], "--budget", 30)
    assert text.returncode == 1
    assert text.stdout.startswith("audit: INCONSISTENT\n")
    assert "10/10     0/10  1.08e-05  against the claim\n" in text.stdout
    assert "it is another one than the receipt is" in text.stdout
    assert max(map(len, text.stdout.splitlines())) <= 80


def test_a_budget_that_could_show_nothing_is_too_little_to_tell(claimed):
    cli, suite, agent = claimed
    found = cli.json(
        "bench", "audit", "reliability.json", "--suite", suite, *agent(9)[0], "--budget", 1, code=4
    )
    assert (found["decision"], found["power"]["least_drop"]) == ("undecided", None)
    text = cli("bench", "audit", "reliability.json", "--suite", suite, *agent(9)[0], "--budget", 1)
    assert "not even an agent that never passes, with a chance of 80%: raise --budget" in text.stdout


def test_errors_of_the_auditors_own_machine_do_not_speak_against_a_claim(claimed):
    cli, suite, agent = claimed
    found = cli.json(
        "bench", "audit", "reliability.json", "--suite", suite, *agent(99, "crash")[0], "--budget", 30, code=4
    )
    assert (found["decision"], found["fresh"]["errored"]) == ("undecided", 30)
    text = cli("bench", "audit", "reliability.json", "--suite", suite, *agent(9, "crash")[0], "--budget", 30)
    assert "why 30 fresh attempts errored, which count as not passed: without them the" in text.stdout


def test_the_same_seed_gives_the_same_tasks_the_odd_attempts(claimed):
    cli, suite, agent = claimed
    drawn = []
    for seed in (3, 3, 4, 5, 6, 7):
        flags, log = agent(99)
        cli("bench", "audit", "reliability.json", "--suite", suite, *flags, "--budget", 1, "--seed", seed)
        drawn.append(runs(log))
    assert drawn[0] == drawn[1]
    assert len({tuple(each) for each in drawn}) > 1


def test_the_statement_is_signed_and_about_this_receipt(claimed):
    cli, suite, agent = claimed
    told = ("bench", "audit", "reliability.json", "--suite", suite, *agent(0)[0], "--budget", 30)
    done = cli(*told, "--out", "audit.json")
    assert done.returncode == 1
    statement = json.loads((cli.cwd / "audit.json").read_bytes())
    receipt = json.loads((cli.cwd / "reliability.json").read_bytes())
    assert statement["receipt_hash"] == receipt["receipt_hash"]
    assert statement["decision"] == "inconsistent"
    covered = {
        name: value
        for name, value in statement.items()
        if name not in {"statement_hash", "signature", "signer_fingerprint"}
    }
    assert statement["statement_hash"] == sha256_hex(canonical(covered))
    key = json.loads(cli.good("key", "publish").stdout)["keys"][0]["x"]
    signed = statement["signature"], statement["statement_hash"].encode(), read_public_key(key, source="x")
    assert verify_detached(*signed, typ="passfloor-audit+jws") == "ok"
    assert verify_detached(*signed) == "header"
    again = cli(*told, "--out", "audit.json")
    assert again.returncode == 2
    assert "exists" in again.stderr


def test_a_forged_receipt_is_refused_and_nothing_is_run(claimed):
    cli, suite, agent = claimed
    path = cli.cwd / "reliability.json"
    path.write_text(path.read_text().replace('"pass_caret_k":1', '"pass_caret_k":0.5'))
    flags, log = agent(99)
    found = cli.json(
        "bench", "audit", path, "--suite", suite, *flags, "--budget", 3, "--out", "st.json", code=1
    )
    assert (found["status"], found["decision"]) == ("FABRICATED_FLOOR", None)
    assert runs(log) == {}
    assert not (cli.cwd / "st.json").exists()
    text = cli("bench", "audit", path, "--suite", suite, *flags, "--budget", 3)
    assert text.stdout.startswith("audit: FABRICATED_FLOOR\n")
    assert text.stdout.endswith("nothing was run: the receipt is not accepted\n")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--budget", 0), "--budget"),
        ((), "--budget"),
        (("--budget", 3, "--alpha", "1"), "--alpha '1': give a number above 0 and below 1"),
        (("--budget", 3, "--alpha", "x"), "--alpha 'x'"),
        (("--budget", 3, "--alpha", "1/0"), "--alpha '1/0'"),
        (("--budget", 3, "--alpha", "1e-999999999"), "--alpha '1e-999999999'"),
        (("--budget", 3, "--force"), "add --out"),
        (("--budget", 3, "--tasks", "other.json"), "the suite of --tasks has no task 'a'"),
        (("--budget", 3, "--seed", -1), "--seed"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_line(claimed, expect_refusal, flags, words):
    cli, suite, agent = claimed
    cli.suite("b", "c", "z", name="other.json")
    told = cli("bench", "audit", "reliability.json", "--suite", suite, *agent(9)[0], *flags)
    assert words in expect_refusal(told, 2)


def test_tasks_of_another_suite_stand_in_by_their_ids(claimed):
    cli, suite, agent = claimed
    cli.suite("c", "a", "b", "z", name="other.json", timeout_s=7)
    flags, log = agent(99)
    found = cli.json(
        "bench",
        "audit",
        "reliability.json",
        "--suite",
        suite,
        *flags,
        "--budget",
        30,
        "--tasks",
        "other.json",
    )
    assert (found["decision"], runs(log)) == ("consistent", {"a": 10, "b": 10, "c": 10})
