"""Being told to stop in the middle of a run."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

AGENT = """
import os, subprocess, sys, time
from pathlib import Path

log = Path(sys.argv[1])
with (log / "starts").open("a") as file:
    file.write("x")
if (log / "starts").stat().st_size == 3:
    child = subprocess.Popen(["sleep", "300"])
    (log / "pids.new").write_text(f"{os.getpid()} {child.pid}")
    (log / "pids.new").rename(log / "pids")
    time.sleep(300)
print("yes")
"""


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in {"Z", "X"}


def default_interrupt():
    # A test run started in the background has SIGINT ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def started(cli):
    """A run whose third attempt is under way, and the processes of that attempt."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("whether a process is gone is read from /proc")
    cli.write("agent.py", AGENT)
    (cli.cwd / "log").mkdir()
    suite = cli.suite("t", "u")
    process = subprocess.Popen(
        cli.command(
            "bench", "run", suite, "--reliability", 3, "--agent", "python agent.py log", "--concurrency", 1
        ),
        cwd=cli.cwd,
        env=cli.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=default_interrupt,
    )
    pids = cli.cwd / "log" / "pids"
    deadline = time.monotonic() + 60
    while not pids.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    yield process, [int(pid) for pid in pids.read_text().split()]
    process.kill()
    process.wait()


@pytest.mark.parametrize(
    ("numbers", "code", "what"),
    [
        ([signal.SIGINT], 130, "interrupted"),
        ([signal.SIGTERM], 143, "told to end"),
        ([signal.SIGHUP], 143, "told to end"),
        ([signal.SIGINT, signal.SIGINT], 130, "interrupted"),
        ([signal.SIGINT, signal.SIGTERM], 130, "interrupted"),
    ],
    ids=["INT", "TERM", "HUP", "INT twice", "INT then TERM"],
)
def test_a_signal_ends_the_run_and_its_agents_and_seals_nothing(cli, started, numbers, code, what):
    process, pids = started
    assert all(map(is_running, pids))
    for number in numbers:
        process.send_signal(number)
        time.sleep(0.05)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (code, "")
    said = stderr.splitlines()
    assert said[-1].startswith(f"passfloor: {what} after 2 of 6 attempts; nothing was sealed; go on with: ")
    assert said[-1].endswith("--agent 'python agent.py log' --concurrency 1 --resume")
    assert sum(line.startswith("passfloor:") for line in said) == 1
    assert "Traceback" not in stderr
    assert not any(map(is_running, pids))
    assert sorted(path.name for path in cli.cwd.iterdir()) == [".passfloor", "agent.py", "log", "suite.json"]
    assert not (cli.identity / "keys").exists()
    assert os.listdir(cli.tmp) == []


def test_an_interrupt_that_was_ignored_from_the_start_stays_ignored(cli):
    agent = "sh -c 'kill -INT $PPID; echo yes'"
    done = subprocess.run(
        [
            "sh", "-c", 'trap "" INT; exec "$@"', "sh",
            *cli.command("bench", "run", cli.suite("t"), "--reliability", 1, "--agent", agent),
        ],
        cwd=cli.cwd, env=cli.environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
