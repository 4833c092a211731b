"""Agents that are no program, and agents by name, as the command line drives them."""

import contextlib
import http.server
import itertools
import json
import signal
import socket
import subprocess
import threading

import pytest

from passfloor.suites import load_suite


class Service:
    """Answers POST requests as ``answers(json, headers)`` says: ``(status, headers, value)``."""

    def __init__(self, answers):
        outer, self.calls = self, []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.calls.append((self.path, body, dict(self.headers)))
                status, headers, value = answers(body, self.headers)
                content = json.dumps(value).encode()
                self.send_response(status)
                for name, text in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(content)

            def handle(self):
                with contextlib.suppress(ConnectionError):
                    super().handle()

            def log_message(self, *args):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def stop(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def serve():
    made = []

    def start(answers):
        made.append(Service(answers))
        return made[-1]

    yield start
    for service in made:
        service.stop()


def completion(text):
    return 200, {}, {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}


def run(cli, suite, *words, k=2, **options):
    return cli.json("bench", "run", suite, "--reliability", k, *words, **options)


def assert_holds(cli, suite, words, compared, **options):
    """The receipt verifies without the agent, and the check drives the same agent again."""
    assert cli.json("bench", "verify", "reliability.json", "--suite", suite)["status"] == "MATCH"
    again = ("bench", "check", "reliability.json", "--suite", suite, *words, "--all")
    checked = cli.json(*again, **options)
    assert (checked["status"], checked["compared"]) == ("PASS", compared)


def samples(cli):
    receipt = json.loads((cli.cwd / "reliability.json").read_text())
    return [
        event["sample"]
        for result in receipt["task_results"]
        for attempt in result["attempts"]
        for event in attempt["receipt"]["events"]
        if event["kind"] == "model.output"
    ]


def test_a_bare_model_is_measured_on_the_answers_suite_and_its_retries_stand_in_the_attempt(cli, serve):
    suite = load_suite("answers-v1")
    known = {
        task.description: assertion.expected
        for task in suite.tasks
        for assertion in task.assertions
        if assertion.kind == "output_equals"
    }
    refused = []

    def answers(body, headers):
        assert headers["Authorization"] == "Bearer sk-canary-1234"
        if not refused:
            refused.append(body)
            return 429, {"Retry-After": "0"}, {"error": "slow down, sk-canary-1234"}
        return completion(f"{known.get(body['messages'][-1]['content'], '?')}")

    service = serve(answers)
    words = ("--model", "small", "--base-url", f"{service.url}/v1", "--model-option", "temperature=0.5")
    env = {"OPENAI_API_KEY": "sk-canary-1234"}
    told = run(cli, "answers-v1", *words, "--concurrency", 1, env=env)
    assert told["counts"]["passed"] == 2 * len(known) > 0
    assert told["counts"]["errored"] == 0
    assert told["coordination_ok"] is True
    assert len(service.calls) == 2 * len(suite.tasks) + 1
    path, body, _ = service.calls[0]
    assert (path, body["model"], body["temperature"]) == ("/v1/chat/completions", "small", 0.5)
    assert [len(sample.get("retries", [])) for sample in samples(cli)][:2] == [1, 0]
    assert "sk-canary-1234" not in (cli.cwd / "reliability.json").read_text()
    assert_holds(cli, "answers-v1", words, 2 * len(suite.tasks), env=env)
    other = ("--model", "large", *words[2:])
    checked = cli.json("bench", "check", "reliability.json", *other, code=4, env=env)
    assert checked["status"] == "UNDECIDED"


def test_a_service_that_always_refuses_makes_errored_attempts_and_never_wrong_ones(cli, serve):
    cli.suite("t")
    service = serve(lambda body, headers: (429, {"Retry-After": "86400"}, {}))
    words = ("--agent-url", f"{service.url}/run", "--retries", 0)
    told = run(cli, "suite.json", *words, code=4)
    assert told["counts"] == {
        "tasks": 1, "attempts": 2, "passed": 0, "wrong": 0, "errored": 2, "tasks_any": 0, "tasks_all": 0
    }  # fmt: skip
    assert len(service.calls) == 2


def test_a_service_that_echoes_the_key_it_was_given_writes_it_nowhere(cli, serve):
    cli.suite("t")
    service = serve(lambda body, headers: (200, {}, {"output": f"yes {headers['X-Agent-Key']}"}))
    header = 'headers_env = {X-Agent-Key = "AGENT_HEADER"}'
    cli.write("passfloor.toml", f'[agents.remote]\nurl = "{service.url}/run"\n{header}\nretries = 1\n')
    env = {"AGENT_HEADER": "Bearer lavender-hill-mob"}
    ran = cli.good("bench", "run", "suite.json", "--reliability", 2, "--agent", "remote", env=env)
    text = (cli.cwd / "reliability.json").read_text() + ran.stdout + ran.stderr
    assert "lavender" not in text
    assert [sample["scrubbed"] for sample in samples(cli)] == [1, 1]
    assert_holds(cli, "suite.json", ("--agent", "remote"), 2, env=env)


def test_a_callable_is_measured_with_a_process_for_every_attempt(cli):
    cli.suite("t")
    cli.write(
        "mine.py",
        "seen = []\n"
        "def act(task, attempt):\n"
        "    seen.append(attempt.index)\n"
        "    attempt.emit('step', of=task.id)\n"
        "    return 'yes' if len(seen) == 1 else 'no'\n",
    )
    words = ("--agent-function", "mine:act")
    told = run(cli, "suite.json", *words, "--attempts", 3)
    assert told["counts"]["passed"] == 3
    assert_holds(cli, "suite.json", words, 3)
    (cli.cwd / "mine.py").write_text("def act(task, attempt):\n    return 'yes'\n")
    changed = cli.json("bench", "check", "reliability.json", "--suite", "suite.json", *words, code=4)
    assert changed["status"] == "UNDECIDED"


def test_an_agent_of_the_settings_is_driven_by_its_name_from_a_folder_below(cli):
    (cli.cwd / ".git").mkdir()
    below = cli.cwd / "below"
    below.mkdir()
    cli.write("agent.sh", 'test "$GREETING" = hello && echo yes')
    cli.write("passfloor.toml", '[agents.mine]\ncommand = ["sh", "agent.sh"]\nenv = ["GREETING"]\n')
    suite = cli.suite("t")
    env = {"GREETING": "hello"}
    told = run(cli, suite, "--agent", "mine", cwd=below, env=env)
    assert told["counts"]["passed"] == 2
    refused = cli("bench", "run", suite, "--reliability", 1, "--agent", "mien", cwd=below)
    assert refused.returncode == 2
    assert "did you mean 'mine'?" in refused.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--agent", "cat", "--agent-url", "http://127.0.0.1:9/"), "name 2 agents"),
        (("--model", "small"), "needs --base-url"),
        (("--agent", "cat", "--retries", "1"), "--retries has no meaning beside --agent"),
        (("--agent-url", "ftp://x"), "no http or https URL|not an http or https URL"),
        (("--agent-url", "http://127.0.0.1:9/"), "nothing listens at 127.0.0.1:9"),
        (("--agent-function", "nope"), "not of the form package.module:name"),
        (("--agent-function", "nope:act"), "cannot be found"),
    ],
)
def test_what_cannot_be_driven_is_bad_input_before_the_first_attempt(cli, expect_refusal, words, said):
    cli.suite("t")
    line = expect_refusal(cli("bench", "run", "suite.json", "--reliability", 1, *words), 2)
    assert any(part in line for part in said.split("|"))


def test_a_suite_with_files_is_refused_for_a_model_that_has_no_folder(cli, serve, expect_refusal):
    service = serve(lambda body, headers: completion("x"))
    words = ("--model", "small", "--base-url", service.url)
    line = expect_refusal(cli("bench", "run", "golden-v1", "--reliability", 1, *words), 2)
    assert "has starting files" in line
    assert "--task or --tag" in line
    assert service.calls == []


def test_an_attempt_draws_the_same_however_many_run_beside_it_and_no_two_draw_alike(cli):
    cli.write(
        "mine.py",
        "import random\ndef act(task, attempt):\n    return str(random.Random(attempt.seed).random())\n",
    )
    wanted = {"description": "d", "assertions": [{"kind": "completed"}]}
    tasks = [{"id": f"t{number}", **wanted} for number in range(4)]
    cli.write("suite.json", json.dumps({"version": "own-v1", "tasks": tasks}))
    words = ("--agent-function", "mine:act", "--seed", 7, "--force", "--attempts", 4)
    drawn = []
    for concurrency in (8, 8, 1):
        run(cli, "suite.json", *words, "--concurrency", concurrency)
        drawn.append([sample["stdout"] for sample in samples(cli)])
    assert drawn[0] == drawn[1] == drawn[2]
    assert len(set(drawn[0])) == 16


def test_one_dead_worker_costs_one_attempt_and_no_call_is_made_twice(cli):
    cli.write(
        "mine.py",
        "import os, signal\n"
        "def act(task, attempt):\n"
        "    with open(os.environ['SIDE'], 'a') as side:\n"
        "        side.write(f'{task.id}/{attempt.index}\\n')\n"
        "    if (task.id, attempt.index) == ('t3', 1):\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return 'yes'\n",
    )
    names = [f"t{number}" for number in range(1, 7)]
    suite = cli.suite(*names)
    side = cli.home / "side"
    words = ("--agent-function", "mine:act", "--env", "SIDE", "--concurrency", 2)
    told = run(cli, suite, *words, env={"SIDE": str(side)})
    assert (told["counts"]["passed"], told["counts"]["errored"]) == (11, 1)
    assert sorted(side.read_text().split()) == [f"{name}/{index}" for name in names for index in (0, 1)]
    receipt = json.loads((cli.cwd / "reliability.json").read_text())
    dead = receipt["task_results"][2]["attempts"][1]
    assert dead["error"] == {"type": "worker", "detail": "worker died, signal 9"}


def test_half_a_surrogate_pair_in_an_answer_or_a_name_touches_no_other_attempt(cli, serve):
    def answers(body, headers):
        if body["task_id"] == "text":
            return 200, {}, {"output": "yes\ud835"}
        events = [{"kind": "tool.call", "args": {"\ud835": 1}}] if body["task_id"] == "name" else []
        return 200, {}, {"output": "yes", "events": events}

    suite = cli.suite("text", "name", "plain")
    told = run(cli, suite, "--agent-url", serve(answers).url, k=1)
    assert (told["counts"]["passed"], told["counts"]["wrong"], told["counts"]["errored"]) == (1, 1, 1)
    assert samples(cli)[0]["stdout"] == "yes\ufffd"
    assert "stdout" in samples(cli)[0]["replaced"]
    assert cli.json("bench", "verify", "reliability.json", "--suite", suite)["status"] == "MATCH"


def test_a_limit_that_passes_is_waited_out_inside_the_attempt(cli, serve):
    refused = []

    def answers(body, headers):
        if len(refused) < 2:
            refused.append(headers["Idempotency-Key"])
            return 429, {"Retry-After": "0"}, {}
        return 200, {}, {"output": "yes"}

    suite = cli.suite("t")
    told = run(cli, suite, "--agent-url", serve(answers).url, k=1)
    assert (told["n"], told["counts"]["passed"], told["pass_caret_k"]) == (1, 1, 1.0)
    assert len(samples(cli)[0]["retries"]) == 2
    assert len(set(refused)) == 1


def test_answers_from_a_cache_are_all_asked_for_and_flagged_and_fresh_ones_are_not(cli, serve):
    """A cache in front of a model makes of five attempts one attempt copied."""
    suite = cli.suite("t")
    count = itertools.count()

    def kept(body, headers):
        status, _, value = completion("yes")
        return status, {"X-Cache": "MISS" if next(count) == 0 else "HIT"}, value

    service = serve(kept)
    words = ("--model", "m", "--base-url", f"{service.url}/v1")
    done = cli.good("bench", "run", suite, "--reliability", 5, *words, "--concurrency", 1)
    assert len(service.calls) == 5
    assert "warning: 4 of 5 attempts were answered from a cache, as the answers say (x-cache)" in done.stderr
    assert "all attempts of every task gave the same output" in done.stderr
    assert [sample.get("cached") for sample in samples(cli)] == [None, *[["x-cache"]] * 4]
    assert_verified(cli, suite)

    fresh = serve(lambda body, headers: completion(f"yes {next(count)}"))
    words = ("--model", "m", "--base-url", f"{fresh.url}/v1")
    done = cli.good("bench", "run", suite, "--reliability", 5, *words, "--force")
    assert len(fresh.calls) == 5
    assert "warning" not in done.stderr
    assert len({sample["stdout"] for sample in samples(cli)}) == 5


def assert_verified(cli, suite):
    assert cli.json("bench", "verify", "reliability.json", "--suite", suite)["status"] == "MATCH"


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_call_that_waits_ends_at_once_when_the_run_is_told_to_stop(cli, serve, concurrency):
    called, released = threading.Event(), threading.Event()

    def hangs(body, headers):
        called.set()
        released.wait()
        return completion("yes")

    service = serve(hangs)
    words = ("--model", "m", "--base-url", f"{service.url}/v1", "--concurrency", concurrency)
    process = subprocess.Popen(
        cli.command("bench", "run", cli.suite("t"), "--reliability", 4, *words),
        cwd=cli.cwd,
        env=cli.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert called.wait(60)
        process.send_signal(signal.SIGTERM)
        stdout, stderr = process.communicate(timeout=60)
        # The service still holds every call: what ended them was not an answer.
        assert not released.is_set()
    finally:
        released.set()
        process.kill()
    assert (process.returncode, stdout) == (143, "")
    assert "told to end after 0 of 4 attempts; nothing was sealed; go on with: " in stderr
    assert "Traceback" not in stderr


def test_a_service_that_is_not_there_is_bad_input_before_the_first_attempt(cli, expect_refusal):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    for words in (("--agent-url", url), ("--model", "m", "--base-url", url)):
        said = expect_refusal(cli("bench", "run", cli.suite("t"), "--reliability", 2, *words), 2)
        assert "nothing listens at 127.0.0.1:" in said
    assert not (cli.cwd / ".passfloor").exists()


def test_a_service_is_looked_over_by_two_calls(cli, serve):
    service = serve(lambda body, headers: (200, {"Age": "7"}, {"output": "yes"}))
    found = cli.json("bench", "doctor", "--agent-url", service.url, code=1)
    results = {check["name"]: check["result"] for check in found["checks"]}
    assert len(service.calls) == 2
    assert (results["outputs"], results["isolation"], results["end"]) == ("fail", "unobserved", "pass")
    refusing = serve(lambda body, headers: (500, {}, {}))
    found = cli.json("bench", "doctor", "--agent-url", refusing.url, "--retries", 0, code=1)
    results = {check["name"]: check["result"] for check in found["checks"]}
    assert (results["end"], results["coordination"]) == ("fail", "unobserved")
