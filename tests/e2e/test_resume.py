"""A run that was killed, stopped or extended, and what came of its attempts."""

import contextlib
import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

TASKS = ("a", "b", "c", "d", "e", "f", "g", "h")
K = 5
TOTAL = len(TASKS) * K

# Right or wrong by its own seed, so that every run has the same verdicts; each start leaves a line outside.
AGENT = """
import os, sys, time
from pathlib import Path

log = Path(sys.argv[1]) / "notes"
with log.open("a") as file:
    file.write(os.environ["PASSFLOOR_TASK_ID"] + " " + os.environ["PASSFLOOR_ATTEMPT_ID"] + "\\n")
time.sleep(0.02)
print("yes" if int(os.environ["PASSFLOOR_ATTEMPT_SEED"]) % 3 else "no")
"""


def default_signals():
    # A test run started in the background has SIGINT ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Run:
    """One command line over and over, with the notes that its agent leaves."""

    def __init__(self, cli, name="run", *, agent=AGENT, k=K, concurrency=4):
        self.cli = cli
        self.name = name
        # A folder is no part of the agent, as a file among its words would be.
        (cli.home / name).mkdir()
        self.notes = cli.home / name / "notes"
        self.notes.touch()
        self.out = cli.cwd / f"{name}.json"
        cli.write("agent.py", agent)
        self.words = [
            "bench", "run", cli.suite(*TASKS), "--reliability", k, "--concurrency", concurrency,
            "--agent", f"python3 agent.py {cli.home / name}", "--out", self.out, "--quiet",
            "--runs-dir", cli.home / f"{name}-runs",
        ]  # fmt: skip

    def __call__(self, *more, **options):
        return self.cli(*self.words, *more, **options)

    def start(self, *more):
        return subprocess.Popen(
            self.cli.command(*self.words, *more),
            cwd=self.cli.cwd,
            env=self.cli.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=default_signals,
        )

    @property
    def folder(self):
        [found] = (path for path in (self.cli.home / f"{self.name}-runs").iterdir() if path.is_dir())
        return found

    def ledger(self):
        lines = (self.cli.identity / "ledger.jsonl").read_text().splitlines()
        return [json.loads(line)["body"] for line in lines]

    def started(self):
        return Counter(self.notes.read_text().split("\n")[:-1])

    @property
    def receipt(self):
        return json.loads(self.out.read_bytes())

    def verdicts(self):
        return {
            task["task_id"]: (task["coordination_hash"], [each["outcome"] for each in task["attempts"]])
            for task in self.receipt["task_results"]
        }

    def attempt_ids(self):
        return {
            f"{task['task_id']} {each['attempt_id']}": (task["task_id"], each["index"])
            for task in self.receipt["task_results"]
            for each in task["attempts"]
        }


@pytest.fixture
def run(cli):
    return Run(cli)


@pytest.fixture
def uninterrupted(cli):
    made = Run(cli, "whole")
    cli.good(*made.words)
    return made


def wait_for(condition, process):
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.002)


def killed_at(run, size, *more):
    """Start, and kill -9 when the journal has grown to so many bytes; False where it ended before."""
    process = run.start(*more)
    journals = run.cli.home / f"{run.name}-runs"
    while process.poll() is None:
        if sum(path.stat().st_size for path in journals.glob("*/journal.jsonl")) >= size:
            process.kill()
            break
        time.sleep(0.001)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def check_complete(run, uninterrupted, kills):
    receipt = run.receipt
    assert receipt["counts"]["attempts"] == TOTAL
    assert run.verdicts() == uninterrupted.verdicts()
    started, known = run.started(), run.attempt_ids()
    assert set(started) <= set(known)
    interrupted = {
        (each["task_id"], each["index"]): each["starts"] for each in receipt["session"]["interrupted"]
    }
    # An attempt was begun at least as often as its agent came to write a line.
    for name, times in started.items():
        assert times <= interrupted.get(known[name], 1)
    # Only those in flight at a kill are run again: at most four each time.
    assert sum(starts - 1 for starts in interrupted.values()) <= 4 * kills
    done = run.cli.json("bench", "verify", run.out, "--suite", "suite.json")
    assert done["status"] == "MATCH"


def kill_often(run, uninterrupted, rounds, moments):
    kills = 0
    for _ in range(rounds):
        journals = list((run.cli.home / f"{run.name}-runs").glob("*/journal.jsonl"))
        size = sum(path.stat().st_size for path in journals)
        kills += killed_at(run, size + moments.randrange(1, 9_000), "--resume")
        if run.out.exists():
            break
    done = run("--resume")
    assert done.returncode == 0, done.stderr
    check_complete(run, uninterrupted, kills)
    return kills


def check_second_resume(run):
    before, notes = run.out.read_bytes(), run.notes.read_bytes()
    journal = (run.folder / "journal.jsonl").read_bytes()
    again = run("--resume")
    assert again.returncode == 0, again.stderr
    assert "is complete, nothing is run" in again.stderr
    assert (run.out.read_bytes(), run.notes.read_bytes()) == (before, notes)
    assert (run.folder / "journal.jsonl").read_bytes() == journal
    return again


def test_a_run_killed_again_and_again_loses_nothing_and_repeats_only_what_was_in_flight(run, uninterrupted):
    kills = kill_often(run, uninterrupted, 12, random.Random(11))
    assert kills >= 3
    check_second_resume(run)


@pytest.mark.long
def test_two_hundred_kills(cli, uninterrupted):
    moments, kills, number = random.Random(12), 0, 0
    while kills < 200:
        number += 1
        kills += kill_often(Run(cli, f"run{number}"), uninterrupted, 40, moments)


def test_a_second_resume_prints_the_same_result_and_writes_a_missing_receipt_again(run):
    run.cli.good(*run.words)
    told = run("--resume")
    assert told.stdout == check_second_resume(run).stdout
    before = run.out.read_bytes()
    run.out.unlink()
    assert run("--resume").stdout == told.stdout
    assert run.out.read_bytes() == before
    run.out.write_text("{}")
    refused = run("--resume")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--force" in refused.stderr
    named = run("--force", "--run", run.folder.name)
    assert (named.returncode, named.stdout) == (0, told.stdout)
    assert run.out.read_bytes() == before


@pytest.fixture
def stopped(run):
    """A run that was interrupted when about ten of its attempts were finished."""
    process = run.start()
    wait_for(lambda: sum(run.started().values()) >= 10, process)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (130, "")
    run.said = stderr
    return run


def change_suite(run):
    suite = json.loads((run.cli.cwd / "suite.json").read_text())
    suite["tasks"][0]["description"] = "say no"
    run.cli.write("suite.json", json.dumps(suite))


def change_k(run):
    run.words[run.words.index("--reliability") + 1] = 4
    run.words += ["--attempts", 5]


def change_agent(run):
    run.cli.write("agent.py", AGENT + "# changed\n")


def change_seed(run):
    run.words += ["--seed", 3]


def lower_n(run):
    run.words[run.words.index("--reliability") + 1] = 4


def raise_n(run):
    run.words += ["--attempts", 9]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (change_suite, "suite_hash: was"),
        (change_k, "k: was 5, now 4"),
        (change_agent, "subject.adapter_digest: was"),
        (change_seed, "seed: was 0, now 3"),
        (raise_n, "n: was 5, now 9"),
        (lower_n, "n: was 5, now 4"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_was_changed_is_named_and_nothing_is_run(stopped, change, named):
    notes = stopped.notes.read_bytes()
    change(stopped)
    for words in (["--resume"], ["--run", stopped.folder.name]):
        refused = stopped(*words)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert named in refused.stderr
        assert stopped.folder.name in refused.stderr
    assert stopped.notes.read_bytes() == notes


def test_an_interrupted_run_says_how_to_go_on_and_does(stopped, uninterrupted):
    last = stopped.said.splitlines()[-1]
    assert last.startswith("passfloor: interrupted after ")
    command = last.partition("go on with: ")[2]
    assert command.endswith(" --resume")
    assert os.listdir(stopped.cli.tmp) == []
    ended = [entry for entry in stopped.ledger() if entry["run"] == stopped.folder.name]
    assert [entry["event"] for entry in ended] == ["start", "end"]
    assert ended[1]["status"] == "aborted"
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" {command.removeprefix("passfloor ")}', *stopped.cli.command()],
        cwd=stopped.cli.cwd, env=stopped.cli.environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    check_complete(stopped, uninterrupted, 1)
    session = stopped.receipt["session"]
    [*_, last] = stopped.ledger()
    assert (last["run"], last["status"]) == (session["run"], "completed")
    assert last["receipt_hash"] == stopped.receipt["receipt_hash"]
    listed = stopped.cli.json("bench", "runs", "show", session["run"], "--runs-dir", stopped.folder.parent)
    assert listed["interrupted"] == session["interrupted"]
    assert (listed["status"], listed["run_seq"]) == ("completed", session["run_seq"])


def is_alive(marker):
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                found.append(marker in (entry / "cmdline").read_bytes())
    return any(found)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_all_agents_that_run_side_by_side(cli, number, code):
    if not Path("/proc/self/stat").exists():
        pytest.skip("whether a process is gone is read from /proc")
    slow = AGENT.replace("time.sleep(0.02)", "os.system('sleep 321.5')")
    run = Run(cli, agent=slow)
    process = run.start()
    wait_for(lambda: sum(run.started().values()) >= 4, process)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == code
    assert "after 0 of 40 attempts; nothing was sealed; go on with: " in stderr
    assert sum(line.startswith("passfloor:") for line in stderr.splitlines()) == 1
    assert not is_alive(b"321.5")
    assert os.listdir(cli.tmp) == []
    assert not run.out.exists()
    journal = (run.folder / "journal.jsonl").read_text()
    assert '"finish"' not in journal


def test_more_attempts_of_a_finished_run_are_a_second_stage(run):
    run.cli.good(*run.words)
    first = run.receipt
    grown = run("--resume", "--attempts", 8)
    assert grown.returncode == 2
    assert "--force" in grown.stderr
    grown = run("--resume", "--attempts", 8, "--force", "--concurrency", 2)
    assert grown.returncode == 0, grown.stderr
    receipt = run.receipt
    stages = receipt["session"]["stages"]
    assert [stage["n"] for stage in stages] == [5, 8]
    assert stages[1]["after_receipt_hash"] == first["receipt_hash"]
    assert [each["concurrency"] for each in receipt["environment"]] == [4, 2]
    for before, after in zip(first["task_results"], receipt["task_results"], strict=True):
        assert after["attempts"][:5] == before["attempts"]
    assert sum(run.started().values()) == len(TASKS) * 8
    assert run.cli.json("bench", "verify", run.out, "--suite", "suite.json")["status"] == "MATCH"
    before = run.out.read_bytes()
    again = run("--resume", "--attempts", 8)
    assert (again.returncode, run.out.read_bytes()) == (0, before)


def test_one_at_a_time_and_eight_at_a_time_give_the_same_verdicts_and_coordination(cli):
    one, eight = Run(cli, "one", concurrency=1), Run(cli, "eight", concurrency=8)
    cli.good(*one.words)
    cli.good(*eight.words)
    assert one.verdicts() == eight.verdicts()
    order = [
        (task["task_id"], each["index"])
        for task in eight.receipt["task_results"]
        for each in task["attempts"]
    ]
    assert order == [(task_id, index) for task_id in TASKS for index in range(K)]


def test_without_a_run_of_this_plan_one_is_started_and_that_is_said(run):
    done = run("--resume")
    assert done.returncode == 0, done.stderr
    assert "no run of this plan under" in done.stderr
    other = Run(run.cli, "other")
    refused = other("--run", "20260131T093000Z-0a1b2c")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "there is no run" in refused.stderr


def test_two_at_a_time_do_not_take_one_run_further(cli):
    run = Run(cli, agent=AGENT.replace("0.02", "5"))
    process = run.start()
    wait_for(lambda: sum(run.started().values()) >= 4, process)
    refused = run("--resume")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "another process" in refused.stderr
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)


def test_an_agent_that_kills_itself_costs_one_attempt_and_not_the_run(cli):
    deadly = AGENT.replace(
        "time.sleep(0.02)", "os.environ['PASSFLOOR_ATTEMPT_SEED'][-1] == '1' and os.kill(os.getpid(), 9)"
    )
    run = Run(cli, agent=deadly)
    cli.good(*run.words)
    counts = run.receipt["counts"]
    assert counts["attempts"] == TOTAL
    assert counts["errored"] < TOTAL
    assert set(run.started().values()) == {1}


def test_ten_that_error_alike_stop_the_run_which_goes_on_when_asked(cli):
    run = Run(cli, agent="import sys; sys.exit(3)")
    stopped = run()
    assert stopped.returncode == 4
    assert "the first 10 attempts all errored alike" in stopped.stderr
    assert "go on with: passfloor bench run" in stopped.stderr.splitlines()[-1]
    again = run("--resume")
    assert again.returncode == 4
    done = run("--resume", "--keep-going")
    assert done.returncode == 4
    assert run.receipt["counts"]["errored"] == TOTAL
    assert run.receipt["session"]["interrupted"] == sorted(
        run.receipt["session"]["interrupted"], key=lambda each: (each["task_id"], each["index"])
    )
