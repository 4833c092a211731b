"""``bench doctor``: an agent is run twice and looked over, with faults planted one at a time."""

import json
import os

import pytest

SOUND = """
import json, os, sys
sys.stdin.read()
with open(os.environ["PASSFLOOR_JOURNAL"], "a") as journal:
    journal.write(json.dumps({"kind": "tool.call", "tool": "search"}) + "\\n")
print("yes", os.environ["PASSFLOOR_ATTEMPT_SEED"])
"""


def doctor(cli, *words, code=0, **options):
    found = cli.json("bench", "doctor", *words, code=code, **options)
    return found, {check["name"]: check["result"] for check in found["checks"]}


def failing(results):
    return {name for name, result in results.items() if result == "fail"}


def test_a_sound_agent_passes_everything_and_nothing_is_sealed_or_left(cli):
    cli.write("agent.py", SOUND)
    before = sorted(os.listdir(cli.cwd))
    found, results = doctor(cli, "--agent", "python3 agent.py")
    assert found["status"] == "PASS"
    assert set(results.values()) == {"pass"}
    assert (found["runs"], len(found["attempts"])) == (2, 2)
    assert sorted(os.listdir(cli.cwd)) == before
    assert os.listdir(cli.tmp) == []
    assert not cli.identity.exists()


def test_it_says_what_it_costs_before_it_runs(cli):
    done = cli("bench", "doctor", "--agent", "sh -c 'echo x >> ../../../work/runs; echo yes'")
    assert done.stderr.splitlines()[0].startswith("this costs 2 runs of the agent: task ")
    refused = cli("bench", "doctor", "--agent", "no-such-program-anywhere")
    assert (refused.returncode, refused.stdout) == (2, "")


@pytest.mark.parametrize(
    ("agent", "fails"),
    [
        ("sh -c 'cat >/dev/null; date +%N; exit 3'", {"end"}),
        ("sh -c 'cat >/dev/null; date +%N; kill -9 $$'", {"end"}),
        ("sh -c 'cat >/dev/null'", {"answer"}),
        ("sh -c 'cat >/dev/null; sleep 60 & date +%N'", {"descendants"}),
        ("sh -c 'cat >/dev/null; printf \"\\377\"; date +%N'", {"encoding"}),
        ("sh -c 'cat >/dev/null; head -c 1100000 /dev/zero | tr \"\\0\" a; date +%N'", {"size"}),
        ("sh -c 'cat >/dev/null; ln -s / l; date +%N'", {"size"}),
        (
            'sh -c \'cat >/dev/null; echo "{\\"kind\\":\\"r\\",\\"to\\":\\"$PASSFLOOR_ATTEMPT_SEED\\"}" '
            ">> $PASSFLOOR_JOURNAL; date +%N'",
            {"coordination"},
        ),
        ("sh -c 'cat >/dev/null; echo no >> $PASSFLOOR_JOURNAL; date +%N'", {"journal"}),
        ("sh -c 'cat >/dev/null; echo ${MY_API_KEY:?} '", {"end", "environment"}),
        ("sleep 60", {"time"}),
    ],
)
def test_each_fault_is_found_and_no_other(cli, agent, fails):
    found, results = doctor(
        cli, "--agent", agent, "--timeout", 1, code=1, env={"MY_API_KEY": "sk-canary-1234"}
    )
    assert failing(results) == fails
    assert found["status"] == "FAIL"
    assert "sk-canary-1234" not in json.dumps(found)


def test_an_agent_that_writes_outside_of_its_folder_is_noticed(cli):
    done, results = doctor(cli, "--agent", f"sh -c 'cat; date +%N; echo x >> {cli.home}/state'")
    assert results["outside"] == "unobserved"
    (detail,) = [check["detail"] for check in done["checks"] if check["name"] == "outside"]
    assert f"{cli.home}/state" in detail


def test_the_task_can_be_chosen_and_an_unknown_one_is_refused(cli, expect_refusal):
    suite = cli.suite("first", "second")
    found, _ = doctor(cli, "--suite", suite, "--task", "second", "--agent", "echo yes")
    assert (found["task_id"], found["attempts"][0]["outcome"]) == ("second", "passed")
    refused = cli("bench", "doctor", "--suite", suite, "--task", "secnd", "--agent", "echo yes")
    assert "second" in expect_refusal(refused, 2)


def test_the_packaged_agent_and_a_callable_are_looked_over_as_well(cli):
    assert doctor(cli)[0]["suite_version"] == "golden-v1"
    cli.write(
        "mine.py", "def act(task, attempt):\n    attempt.emit('tool.call', tool='x')\n    return 'yes'\n"
    )
    _, results = doctor(cli, "--agent-function", "mine:act")
    assert results["end"] == results["journal"] == results["isolation"] == "pass"
    assert results["descendants"] == "unobserved"


def test_a_test_double_is_no_agent_to_look_over(cli, expect_refusal):
    assert "no real agent" in expect_refusal(cli("bench", "doctor", "--adapter", "mock"), 2)


def test_the_text_says_the_verdict_first_and_a_line_for_each_thing(cli):
    done = cli("bench", "doctor", "--agent", "sh -c 'echo yes; exit 3'")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "doctor: FAIL"
    assert "FAIL: exit status 3" in done.stdout
    assert "could not be observed" in done.stdout
    assert max(map(len, lines)) <= 80


def test_a_key_that_is_let_through_is_in_nothing_it_says(cli):
    agent = "sh -c 'echo key $MY_API_KEY is refused >&2; exit 3'"
    for more in ((), ("--json",)):
        words = ("bench", "doctor", "--agent", agent, "--env", "MY_API_KEY", *more)
        done = cli(*words, env={"MY_API_KEY": "sk-canary-1234"})
        assert "[scrubbed] is refused" in done.stdout
        assert "sk-canary-1234" not in done.stdout + done.stderr
