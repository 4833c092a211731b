import threading

import pytest

pytest.importorskip("distributed")

from passfloor.adapters.mock import MockReplayAdapter
from passfloor.adapters.process import ProcessAdapter
from passfloor.canonical import digest
from passfloor.errors import UsageError
from passfloor.executors.dask import Cluster, WorkerLostError
from passfloor.grading import judge
from passfloor.running import remote, remote_worker
from passfloor.scrubbing import Scrubber
from passfloor.suites import build_answers_suite_v1

TASK = build_answers_suite_v1().tasks[0]


class Unpicklable(MockReplayAdapter):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()


class HereCluster:
    """Calls at once, in this process; or loses the worker of the calls named."""

    token, private, place = "here", True, "here"

    def __init__(self, *, loses=()):
        self.loses = loses
        self.calls = 0

    def open(self, ready):
        return ["here"]

    def call(self, function, *args):
        self.calls += 1
        if self.calls in self.loses:
            raise WorkerLostError("worker died, signal 9")
        return function(*args)

    def broadcast(self, function, *args):
        return {}

    def stop(self):
        pass


@pytest.fixture(autouse=True)
def nothing_stays():
    yield
    remote_worker._runs.clear()


def test_an_adapter_that_cannot_be_pickled_is_refused_before_anything_begins():
    cluster: Cluster = HereCluster()
    with (
        pytest.raises(UsageError, match=r"adapter Unpicklable cannot be pickled.*--executor local"),
        remote.spread(Unpicklable(), cluster, Scrubber()),
    ):
        pass
    assert cluster.calls == 0


def test_an_adapter_that_records_is_refused_before_anything_is_sent():
    adapter = ProcessAdapter(["true"])
    adapter.recording = object()
    with (
        pytest.raises(UsageError, match="--record has no meaning"),
        remote.spread(adapter, HereCluster(), Scrubber()),
    ):
        pass


def test_an_adapter_object_goes_and_comes_back_changed_and_a_lost_call_leaves_no_trace():
    here = MockReplayAdapter(3)
    expected = [here.run_task(TASK, {}) for _ in range(3)]
    with remote.spread(MockReplayAdapter(3), HereCluster(loses=[2]), Scrubber()) as adapter:
        found = [adapter.run_task(TASK, {}) for _ in range(4)]
        assert adapter.score_task(TASK, found[0]) == (True, 1.0, {})
    assert [found[0], found[2], found[3]] == expected
    (event,) = found[1]["events"]
    assert (event["kind"], event["error"]["detail"]) == ("attempt.errored", "worker died, signal 9")


def test_an_attempt_is_made_there_and_comes_back_without_secrets(tmp_path):
    own = ProcessAdapter(["echo", "yes", "secret-a81jd82k"], workspace_root=tmp_path)
    with remote.spread(own, HereCluster(loses=[2]), Scrubber(["secret-a81jd82k"])) as adapter:
        receipt = adapter.run_attempt(TASK, spec(0), {})
        lost = adapter.run_attempt(TASK, spec(1), {})
    assert receipt["events"][1]["sample"]["stdout"] == "yes [scrubbed]\n"
    # In the frame of its kind: the verifier knows no other.
    assert [event["kind"] for event in lost["events"]] == [
        "task.started",
        "model.output",
        "model.artifact",
        "attempt.errored",
    ]
    assert judge(own, TASK, lost, completion_only=False).outcome == "errored"
    assert digest(adapter.identity()) == digest(own.identity())
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_the_machine_there_is_one_here(tmp_path):
    own = ProcessAdapter(["true"], workspace_root=tmp_path / "gone")
    with (
        remote.spread(own, HereCluster(), Scrubber()) as adapter,
        pytest.raises(remote.EnvironmentFault, match="cannot be made"),
    ):
        adapter.run_attempt(TASK, spec(0), {})


def spec(index):
    from passfloor.adapters.interface import AttemptSpec

    return AttemptSpec(index, f"{index:064x}", f"run/0/{index}", 0, 0)
