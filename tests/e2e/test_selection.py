"""A part of a suite: run, sealed, and verified against the whole."""

import json

import pytest

# Passes for "always", never for "never", and for "flaky" in every second attempt.
AGENT = """
import json, os
task = json.load(open(os.environ["PASSFLOOR_TASK"]))
flaky = int(os.environ["PASSFLOOR_ATTEMPT_SEED"]) % 2
print("yes" if task["id"].startswith("always") or (task["id"].startswith("flaky") and flaky) else "no")
"""
IDS = ("always-1", "flaky-1", "never-1", "flaky-2", "always-2")


@pytest.fixture
def part(cli):
    """Runs a part of the suite, as the words say, and gives the receipt."""
    cli.write("agent.py", AGENT)
    wanted = {"description": "d", "assertions": [{"kind": "output_equals", "expected": "yes"}]}
    tasks = [{"id": name, **wanted, "tags": [name[:-2], f"n{name[-1]}"]} for name in IDS]
    cli.write("suite.json", json.dumps({"version": "own-v1", "tasks": tasks}))

    def run(*words, out="part.json", n=6, code=0, verb=("bench", "run", "suite.json")):
        options = (
            "--reliability",
            2,
            "--attempts",
            n,
            "--agent",
            "python3 agent.py",
            "--out",
            out,
            "--force",
        )
        done = cli(*verb, *options, "--quiet", *words)
        assert done.returncode == code, (done.stdout, done.stderr)
        return done if code else (done, json.loads((cli.cwd / out).read_text()))

    return run


def ids(receipt):
    return [result["task_id"] for result in receipt["task_results"]]


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        (("--task", "never-1", "--task", "always-1"), ["always-1", "never-1"]),
        (("--tag", "flaky"), ["flaky-1", "flaky-2"]),
        (("--tag", "flaky", "--tag", "never"), ["flaky-1", "never-1", "flaky-2"]),
        (("--tag", "n2", "--task", "flaky-2", "--task", "flaky-1"), ["flaky-2"]),
    ],
)
def test_the_tasks_named_are_run_and_the_receipt_verifies_against_the_whole_suite(cli, part, words, chosen):
    done, receipt = part(*words)
    assert ids(receipt) == receipt["selection"]["tasks"] == chosen
    assert [task["id"] for task in receipt["suite"]["tasks"]] == list(IDS)
    assert f"own-v1, {len(chosen)} of 5 tasks x 6 attempts" in done.stdout
    whole = cli.json("suite", "hash", "suite.json")
    assert receipt["selection"]["of"] == whole["suite_hash"] != receipt["suite_hash"]
    for source in (("--suite", "suite.json"), ("--use-embedded-suite",)):
        told = cli.good("bench", "verify", "part.json", *source).stdout
        assert "overall: MATCH" in told
        assert f"  {len(chosen)} of 5 tasks x 6 attempts" in told
    agent = ("--agent", "python3 agent.py")
    checked = cli.json("bench", "check", "part.json", "--suite", "suite.json", *agent, "--all")
    assert (checked["status"], checked["compared"]) == ("PASS", 6 * len(chosen))


def test_a_part_is_no_claim_about_the_whole(cli, part):
    part("--tag", "always")
    receipt = json.loads((cli.cwd / "part.json").read_text())
    receipt["selection"] = None
    (cli.cwd / "forged.json").write_text(json.dumps(receipt))
    told = cli.json("bench", "verify", "forged.json", "--suite", "suite.json", code=1)
    assert "suite" in {finding["code"] for finding in told["findings"]}


@pytest.mark.parametrize(
    ("pile", "chosen"),
    [
        ("flaky", ["flaky-1", "flaky-2"]),
        ("never", ["never-1"]),
        ("always", ["always-1", "always-2"]),
    ],
)
def test_a_pile_of_an_earlier_receipt_is_run_again(part, pile, chosen):
    part(out="whole.json")
    _, receipt = part("--only", pile, "--of", "whole.json")
    assert ids(receipt) == chosen


def test_an_earlier_receipt_counts_only_where_it_verifies_with_a_trusted_key(cli, part):
    part(out="whole.json")
    edited = (cli.cwd / "whole.json").read_text().replace('"outcome":"wrong"', '"outcome":"passed"', 1)
    (cli.cwd / "edited.json").write_text(edited)
    refused = part("--only", "flaky", "--of", "edited.json", code=2)
    assert "does not verify over this suite: FABRICATED_SCORE" in refused.stderr

    part("--stub-signer", out="stub.json")
    assert "UNSIGNED" in part("--only", "flaky", "--of", "stub.json", code=2).stderr
    _, receipt = part("--only", "flaky", "--of", "stub.json", "--stub-signer")
    assert ids(receipt) == ["flaky-1", "flaky-2"]

    missing = part("--only", "flaky", "--of", "missing.json", code=2)
    assert "cannot open receipt" in missing.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--task", "flaky1"), 'near: "flaky-1"'),
        (("--task", "no-such-id"), 'the suite has no task "no-such-id"; it has "always-1"'),
        (("--tag", "flakey"), 'near: "flaky"'),
        (("--tag", "never", "--task", "flaky-1"), "leave one of the two out"),
        (("--only", "flaky"), "add --of RECEIPT"),
        (("--of", "x.json"), "add --only"),
    ],
)
def test_a_selector_that_matches_nothing_is_bad_input_with_the_nearest_names(part, words, said):
    refused = part(*words, code=2)
    assert said in refused.stderr
    assert refused.stdout == ""
    assert refused.stderr.count("\n") == 1


def test_a_pile_that_is_empty_or_unknown_runs_nothing(part):
    part("--tag", "always", out="whole.json")
    empty = part("--only", "flaky", "--of", "whole.json", code=2)
    assert "no task of the receipt is in that pile (2 always, 0 flaky, 0 never)" in empty.stderr
    unknown = part("--only", "broken", "--of", "whole.json", code=2)
    assert "say 'flaky', 'never' or 'always'" in unknown.stderr


def test_all_tasks_named_are_no_selection(part):
    _, receipt = part(*(word for name in IDS for word in ("--task", name)))
    assert receipt["selection"] is None


def test_eval_and_a_dry_run_know_the_same_words(cli, part):
    _, receipt = part("--tag", "never", verb=("eval", "--suite", "suite.json"))
    assert ids(receipt) == ["never-1"]
    shown = cli.good(
        "bench", "run", "suite.json", "--reliability", 2, "--tag", "flaky", "--agent", "cat", "--dry-run"
    ).stdout
    assert "own-v1, 2 of 5 tasks" in shown
    assert "bill    : 4 runs" in shown
