"""Agents that misbehave, each driven by the real command beside an honest one."""

import json
import os
import resource
import subprocess
import time
from pathlib import Path

import pytest

LINUX = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


def one(cli, agent, *words, code=0, **options):
    """The single attempt of one task by this agent: its outcome, error type and output sample."""
    suite = cli.suite("t", **options)
    cli.json(
        *("bench", "run", suite, "--reliability", 1, "--agent", agent, "--force", "--stub-signer", *words),
        code=code,
    )
    attempt = receipt(cli)["task_results"][0]["attempts"][0]
    sample = attempt["receipt"]["events"][-3]["sample"]
    return attempt["outcome"], (attempt["error"] or {}).get("type"), sample


def receipt(cli, name="reliability.json"):
    return json.loads((cli.cwd / name).read_text(encoding="utf-8"))


def marked():
    """Processes of any attempt whose environment can be read."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[:2] == [b"sleep", b"271"]:
            found.append(folder.name)
    return found


@LINUX
@pytest.mark.parametrize(
    ("script", "code", "expected"),
    [
        ("sleep 271 & wait", 4, ("errored", "timeout")),
        ("sleep 271 & echo yes", 0, ("passed", None)),
        ("setsid sleep 271 & echo yes", 0, ("passed", None)),
        ('trap "" TERM; sleep 271', 4, ("errored", "timeout")),
        ("echo yes", 0, ("passed", None)),
    ],
)
def test_what_an_agent_starts_ends_with_it_and_a_child_in_the_background_is_no_timeout(
    cli, script, code, expected
):
    assert one(cli, f"sh -c '{script}'", "--timeout", 2, code=code)[:2] == expected
    assert marked() == []


def test_an_agent_that_reads_its_input_gets_the_prompt_and_its_end_although_ours_stays_open(cli):
    suite = cli.suite("t")
    agent = "sh -c 'cat >/dev/null; echo yes'"
    words = cli.command("bench", "run", suite, "--reliability", 1, "--agent", agent, "--timeout", 60)
    with subprocess.Popen(
        words,
        cwd=cli.cwd,
        env=cli.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        # Nobody ever writes to, or closes, the standard input of the run while it lasts.
        assert process.wait(50) == 0
    assert receipt(cli)["counts"]["passed"] == 1


def test_fifty_megabytes_are_cut_and_cannot_be_judged_and_a_megabyte_can(cli):
    kinds = [{"kind": "output_contains", "text": "yes"}]
    much = "sh -c 'echo yes; head -c 50000000 /dev/zero | tr \"\\0\" x'"
    outcome, error, sample = one(cli, much, code=4, assertions=kinds)
    assert (outcome, error) == ("errored", "grader")
    assert (len(sample["stdout"]), sample["cut"]) == (1024 * 1024, 50_000_004 - 1024 * 1024)
    little = much.replace("50000000", "1000000")
    assert one(cli, little, assertions=kinds)[:2] == ("passed", None)


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_bytes_that_are_no_text_are_replaced_and_flagged_and_the_attempt_is_judged(cli, locale):
    cli.extra["LC_ALL"] = locale
    kinds = [{"kind": "output_contains", "text": "yes"}]
    outcome, _, sample = one(
        cli, 'sh -c \'printf "yes \\377\\376\\n"; printf "\\200" >&2\'', assertions=kinds
    )
    assert (outcome, sample["stdout"]) == ("passed", "yes \ufffd\ufffd\n")
    assert set(sample["replaced"]) == {"stdout", "stderr"}
    assert "replaced" not in one(cli, "echo yes", assertions=kinds)[2]


def test_what_is_written_outside_of_the_folder_is_no_evidence_and_does_not_stay_in_the_attempt(cli):
    agent = "sh -c 'echo x > ../../beside; echo x > inside; echo yes'"
    assert one(cli, agent)[0] == "passed"
    files = receipt(cli)["task_results"][0]["attempts"][0]["receipt"]["events"][-2]["sample"]
    assert set(files) == {"inside"}
    # It is no sandbox: the file stands where the agent put it, and nothing else does.
    assert os.listdir(cli.tmp) == ["beside"]


def test_a_command_the_shell_does_not_find_is_errored_and_not_wrong(cli):
    assert one(cli, "sh -c 'no-such-command-anywhere'", code=4)[:2] == ("errored", "exit")


DONE = (
    'for place in . "$HOME" "$TMPDIR"; do [ -e "$place/done.txt" ] && seen=1; touch "$place/done.txt"; done; '
    '[ -n "$seen" ] && echo PASS || echo FAIL'
)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_no_attempt_finds_what_another_one_left_in_folder_home_or_tmpdir(cli, concurrency):
    cli.write("agent.sh", DONE)
    suite = cli.suite("a", "b")
    words = ("--agent", "sh agent.sh", "--concurrency", concurrency, "--stub-signer")
    cli.json("bench", "run", suite, "--reliability", 3, *words)
    found = [
        attempt["receipt"]["events"][-3]["sample"]["stdout"]
        for result in receipt(cli)["task_results"]
        for attempt in result["attempts"]
    ]
    assert found == ["FAIL\n"] * 6
    cli.write("agent.sh", f"{DONE}; {DONE}")
    assert one(cli, "sh agent.sh")[2]["stdout"].endswith("PASS\n"), "the agent itself can see what it left"


def test_a_disk_that_fills_up_in_the_middle_loses_nothing_that_was_finished(cli):
    agent = "sh -c 'head -c 20000 /dev/urandom | od -An -tx1; echo yes'"
    suite = cli.suite("t", assertions=[{"kind": "output_contains", "text": "yes"}])
    words = ("bench", "run", suite, "--reliability", 12, "--agent", agent, "--concurrency", 1, "--quiet")
    full = subprocess.run(
        cli.command(*words),
        cwd=cli.cwd,
        env=cli.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000)),
    )
    assert (full.returncode, full.stdout) == (4, "")
    kept, refused = full.stderr.splitlines()[-2:]
    assert refused.startswith("passfloor: ")
    assert "journal.jsonl' cannot be written" in refused
    count = int(kept.split()[0])
    assert 0 < count < 12
    assert f"{count} of 12 attempts are kept; go on with: passfloor bench run" in kept
    assert not (cli.cwd / "reliability.json").exists()
    done = cli.good(*words, "--resume")
    assert f"goes on after {count} of 12 attempts" in done.stderr
    assert receipt(cli)["session"]["interrupted"] == [{"task_id": "t", "index": count, "starts": 2}]
    assert cli.json("bench", "verify", "reliability.json", "--suite", suite)["status"] == "MATCH"


STOPPING = "sh -c 'kill -STOP $PPID; echo yes; %s'"


@LINUX
@pytest.mark.parametrize(
    ("then", "code", "expected"),
    [("true", 0, ("passed", None)), ("sleep 271", 4, ("errored", "timeout"))],
)
def test_a_run_stopped_for_longer_than_the_time_limit_keeps_what_finished_meanwhile(
    cli, then, code, expected
):
    """The clock stands still while a machine sleeps; a run that alone is stopped looks when it goes on."""
    words = ("bench", "run", cli.suite("t"), "--reliability", 1, "--agent", STOPPING % then)
    process = subprocess.Popen(
        cli.command(*words, "--timeout", 1, "--concurrency", 1, "--stub-signer", "--quiet"),
        cwd=cli.cwd,
        env=cli.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    stat = Path(f"/proc/{process.pid}/stat")
    while stat.read_text().rpartition(")")[2].split()[0] != "T":
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(1.5)  # past the time limit
    process.send_signal(18)
    assert process.wait(60) == code
    attempt = receipt(cli)["task_results"][0]["attempts"][0]
    assert (attempt["outcome"], (attempt["error"] or {}).get("type")) == expected
    assert marked() == []


def test_names_that_are_paths_elsewhere_make_no_files_there(cli):
    ids = ["../../x", "a/b", "c:d", "CON", "x.", "\N{FOX FACE}"]
    suite = cli.suite(*ids)
    model = "http://10.0.0.1:8000/v1"
    before = set(os.listdir(cli.cwd)) | {"reliability.json", ".passfloor"}
    cli.json("bench", "run", suite, "--reliability", 1, "--agent", "echo yes", "--model-name", model)
    made = receipt(cli)
    assert [result["task_id"] for result in made["task_results"]] == ids
    assert made["subject"]["model"] == model
    assert set(os.listdir(cli.cwd)) == before
    assert os.listdir(cli.tmp) == []
    assert set(os.listdir(cli.home)) == {"tmp", "work", "identity"}
    [run] = [path for path in (cli.cwd / ".passfloor" / "runs").iterdir() if path.is_dir()]
    assert sorted(path.name for path in run.iterdir()) == ["journal.jsonl", "plan.json"]


def test_look_alike_ids_are_refused_before_any_agent_runs_and_two_spellings_of_a_prompt_are_two_tasks(
    cli, expect_refusal
):
    agent = f"sh -c 'cat; echo ran >> {cli.home}/ran'"
    kept = [{"kind": "completed"}]
    for pair in (("a", "a"), ("A", "a"), ("caf\u00e9", "cafe\u0301")):
        suite = cli.suite(*pair)
        expect_refusal(cli("bench", "run", suite, "--reliability", 1, "--agent", agent), 2)
    assert not (cli.home / "ran").exists()
    tasks = [
        {"id": name, "description": text, "assertions": kept}
        for name, text in (("one", "caf\u00e9"), ("two", "cafe\u0301"))
    ]
    suite = cli.write("two.json", json.dumps({"version": "two", "tasks": tasks}))
    cli.json("bench", "run", suite, "--reliability", 1, "--agent", agent, "--stub-signer")
    one, two = receipt(cli)["task_results"]
    assert one["task_hash"] != two["task_hash"]
    said = [result["attempts"][0]["receipt"]["events"][-3]["sample"]["stdout"] for result in (one, two)]
    assert said == ["caf\u00e9", "cafe\u0301"]
