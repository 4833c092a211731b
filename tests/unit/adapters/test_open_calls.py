"""Calls that wait are cut short from another thread, and nothing else is."""

import copy
import pickle
import socket
import threading

import pytest

from passfloor.adapters.chat import ChatAdapter
from passfloor.adapters.http import HttpAdapter
from passfloor.adapters.interface import AttemptSpec
from passfloor.adapters.open_calls import OpenCalls, StoppableClock
from passfloor.errors import RunStoppedError
from passfloor.models.suite import Task

TASK = Task.model_validate({"id": "t", "description": "say yes", "assertions": [{"kind": "completed"}]})
SPEC = AttemptSpec(0, "ab" * 32, "run/0/0", 0, 1)
WAIT_S = 60


def outcome_of(adapter, ready):
    """What an attempt in another thread comes to once it waits and the adapter is interrupted."""
    found = []

    def attempt():
        try:
            found.append(adapter.run_attempt(TASK, SPEC, {}))
        except RunStoppedError as stopped:
            found.append(stopped)

    thread = threading.Thread(target=attempt)
    thread.start()
    assert ready()
    while thread.is_alive():
        adapter.interrupt()
        thread.join(0.05)
    return found[0]


@pytest.mark.parametrize("make", [HttpAdapter, lambda url, **more: ChatAdapter("m", url, environ={}, **more)])
def test_a_call_whose_answer_does_not_come_is_cut_short(server, make):
    called = threading.Event()
    server.script = [lambda handler: (called.set(), server.released.wait())]
    found = outcome_of(make(server.url, timeout_s=WAIT_S), lambda: called.wait(WAIT_S))
    assert isinstance(found, RunStoppedError)
    assert len(server.seen) == 1, "it is not made again"


def test_an_answer_that_drips_is_cut_short(server):
    called = threading.Event()
    server.script = [lambda handler: (called.set(), server.drips(handler))]
    found = outcome_of(HttpAdapter(server.url, timeout_s=WAIT_S), lambda: called.wait(WAIT_S))
    assert isinstance(found, RunStoppedError)


@pytest.mark.parametrize("of", [lambda adapter: adapter, copy.deepcopy], ids=["itself", "a copy"])
def test_a_wait_between_two_calls_is_cut_short(server, of):
    called = threading.Event()

    def limited(handler):
        handler.send_response(429)
        handler.send_header("Retry-After", "30")
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        called.set()

    server.script = [limited]
    found = outcome_of(of(HttpAdapter(server.url, timeout_s=WAIT_S)), lambda: called.wait(WAIT_S))
    assert isinstance(found, RunStoppedError)
    assert len(server.seen) == 1


def test_a_handshake_that_does_not_come_is_cut_short():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/"

        def ready():
            silent.settimeout(WAIT_S)
            accepted.append(silent.accept()[0])
            return accepted[0].recv(1) != b""

        accepted = []
        found = outcome_of(HttpAdapter(url, timeout_s=WAIT_S), ready)
        accepted[0].close()
    assert isinstance(found, RunStoppedError)


def test_a_call_made_afterwards_is_made(server):
    adapter = HttpAdapter(server.url, environ={})
    adapter.interrupt()
    server.script = [(200, {}, {"output": "yes"})]
    assert adapter.run_attempt(TASK, SPEC, {})["events"][-1]["kind"] == "task.completed"


def test_a_wait_that_nobody_cuts_short_ends_by_itself():
    StoppableClock(OpenCalls()).sleep(0.01)


def test_sockets_let_go_of_are_left_alone():
    calls = OpenCalls()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        calls.hold(ours)
        calls.let_go(ours)
        calls.interrupt()
        ours.sendall(b"x")
        assert theirs.recv(1) == b"x"
        calls.hold(ours)
        calls.interrupt()
        assert theirs.recv(1) == b""
    calls.interrupt()
    assert calls.stops == 3


def test_a_copy_has_no_calls_of_the_original():
    calls = OpenCalls()
    calls.interrupt()
    for other in (copy.deepcopy(calls), pickle.loads(pickle.dumps(calls))):
        assert other.stops == 0
