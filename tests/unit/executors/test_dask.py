"""A cluster whose scheduler and workers do what a test wants: what begins where, and how often."""

from importlib.metadata import PackageNotFoundError, version

import pytest

distributed = pytest.importorskip("distributed")

from passfloor.errors import EnvironmentFault, UsageError  # noqa: E402
from passfloor.executors import tickets  # noqa: E402
from passfloor.executors.dask import Cluster, WorkerLostError  # noqa: E402

A, B = "tcp://10.0.0.1:1", "tcp://10.0.0.2:1"


class Future:
    def __init__(self, result, *, done=True):
        self._result = result
        self._done = done

    def add_done_callback(self, callback):
        if self._done:
            callback(self)

    def result(self, timeout):
        if not self._done:
            raise TimeoutError
        if isinstance(self._result, BaseException):
            raise self._result
        return self._result

    def release(self):
        pass


class FakeClient:
    """Implements what ``Cluster`` asks of a client. ``play(worker, key)`` says what becomes of a task."""

    status = "running"

    def __init__(self, *workers, play=None):
        self.workers = {address: f"process-{address}" for address in workers}
        self.versions = {}
        self.answers = {}
        self.play = play or (lambda client, worker, key: client.done(key, "result"))
        self.submitted = []
        self.handlers = {}

    def subscribe_topic(self, topic, handler):
        self.handlers[topic] = handler

    def unsubscribe_topic(self, topic):
        del self.handlers[topic]

    def scheduler_info(self, n_workers):
        assert n_workers == -1
        return {"workers": {address: {"nthreads": 1} for address in self.workers}}

    def run(self, function, *args, workers, on_error):
        assert on_error == "return"
        if function is version:
            return {address: self.versions.get(address, version("passfloor")) for address in workers}
        if function is tickets.identify:
            names = {address: self.workers[address] for address in workers if address in self.workers}
            return {a: name if isinstance(name, Exception) else (name, 1) for a, name in names.items()}
        return {address: self.answers.get(address) for address in workers}

    def submit(self, function, ticket, called, args, *, key, workers, allow_other_workers, retries, pure):
        assert (function, ticket.key) == (tickets.begin, key)
        assert (allow_other_workers, retries, pure) == (False, 0, False)
        (worker,) = workers
        self.submitted.append(worker)
        return self.play(self, worker, key)

    def says_begun(self, key):
        self.handlers[tickets.TOPIC]((0.0, {"key": key}))

    def done(self, key, result):
        self.says_begun(key)
        return Future(result)

    def lose(self, worker):
        del self.workers[worker]
        self.handlers["all"]((0.0, {"action": "remove-worker", "worker": worker}))

    def join(self, worker, process):
        self.workers[worker] = process
        self.handlers["all"]((0.0, {"action": "add-worker", "worker": worker}))


async def ready():
    return None


def opened(client):
    cluster = Cluster(client, "tcp://10.0.0.9:8786")
    cluster.open((ready, ()))
    return cluster


def killed():
    return distributed.KilledWorker("key", None, 0)


def test_what_a_worker_returns_is_returned():
    client = FakeClient(A, B)
    assert opened(client).call(len, "x") == "result"
    assert len(client.submitted) == 1


@pytest.mark.parametrize("known_by", ["scheduler", "event"])
def test_a_call_that_began_is_lost_with_its_worker_and_sent_to_no_other(known_by):
    def play(client, worker, key):
        client.says_begun(key)
        client.lose(worker)
        return Future(killed(), done=known_by == "scheduler")

    client = FakeClient(A, B, play=play)
    with pytest.raises(WorkerLostError, match=r"^worker died$"):
        opened(client).call(len, "x")
    assert len(client.submitted) == 1


@pytest.mark.parametrize("known_by", ["scheduler", "event"])
def test_a_call_that_its_worker_did_not_begin_is_sent_to_another(known_by):
    def play(client, worker, key):
        if len(client.submitted) > 1:
            return client.done(key, "result")
        client.lose(worker)
        return Future(killed(), done=known_by == "scheduler")

    client = FakeClient(A, B, play=play)
    assert opened(client).call(len, "x") == "result"
    assert sorted(client.submitted) == [A, B]


@pytest.mark.parametrize("began", [True, False])
def test_a_call_that_a_successor_refuses_is_lost_only_where_it_began(began):
    def play(client, worker, key):
        if len(client.submitted) > 1:
            return client.done(key, "result")
        if began:
            client.says_begun(key)
        # The scheduler ran it again, in a process that has the dead one's address.
        return Future(tickets.REFUSED)

    client = FakeClient(A, play=play)
    cluster = opened(client)
    if began:
        with pytest.raises(WorkerLostError):
            cluster.call(len, "x")
    assert cluster.call(len, "x") == "result"
    assert client.submitted == [A, A]


def test_a_worker_that_joins_later_is_taken_in_when_it_is_needed():
    client = FakeClient(A)
    cluster = opened(client)
    client.lose(A)
    client.join(B, "process-b")
    assert cluster.call(len, "x") == "result"
    assert client.submitted == [B]


def test_a_cluster_that_is_out_of_reach_ends_the_run_and_blames_the_machine():
    client = FakeClient(A)
    cluster = opened(client)
    client.status = "connecting"
    with pytest.raises(EnvironmentFault, match=r"10\.0\.0\.9:8786 is out of reach"):
        cluster.call(len, "x")


def test_a_call_the_scheduler_gives_up_ends_the_run_and_is_no_result():
    client = FakeClient(A, play=lambda client, worker, key: Future(ValueError("cancelled")))
    with pytest.raises(EnvironmentFault, match=r"gave an attempt up \(ValueError: cancelled\)"):
        opened(client).call(len, "x")


def test_once_stopped_nothing_is_sent():
    client = FakeClient(A)
    cluster = opened(client)
    cluster.stop()
    with pytest.raises(EnvironmentFault, match="stopped"):
        cluster.call(len, "x")
    assert client.submitted == []


def test_a_result_that_comes_after_the_stop_is_dropped():
    def play(client, worker, key):
        cluster.stop()
        return client.done(key, "late")

    cluster = opened(FakeClient(A, play=play))
    with pytest.raises(EnvironmentFault, match="stopped"):
        cluster.call(len, "x")


def test_a_cluster_without_workers_is_refused():
    with pytest.raises(EnvironmentFault, match="has no worker"):
        opened(FakeClient())


def test_a_worker_without_passfloor_or_with_another_version_is_refused_by_name():
    client = FakeClient(A, B)
    client.versions = {B: "0.0.7"}
    with pytest.raises(UsageError, match=rf"{B} has passfloor '0.0.7', this machine has '"):
        opened(client)
    client.versions = {A: PackageNotFoundError("passfloor")}
    with pytest.raises(UsageError, match=f"{A} has no passfloor; install "):
        opened(client)


def test_a_worker_that_says_why_it_cannot_be_used_is_refused_with_its_words():
    client = FakeClient(A, B)
    client.answers = {B: "the program is missing"}
    with pytest.raises(UsageError, match=f"^worker {B} cannot be used: the program is missing$"):
        opened(client)


@pytest.mark.parametrize("where", ["answers", "workers"])
def test_a_worker_that_cannot_even_say_so_is_refused_with_what_it_raised(where):
    client = FakeClient(A, B)
    error = ModuleNotFoundError("No module named 'agent'")
    getattr(client, where)[B] = error
    with pytest.raises(UsageError, match=rf"^worker {B} cannot be used \(ModuleNotFoundError: No module"):
        opened(client)


def test_a_ticket_of_another_process_is_refused_and_nothing_is_called():
    calls = []
    assert tickets.begin(tickets.Ticket("key", "other"), calls.append, (1,)) == tickets.REFUSED
    assert calls == []
