"""Agents that are no program, from their first attempt to a verified and checked receipt."""

import http.server
import itertools
import json
import os
import threading

import pytest

from passfloor import ReliabilityRunner, ReliabilityVerifier, StubReliabilitySigner, reliability_check
from passfloor.adapters.registry import adapter_for_function, adapter_for_model, adapter_for_url
from passfloor.errors import RunStoppedError, UsageError
from passfloor.models.suite import Suite


def suite(*ids, **members):
    wanted = {
        "description": "say yes",
        "assertions": [{"kind": "output_equals", "expected": "yes"}],
        **members,
    }
    return Suite.model_validate({"version": "own-v1", "tasks": [{"id": name, **wanted} for name in ids]})


class Service:
    """Calls ``answers`` with the request's JSON and headers: ``(status, headers, value)``."""

    def __init__(self, answers):
        outer, lock = self, threading.Lock()
        self.calls = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with lock:
                    outer.calls += 1
                    status, headers, value = answers(json.loads(body), self.headers)
                content = json.dumps(value).encode()
                self.send_response(status)
                for name, text in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(content)

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


@pytest.fixture
def functions(tmp_path):
    made = []
    (tmp_path / "root").mkdir()

    def make(name, source, **options):
        (tmp_path / "agent.py").write_text(source)
        environ = {**os.environ, "SIDE": str(tmp_path / "side")}
        adapter = adapter_for_function(
            f"agent:{name}",
            env=["SIDE"],
            environ=environ,
            start_folder=tmp_path,
            workspace_root=tmp_path / "root",
            **options,
        )
        made.append(adapter)
        return adapter

    yield make
    for adapter in made:
        adapter.close()
    assert list((tmp_path / "root").iterdir()) == []


def outcomes(receipt):
    return {
        result.task_id: [(each.outcome, each.error.type if each.error else None) for each in result.attempts]
        for result in receipt.task_results
    }


def assert_holds(receipt, tasks, adapter):
    """The receipt verifies without the agent, and is checked by running it again."""
    signed = StubReliabilitySigner().sign(receipt)
    assert ReliabilityVerifier(tasks).verify(signed).status == "MATCH"
    assert reliability_check(signed, tasks, adapter, tasks=(), attempt=None).status == "PASS"


WORKING = """
import os, signal
from pathlib import Path

def act(task, attempt):
    attempt.emit("step", of=str(attempt.workspace))
    Path("note").write_text(str(attempt.seed))
    return "yes" if task.id == "steady" or attempt.index else "no"

def dies(task, attempt):
    with open(os.environ["SIDE"], "a") as side:
        side.write(f"{task.id}/{attempt.index}\\n")
    if (task.id, attempt.index) == ("t3", 1):
        os.kill(os.getpid(), signal.SIGKILL)
    return "yes"

def broken(task, attempt):
    raise KeyError("x")
"""


def test_a_callable_is_measured_sealed_verified_and_checked(functions):
    tasks = suite("steady", "flaky")
    adapter = functions("act", WORKING)
    receipt = ReliabilityRunner(tasks, adapter, k=2, n=3).run()
    assert outcomes(receipt) == {
        "steady": [("passed", None)] * 3,
        "flaky": [("wrong", None), ("passed", None), ("passed", None)],
    }
    assert receipt.coordination_ok
    assert receipt.subject.adapter == "function"
    assert_holds(receipt, tasks, adapter)


def test_one_dead_attempt_is_errored_and_none_is_run_twice(functions, tmp_path):
    tasks = suite("t1", "t2", "t3", "t4", "t5", "t6")
    receipt = ReliabilityRunner(tasks, functions("dies", WORKING), k=2).run()
    assert outcomes(receipt)["t3"] == [("passed", None), ("errored", "worker")]
    assert receipt.task_results[2].attempts[1].error.detail == "worker died, signal 9"
    assert receipt.counts.passed == 11
    assert len((tmp_path / "side").read_text().split()) == 12
    signed = StubReliabilitySigner().sign(receipt)
    assert ReliabilityVerifier(tasks).verify(signed).status == "MATCH"


def test_an_agent_that_always_raises_stops_the_run(functions):
    with pytest.raises(RunStoppedError, match="raised KeyError"):
        ReliabilityRunner(suite("a", "b"), functions("broken", WORKING), k=6).run()


def test_a_service_is_called_once_an_attempt_and_a_platform_fault_is_no_second_attempt(serve):
    counter = itertools.count()

    def answers(request, headers):
        assert request["attempt_id"] == headers["Idempotency-Key"]
        number = next(counter)
        if number == 1:
            return 503, {"Retry-After": "0"}, {}
        return 200, {}, {"output": f"call {number}", "events": [{"kind": "route", "to": "a"}]}

    service = serve(answers)
    tasks = suite("t", assertions=[{"kind": "output_contains", "text": "call"}])
    adapter = adapter_for_url(service.url)
    receipt = ReliabilityRunner(tasks, adapter, k=5).run()
    assert service.calls == 6
    (result,) = receipt.task_results
    samples = [attempt.receipt.events[-3]["sample"] for attempt in result.attempts]
    assert [sample["stdout"] for sample in samples] == ["call 0", "call 2", "call 3", "call 4", "call 5"]
    assert [sample.get("retries") for sample in samples] == [
        None, [{"status": 503, "waited_ms": 0}], None, None, None,
    ]  # fmt: skip
    assert (receipt.counts.attempts, receipt.counts.passed, receipt.coordination_ok) == (5, 5, True)
    assert_holds(receipt, tasks, adapter)


def test_another_route_in_some_attempts_is_divergence_and_not_a_sample(serve):
    counter = itertools.count()
    service = serve(
        lambda *_: (200, {}, {"output": "yes", "events": [{"kind": "route", "to": next(counter)}]})
    )
    receipt = ReliabilityRunner(suite("t"), adapter_for_url(service.url), k=2).run()
    assert not receipt.coordination_ok


def test_a_limited_service_is_errored_and_never_wrong(serve):
    service = serve(lambda *_: (429, {"Retry-After": "86400"}, {}))
    receipt = ReliabilityRunner(suite("t"), adapter_for_url(service.url), k=3).run()
    assert outcomes(receipt) == {"t": [("errored", "provider")] * 3}
    assert service.calls == 3


def test_half_a_surrogate_pair_in_one_answer_leaves_the_others_alone_and_verifies(serve):
    counter = itertools.count()
    service = serve(lambda *_: (200, {}, {"output": "yes" if next(counter) != 1 else "\ud835"}))
    tasks, adapter = suite("t"), adapter_for_url(service.url)
    receipt = ReliabilityRunner(tasks, adapter, k=3).run()
    assert [outcome for outcome, _ in outcomes(receipt)["t"]] == ["passed", "wrong", "passed"]
    assert_holds(receipt, tasks, adapter)


def test_a_bare_model_is_measured_and_its_key_is_nowhere_in_the_receipt(serve):
    key = "sk-canary-1234"

    def answers(request, headers):
        assert request["messages"] == [{"role": "user", "content": "say yes"}]
        said = "yes" if headers["Authorization"] == f"Bearer {key}" else "no"
        return 200, {}, {"choices": [{"message": {"content": said, "refusal": key}, "finish_reason": "stop"}]}

    service, tasks = serve(answers), suite("t")
    adapter = adapter_for_model(
        "m-1", service.url + "/v1", options={"temperature": 0.5}, environ={"OPENAI_API_KEY": key}
    )
    receipt = ReliabilityRunner(tasks, adapter, k=3).run()
    assert outcomes(receipt) == {"t": [("passed", None)] * 3}
    assert key not in json.dumps(receipt.document())
    assert_holds(receipt, tasks, adapter)


def test_a_task_with_files_is_refused_where_they_cannot_be_handed_over(serve):
    service = serve(lambda *_: (200, {}, {"output": "yes"}))
    with pytest.raises(UsageError, match="starting files"):
        ReliabilityRunner(suite("t", files={"a": "x"}), adapter_for_url(service.url), k=1).run()
    assert service.calls == 0
