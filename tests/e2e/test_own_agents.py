"""Agents of the test's own: what they do is what is counted."""

import json
import os
import sys

import pytest

AGENT = """
import os, sys, time
from pathlib import Path

acts = {"steady": ["yes"], "flaky": ["yes", "no"], "crashing": ["yes", "exit", "hang"]}
log = Path(sys.argv[1]) / os.environ["PASSFLOOR_TASK_ID"]
number = len(log.read_text()) if log.exists() else 0
with log.open("a") as file:
    file.write("x")
script = acts[os.environ["PASSFLOOR_TASK_ID"]]
act = script[number] if number < len(script) else "yes"
if act == "exit":
    sys.exit(3)
if act == "hang":
    time.sleep(60)
print(act)
"""

# For agents that go by how often they were called, and share a file to count.
ONE = ("--concurrency", 1)


@pytest.fixture
def sometimes(cli):
    """An agent that acts by a script, and the flags to run it."""
    cli.write("agent.py", AGENT)
    (cli.cwd / "log").mkdir()
    return "--agent", "python agent.py log"


def attempts(path):
    receipt = json.loads(path.read_bytes())
    return {
        result["task_id"]: [
            (each["outcome"], (each["error"] or {}).get("type")) for each in result["attempts"]
        ]
        for result in receipt["task_results"]
    }


def test_floor_ceiling_and_counts_follow_from_what_the_agent_did(cli, sometimes):
    suite = cli.suite("steady", "flaky", "crashing")
    ran = cli.json("bench", "run", suite, "--reliability", 3, *sometimes, "--timeout", 1, *ONE)
    assert ran["pass_caret_k"] == pytest.approx(1 / 3, abs=0)
    assert ran["pass_at_1"] == 1.0
    assert ran["success_rate"] == pytest.approx(6 / 9, abs=0)
    assert ran["counts"] == {
        "tasks": 3, "attempts": 9, "passed": 6, "wrong": 1, "errored": 2, "tasks_any": 3, "tasks_all": 1,
    }  # fmt: skip
    assert attempts(cli.cwd / "reliability.json") == {
        "steady": [("passed", None)] * 3,
        "flaky": [("passed", None), ("wrong", None), ("passed", None)],
        "crashing": [("passed", None), ("errored", "exit"), ("errored", "timeout")],
    }
    found = cli.json("bench", "verify", "reliability.json", "--suite", suite)
    assert found["status"] == "MATCH"
    checked = cli.json("bench", "check", "reliability.json", "--suite", suite, *sometimes, "--all")
    assert checked["status"] == "PASS"
    assert not all(attempt["byte_identical"] for attempt in checked["attempts"])


def test_drawing_k_of_more_attempts_gives_the_unbiased_figures(cli, sometimes):
    suite = cli.suite("flaky")
    ran = cli.json("bench", "run", suite, "--reliability", 2, "--attempts", 4, *sometimes, *ONE)
    assert (ran["k"], ran["n"], ran["counts"]["passed"]) == (2, 4, 3)
    assert (ran["pass_caret_k"], ran["pass_at_1"]) == (0.5, 1.0)


def test_a_file_of_the_command_is_seen_from_the_folder_where_run_was_started(cli, sometimes):
    done = cli.good("bench", "run", cli.suite("steady"), "--reliability", 1, *sometimes)
    assert done.stderr.startswith(f"agent.py is passed as {cli.cwd / 'agent.py'}\n")


def test_a_changed_agent_is_another_agent(cli, sometimes):
    suite = cli.suite("steady")
    cli.good("bench", "run", suite, "--reliability", 1, *sometimes)
    cli.write("agent.py", AGENT + "\n")
    found = cli.json("bench", "check", "reliability.json", "--suite", suite, *sometimes, code=4)
    assert found["status"] == "UNDECIDED"


def test_a_program_that_is_not_there_is_refused_before_any_attempt(cli, expect_refusal):
    suite = cli.suite("steady")
    said = expect_refusal(cli("bench", "run", suite, "--reliability", 2, "--agent", "no-such-program --x"), 2)
    assert "'no-such-program'" in said
    hinted = expect_refusal(cli("bench", "run", suite, "--reliability", 2, "--agent", "cd x && no-such"), 2)
    assert "sh -c" in hinted
    assert not (cli.cwd / "reliability.json").exists()
    assert not cli.identity.exists()


def test_a_file_written_in_some_attempts_only_is_a_sample_and_no_divergence(cli):
    suite = cli.suite("t")
    script = 'echo x >> "$1/n"; [ $(wc -l < "$1/n") = 2 ] && echo hi > extra.txt; echo yes'
    agent = f"sh -c '{script}' a {cli.cwd}"
    ran = cli.json("bench", "run", suite, "--reliability", 3, "--agent", agent, *ONE)
    assert ran["coordination_ok"] is True
    events = [
        attempt["receipt"]["events"]
        for attempt in json.loads((cli.cwd / "reliability.json").read_bytes())["task_results"][0]["attempts"]
    ]
    captured = [list(each[-2]["sample"]) for each in events]
    assert captured == [[], ["extra.txt"], []]
    assert cli.json("bench", "verify", "reliability.json", "--suite", suite)["status"] == "MATCH"


JOURNAL = """
import json, os, random
with open(os.environ["PASSFLOOR_JOURNAL"], "a") as journal:
    journal.write(json.dumps({"kind": "route", "value": VALUE}) + "\\n")
print("yes")
"""


def test_a_random_value_in_the_journal_is_divergence_and_is_named_everywhere(cli):
    suite = cli.suite("t")
    cli.write("agent.py", JOURNAL.replace("VALUE", "random.getrandbits(52)"))
    agent = ("--agent", "python agent.py")
    text = cli("bench", "run", suite, "--reliability", 2, *agent)
    assert text.returncode == 1
    assert "coordination : DIVERGED: task t, attempts 0 and 1: events[1].value" in text.stdout
    assert "warning: coordination was not held fixed" in text.stderr
    assert (cli.cwd / "reliability.json").exists()
    ran = cli.json("bench", "run", suite, "--reliability", 2, *agent, "--force", code=1)
    assert ran["coordination_ok"] is False
    assert ran["receipt"] == "reliability.json"
    found = cli.json("bench", "verify", "reliability.json", "--suite", suite, code=1)
    assert found["status"] == "COORDINATION_DIVERGED"
    assert any("events[1].value" in finding["detail"] for finding in found["findings"])
    checked = cli.json("bench", "check", "reliability.json", "--suite", suite, *agent, code=1)
    assert (checked["status"], checked["attempts"][0]["divergent_field"]) == ("FAIL", "events[1].value")


def test_a_random_answer_beside_a_steady_journal_is_fine(cli):
    suite = cli.suite("t")
    agent = JOURNAL.replace("VALUE", "7").replace('"yes"', "random.getrandbits(52)")
    cli.write("agent.py", agent)
    flags = ("--agent", "python agent.py")
    ran = cli.json("bench", "run", suite, "--reliability", 2, *flags)
    assert (ran["coordination_ok"], ran["counts"]["wrong"]) == (True, 2)
    checked = cli.json("bench", "check", "reliability.json", "--suite", suite, *flags, "--all")
    assert checked["status"] == "PASS"
    assert not any(attempt["byte_identical"] for attempt in checked["attempts"])


def test_a_rerun_that_errors_where_the_record_went_on_proves_nothing(cli):
    suite = cli.suite("t")
    agent = ("--agent", f"""sh -c '[ ! -e "$1/ran" ] || exit 3; touch "$1/ran"; echo yes' a {cli.cwd}""")
    cli.good("bench", "run", suite, "--reliability", 1, *agent)
    checked = cli.json("bench", "check", "reliability.json", "--suite", suite, *agent, code=4)
    assert (checked["status"], checked["passed"], checked["compared"]) == ("UNDECIDED", False, 0)
    assert "exit status 3" in checked["attempts"][0]["detail"]


def test_every_attempt_errored_is_told_as_such_and_sealed(cli):
    suite = cli.suite("t")
    done = cli("bench", "run", suite, "--reliability", 3, "--agent", "false")
    assert done.returncode == 4
    assert "passfloor: every attempt errored (the first: exit, exit status 1)" in done.stderr
    assert "HOME and TMPDIR are fresh" in done.stderr
    ran = cli.json("bench", "run", suite, "--reliability", 3, "--agent", "false", "--force", code=4)
    assert ran["receipt"] == "reliability.json"
    assert (ran["pass_caret_k"], ran["counts"]["errored"]) == (0.0, 3)
    assert cli.json("bench", "verify", "reliability.json", "--suite", suite)["status"] == "MATCH"


def test_ten_attempts_that_error_alike_stop_the_run_unsealed_unless_told_to_go_on(cli):
    suite = cli.suite("t")
    flags = ("bench", "run", suite, "--reliability", 11, "--agent", "false", *ONE)
    ran = cli.json(*flags, code=4)
    assert ran["run"]
    assert ran["n"] == 11
    nothing = ("receipt", "pass_caret_k", "pass_at_1", "success_rate", "counts", "coordination_ok")
    assert all(ran[name] is None for name in nothing)
    assert not (cli.cwd / "reliability.json").exists()
    assert not (cli.identity / "keys").exists()
    went_on = cli.json(*flags, "--keep-going", code=4)
    assert went_on["counts"]["errored"] == 11
    assert (cli.cwd / "reliability.json").exists()


def test_ten_errors_of_two_kinds_do_not_stop_a_run(cli):
    agent = f"""sh -c 'echo x >> "$1/n"; exit $(($(wc -l < "$1/n") % 2 + 1))' a {cli.cwd}"""
    ran = cli.json("bench", "run", cli.suite("t"), "--reliability", 11, "--agent", agent, *ONE, code=4)
    assert ran["counts"]["errored"] == 11


def test_outputs_that_never_vary_are_pointed_out_and_varying_ones_are_not(cli):
    suite = cli.suite("t")
    run = ("bench", "run", suite, "--reliability", 2, "--force", "--agent")
    alike = cli.good(*run, "echo yes").stderr
    assert "all attempts of every task gave the same output" in alike
    assert "PASSFLOOR_ATTEMPT_SEED" in alike
    assert "same output" not in cli.good(*run, "sh -c 'echo yes; echo $PASSFLOOR_ATTEMPT_ID >&2'").stderr


def test_workspaces_are_fresh_and_removed_or_kept_as_asked(cli):
    suite = cli.suite("t")
    agent = ("--agent", "sh -c 'test -e done.txt && echo no || { touch done.txt; echo yes; }'")
    ran = cli.json("bench", "run", suite, "--reliability", 3, *agent)
    assert ran["counts"]["passed"] == 3
    assert list(cli.tmp.iterdir()) == []
    kept = cli.good("bench", "run", suite, "--reliability", 2, *agent, "--force", "--keep-workspaces", "all")
    folders = list(cli.tmp.glob("pf-*"))
    assert len(folders) == 2
    assert all(f"{folder} was kept" in kept.stderr for folder in folders)


def test_a_dry_run_runs_nothing_and_writes_nothing(cli):
    suite = cli.suite("t")
    agent = ("--agent", f"touch {cli.cwd}/ran")
    done = cli.good("bench", "run", suite, "--reliability", 3, *agent, "--dry-run")
    assert "3 runs of the agent" in done.stdout
    shown = cli.json("bench", "run", suite, "--reliability", 3, *agent, "--dry-run")
    assert set(shown) == {"plan", "plan_hash", "runs"}
    assert shown["runs"] == 3
    assert sorted(path.name for path in cli.cwd.iterdir()) == ["suite.json"]
    assert not cli.identity.exists()
    cli.write("reliability.json", "mine")
    assert cli("bench", "run", suite, "--reliability", 3, *agent, "--dry-run").returncode == 2


def test_an_existing_receipt_is_left_alone_without_force(cli, expect_refusal):
    suite = cli.suite("t")
    out = cli.write("mine.json", "mine")
    run = ("bench", "run", suite, "--reliability", 1, "--agent", "echo yes", "--out", "mine.json")
    assert "--force" in expect_refusal(cli(*run), 2)
    assert out.read_text() == "mine"
    cli.good(*run, "--force")
    assert json.loads(out.read_text())["k"] == 1
    expect_refusal(cli(*run[:-1], "no/such/folder.json"), 2)
    expect_refusal(cli(*run[:-1], "."), 2)


def test_eval_seals_the_same_receipt_as_bench_run_but_for_session_and_time(cli):
    suite = cli.suite("t")
    flags = ("--reliability", 2, "--agent", "echo yes", "--agent-name", "A", "--k-reason", "two", "--seed", 5)
    cli.good("bench", "run", suite, *flags, "--out", "run.json")
    cli.good("eval", "--suite", suite, *flags, "--out", "eval.json")

    def steady(name):
        document = json.loads((cli.cwd / name).read_bytes())
        for member in ("session", "emitted_at", "receipt_hash", "signature"):
            del document[member]
        for result in document["task_results"]:
            for attempt in result["attempts"]:
                for member in ("attempt_id", "receipt_hash"):
                    del attempt[member]
                for member in ("run_id", "attempt_id", "journal_head"):
                    del attempt["receipt"][member]
        return document

    assert steady("run.json") == steady("eval.json")


def test_eval_runs_golden_v1_unless_told_otherwise(cli):
    assert (
        cli.json("eval", "--reliability", 1, "--dry-run")["plan"]["suite_hash"]
        == (cli.json("suite", "hash", "golden-v1")["suite_hash"])
    )


def test_an_agent_sees_no_key_and_only_what_is_let_through(cli):
    suite = cli.suite("t")
    agent = ("--agent", f"{sys.executable} -c 'import os; print(sorted(os.environ))'")
    other = cli.home / "other"
    kid = cli.good("key", "generate", env={"PASSFLOOR_HOME": str(other)}).stdout.strip()
    pem = (other / "keys" / f"{kid}.pem").read_text()
    secret = {"PASSFLOOR_SIGNING_KEY": pem, "LET": "1", "OPENAI_API_KEY": "sk"}
    cli.good("bench", "run", suite, "--reliability", 1, *agent, "--env", "LET", env=secret)
    receipt = json.loads((cli.cwd / "reliability.json").read_bytes())
    seen = receipt["task_results"][0]["attempts"][0]["receipt"]["events"][-3]["sample"]["stdout"]
    assert "'LET'" in seen
    assert "SIGNING" not in seen
    assert "OPENAI" not in seen
    assert "'PASSFLOOR_HOME'" not in seen
    assert receipt["signer_fingerprint"] == kid
    assert not (cli.identity / "keys").exists()
    assert os.listdir(cli.tmp) == []


def test_completion_only_measures_whether_attempts_finish(cli):
    suite = cli.suite("t")
    run = ("bench", "run", suite, "--reliability", 2, "--completion-only", "--force", "--agent")
    assert cli.json(*run, "echo no")["pass_caret_k"] == 1.0
    assert cli.json("bench", "verify", "reliability.json", "--suite", suite)["status"] == "MATCH"
    assert cli.json(*run, "false", code=4)["pass_caret_k"] == 0.0
