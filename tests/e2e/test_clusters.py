"""Attempts on the workers of a Dask cluster: one started for the run, and one that was there before."""

import contextlib
import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks processes up in /proc"),
]

# A cluster of its own, whose scheduler would run a dead worker's tasks again (allowed-failures is 3).
HOST = """
import json, sys
from distributed import LocalCluster

if __name__ == "__main__":
    processes = sys.argv[1] == "processes"
    with LocalCluster(
        n_workers=int(sys.argv[2]), threads_per_worker=1, processes=processes, protocol="tcp://",
        dashboard_address=None, memory_limit=0,
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""

AGENT = """
import os, time
from pathlib import Path

def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

def agent(task, attempt):
    side = Path(os.environ["SIDE"])
    with (side / "begun").open("a") as file:
        file.write(f"{task.id} {attempt.index}\\n")
    if (task.id, attempt.index) == ("t3", 1):
        os.kill(os.getpid(), 9)
    if (task.id, attempt.index) == ("t2", 1):
        # Forked from a process that the cluster's worker started.
        (side / "new").write_text(f"{parent(os.getppid())} {os.getpid()}")
        (side / "new").rename(side / "hangs")
        time.sleep(300)
    return "yes"
"""

STEADY = """
echo "$SOME_TOKEN"
case "$PASSFLOOR_ATTEMPT_SEED" in *[01234]) echo flaky;; *) echo steady;; esac
grep -c PASSFLOOR_SIGNING_KEY "/proc/$PPID/environ" >&2 || true
"""

SECRET = "s3cr3t-Zq81xTnW40bLk"


def wait_for(condition, process):
    deadline = time.monotonic() + 100
    while not (found := condition()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)
    return found


@contextlib.contextmanager
def hosted(folder, kind, workers, **env):
    script = folder / "host.py"
    script.write_text(HOST)
    process = subprocess.Popen(
        [sys.executable, script, kind, str(workers)],
        env={**os.environ, **env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        start_new_session=True,
    )
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("tcp://")
        yield address
    finally:
        process.stdin.close()
        process.wait(60)
        process.stdout.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Of a cluster of two worker processes that was there before."""
    with hosted(tmp_path_factory.mktemp("host"), "processes", 2) as found:
        yield found


@pytest.fixture
def spread(request, address):
    return {"own": ["--executor", "dask", "--concurrency", 2], "there": ["--cluster", address]}[request.param]


def popen(cli, *words, **env):
    return subprocess.Popen(
        cli.command(*words),
        cwd=cli.cwd,
        env=cli.environment(**env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A test run started in the background has SIGINT ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def read(cli, name="reliability.json"):
    return json.loads((cli.cwd / name).read_text())


def carrying(text):
    """The processes that have this text in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if text.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in {"Z", "X"}
    except (FileNotFoundError, ProcessLookupError):
        return True


def summary(receipt):
    """What must not depend on where attempts were made."""
    return [
        (
            result["task_id"],
            result["coordination_hash"],
            [
                (attempt["outcome"], attempt["passed"], attempt["score"], attempt["error"])
                for attempt in result["attempts"]
            ],
        )
        for result in receipt["task_results"]
    ]


def outputs(receipt):
    return [
        event["sample"]
        for result in receipt["task_results"]
        for attempt in result["attempts"]
        for event in attempt["receipt"]["events"]
        if event["kind"] == "model.output"
    ]


def test_verdicts_and_coordination_are_the_same_wherever_attempts_are_made(cli, address):
    cli.write("agent.sh", STEADY)
    tasks = [
        {"id": name, "description": name, "assertions": [{"kind": "output_contains", "text": "steady"}]}
        for name in ("a", "b")
    ]
    suite = cli.write("suite.json", json.dumps({"version": "own-v1", "tasks": tasks}))
    key = cli.home / "key.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", cli.home / "public.pem"], check=True)
    env = {"SOME_TOKEN": SECRET, "PASSFLOOR_SIGNING_KEY": key.read_text()}
    ways = {
        "one": ["--concurrency", 1],
        "eight": ["--concurrency", 8],
        "own": ["--executor", "dask", "--concurrency", 2],
        "there": ["--cluster", address],
    }
    for name, flags in ways.items():
        words = ["bench", "run", suite, "--reliability", 2, "--attempts", 4, "--agent", "sh agent.sh"]
        cli.good(*words, "--env", "SOME_TOKEN", "--out", f"{name}.json", *flags, env=env)
        trust = ["--signer-key", cli.home / "public.pem"]
        cli.good("bench", "reliability-verify", f"{name}.json", "--suite", suite, *trust)
    receipts = {name: read(cli, f"{name}.json") for name in ways}
    one = summary(receipts["one"])
    assert {passed for _, _, attempts in one for _, passed, _, _ in attempts} == {True, False}
    assert all(summary(receipt) == one for receipt in receipts.values())
    for name in ("own", "there"):
        assert all(sample["scrubbed"] == 1 for sample in outputs(receipts[name]))
        # Nobody who runs an agent has the key at hand.
        assert {sample["stderr_tail"] for sample in outputs(receipts[name])} == {"0\n"}
        (where,) = receipts[name]["environment"]
        assert (where["limits"]["executor"], where["limits"]["workers"], where["concurrency"]) == (
            "dask",
            2,
            2,
        )
    kept = [path for path in cli.home.rglob("*") if path.is_file() and path.parent.name != "tmp"]
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]
    assert list(cli.tmp.iterdir()) == []


@pytest.mark.parametrize("spread", ["own", "there"], indirect=True)
def test_a_worker_that_dies_costs_the_attempt_it_was_making_and_no_other(cli, spread):
    cli.write("agent.py", AGENT)
    names = [f"t{number}" for number in range(5)]
    suite, side = cli.suite(*names), cli.home / "side"
    side.mkdir()
    words = ["bench", "run", suite, "--reliability", 3, "--agent-function", "agent:agent", "--env", "SIDE"]
    run = popen(cli, *words, *spread, SIDE=str(side))
    hangs = side / "hangs"
    worker, agent = map(int, wait_for(lambda: hangs.exists() and hangs.read_text(), run).split())
    os.kill(worker, signal.SIGKILL)
    _, stderr = run.communicate(timeout=100)
    assert run.returncode == 0, stderr
    begun = Counter((side / "begun").read_text().splitlines())
    assert begun == Counter(f"{name} {index}" for name in names for index in range(3))
    attempts = {
        (result["task_id"], attempt["index"]): attempt
        for result in read(cli)["task_results"]
        for attempt in result["attempts"]
    }
    # The one whose own process ended itself took no worker with it.
    lost = {slot: attempt["error"] for slot, attempt in attempts.items() if not attempt["passed"]}
    signalled = {"type": "worker", "detail": "worker died, signal 9"}
    expected = signalled if "--executor" in spread else {"type": "worker", "detail": "worker died"}
    assert lost == {("t2", 1): expected, ("t3", 1): signalled}
    assert read(cli)["session"]["interrupted"] == []
    assert gone(agent)
    assert "Traceback" not in stderr
    assert "distributed" not in stderr
    cli.good("bench", "reliability-verify", "reliability.json", "--suite", suite)


def test_ctrl_c_ends_workers_and_agents_and_another_executor_can_go_on(cli):
    cli.write("agent.sh", 'test -e "$GATE" || { echo $$ >> "$PIDS"; sleep 321; }; echo yes\n')
    suite = cli.suite("t", "u")
    env = {"GATE": str(cli.home / "gate"), "PIDS": str(cli.home / "pids"), "MARK": f"mark-of-{cli.home}"}
    words = ["bench", "run", suite, "--reliability", 2, "--agent", "sh agent.sh"]
    words += ["--env", "GATE", "--env", "PIDS", "--env", "MARK"]
    run = popen(cli, *words, "--executor", "dask", "--concurrency", 2, **env)
    pids = cli.home / "pids"
    wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2, run)
    # As a terminal does it: to all at once, workers as well.
    os.killpg(run.pid, signal.SIGINT)
    stdout, stderr = run.communicate(timeout=60)
    assert run.returncode == 130, stderr
    assert stdout == ""
    said = stderr.splitlines()
    assert said[0].startswith("agent.sh is passed as")
    assert said[1].startswith("passfloor: interrupted after 0 of 4 attempts")
    assert len(said) == 2
    assert carrying(env["MARK"]) == []
    assert list(cli.tmp.iterdir()) == []
    (cli.home / "gate").touch()
    done = cli.json(*words, "--resume", env=env)
    assert done["counts"]["passed"] == 4
    assert [entry["starts"] for entry in read(cli)["session"]["interrupted"]] == [2, 2]


@pytest.mark.parametrize("concurrency", [1, 2])
def test_being_told_to_end_ends_the_agents_on_a_cluster_that_goes_on(cli, address, concurrency):
    cli.write("agent.sh", 'echo $$ >> "$PIDS"; sleep 321; echo yes\n')
    words = [
        "bench",
        "run",
        cli.suite("t", "u"),
        "--reliability",
        1,
        "--agent",
        "sh agent.sh",
        "--env",
        "PIDS",
    ]
    pids = cli.home / "pids"
    run = popen(cli, *words, "--cluster", address, "--concurrency", concurrency, PIDS=str(pids))
    wait_for(lambda: pids.exists() and len(pids.read_text().split()) == concurrency, run)
    run.terminate()
    _, stderr = run.communicate(timeout=60)
    assert run.returncode == 143, stderr
    assert all(gone(int(pid)) for pid in pids.read_text().split())
    assert "Traceback" not in stderr


class Service(http.server.BaseHTTPRequestHandler):
    seen = ()

    def do_POST(self):
        self.seen.append(self.headers["Idempotency-Key"])
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"output": "yes"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def test_a_cluster_serves_agents_that_are_services_and_adapter_objects_and_is_left_as_it_was(cli, address):
    suite = cli.suite("t", "u")
    Service.seen = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    try:
        done = cli.json("bench", "run", suite, "--reliability", 2, "--agent-url", url, "--cluster", address)
    finally:
        server.shutdown()
        server.server_close()
    assert done["counts"]["passed"] == len(set(Service.seen)) == len(Service.seen) == 4
    mock = ["bench", "run", "golden-v1", "--reliability", 4, "--adapter", "stochastic-mock", "--stub-signer"]
    cli.good(*mock, "--out", "here.json")
    cli.good(*mock, "--out", "there.json", "--cluster", address)
    assert summary(read(cli, "there.json")) == summary(read(cli, "here.json"))
    assert outputs(read(cli, "there.json")) == outputs(read(cli, "here.json"))


def test_a_cluster_that_cannot_be_used_is_refused_before_the_first_attempt(cli, address, expect_refusal):
    run = ["bench", "run", cli.suite("t"), "--reliability", 1, "--agent", "true"]
    said = expect_refusal(cli(*run, "--cluster", address, "--concurrency", 3), 2)
    assert "--concurrency 3" in said
    assert "2 worker threads" in said
    said = expect_refusal(cli(*run, "--cluster", "tcp://127.0.0.1:9"), 4)
    assert "tcp://127.0.0.1:9" in said
    assert not (cli.cwd / ".passfloor").exists()


def test_what_answers_but_is_no_scheduler_is_waited_for_no_longer(cli, expect_refusal):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run = ["bench", "run", cli.suite("t"), "--reliability", 1, "--agent", "true"]
    try:
        said = expect_refusal(cli(*run, "--cluster", f"tcp://127.0.0.1:{server.server_port}"), 4)
    finally:
        server.shutdown()
        server.server_close()
    assert "no Dask scheduler answers" in said


def test_workers_with_another_version_are_refused_and_both_versions_named(cli, expect_refusal):
    from passfloor import __version__

    other = cli.home / "other" / "passfloor-0.0.7.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: passfloor\nVersion: 0.0.7\n")
    run = ["bench", "run", cli.suite("t"), "--reliability", 1, "--agent", "true"]
    with hosted(cli.home, "threads", 1, PYTHONPATH=str(other.parent)) as address:
        said = expect_refusal(cli(*run, "--cluster", address), 2)
    assert "0.0.7" in said
    assert __version__ in said


def test_without_the_extra_the_command_to_install_it_is_named(cli, expect_refusal):
    package = cli.home / "without" / "distributed"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('not here')\n")
    run = ["bench", "run", cli.suite("t"), "--reliability", 1, "--agent", "true", "--executor", "dask"]
    said = expect_refusal(cli(*run, env={"PYTHONPATH": str(package.parent)}), 2)
    assert "pip install 'passfloor[dask]'" in said
