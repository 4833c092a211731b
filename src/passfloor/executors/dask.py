"""Spreads calls over the worker processes of a Dask cluster, each of them begun at most once."""

import contextlib
import itertools
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from passfloor.errors import EnvironmentFault, UsageError
from passfloor.executors import tickets
from passfloor.executors.admission import Ready, examine
from passfloor.executors.bounded import within
from passfloor.executors.seats import Seats

if TYPE_CHECKING:
    from distributed import Client, Future, Nanny
    from distributed.process import AsyncProcess

_LOOK_S = 0.5
_NO_WORKER_S = 60.0
_ADMISSION_S = 60.0
_BROADCAST_S = 5.0
_DEATH_S = 5.0
_DIED = "worker died"


class WorkerLostError(Exception):
    """The worker went away while it ran a call. ``str(error)`` says how, as far as that is known."""


@dataclass
class _Worker:
    process: str
    seats: int
    watched: "AsyncProcess | None" = None


@dataclass
class _Flight:
    """A call under way."""

    worker: str
    done: threading.Event = field(default_factory=threading.Event)
    begun: bool = False
    lost: bool = False


class Cluster:
    """The workers of a cluster; at most one call a seat, and never a call that waits for a seat there.

    Every call is pinned to one worker process and names it (``tickets``), and that process says what begins
    before it does. So a call is never begun twice, whatever the scheduler does when a worker is gone
    (distributed moves what was processing there, ``allowed-failures`` times), and one that its worker did not
    begin is sent to another. Safe between threads.

    Attributes:
        place: Its address, for people.
        private: Whether it was started by this process, and nobody else uses it.
        token: A name no other ``Cluster`` object has.
    """

    def __init__(
        self, client: "Client", place: str, *, nannies: Callable[[], Iterable["Nanny"]] | None = None
    ) -> None:
        """Made by ``clusters.start`` and ``clusters.connect``.

        Args:
            client: Connected.
            place: The cluster's address, for people.
            nannies: Where this process started the workers: what watches over them.
        """
        self.place = place
        self.private = nannies is not None
        self.token = secrets.token_hex(8)
        self._client = client
        self._nannies = nannies or (lambda: ())
        self._numbers = itertools.count()
        self._seats = Seats()
        self._lock = threading.RLock()
        self._admitting = threading.Lock()
        self._workers: dict[str, _Worker] = {}
        self._flights: dict[str, _Flight] = {}
        self._gone: set[str] = set()
        self._refusals: dict[str, str] = {}
        self._ready: Ready | None = None
        self._stopping = False
        client.subscribe_topic(tickets.TOPIC, self._hear_begun)
        client.subscribe_topic("all", self._hear)

    @property
    def threads(self) -> int:
        """How many threads its workers have in all."""
        return sum(int(worker["nthreads"]) for worker in self._listed().values())

    def open(self, ready: Ready) -> list[str]:
        """Admit all workers that are there; those that join later are admitted when they are needed.

        Args:
            ready: Run once on each worker.

        Returns:
            Their addresses.

        Raises:
            UsageError: One of them cannot be used; the message says why.
            EnvironmentFault: There is none.
        """
        self._ready = ready
        self._admit()
        if self._refusals:
            raise UsageError(next(iter(self._refusals.values())))
        if not self._workers:
            raise EnvironmentFault(f"the cluster at {self.place} has no worker; start some")
        return list(self._workers)

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Have one worker call ``function``, and wait for what it returns.

        Args:
            function: Importable there; it raises nothing.
            *args: Can be pickled.

        Raises:
            WorkerLostError: The worker began the call and went away.
            EnvironmentFault: The cluster is of no more use; or ``stop`` was called.
        """
        while True:
            worker = self._seat()
            try:
                begun, result = self._fly(worker, function, args)
            finally:
                self._seats.give(worker)
            if begun:
                return result

    def broadcast(self, function: Callable[..., Any], *args: Any) -> dict[str, Any]:
        """Have every admitted worker call ``function`` at once, beside what it does.

        Returns:
            Address -> what it returned, or the exception; empty where no answer came in time.
        """
        with self._lock:
            workers = list(self._workers)
        if not workers:
            return {}
        return self._run(_BROADCAST_S, function, *args, workers=workers)

    def stop(self) -> None:
        """Begin nothing any more and let go of all calls; their results are dropped."""
        self._stopping = True
        self._seats.close()
        with self._lock:
            for flight in self._flights.values():
                flight.done.set()

    def leave(self) -> None:
        """Hear no more of the cluster; calls cannot be made any more."""
        self.stop()
        with contextlib.suppress(Exception):  # of one that is gone already
            for topic in (tickets.TOPIC, "all"):
                self._client.unsubscribe_topic(topic)

    def _run(
        self, seconds: float, function: Callable[..., Any], *args: Any, workers: Sequence[str]
    ) -> dict[str, Any]:
        def run() -> dict[str, Any]:
            found: dict[str, Any] = self._client.run(
                function, *args, workers=list(workers), on_error="return"
            )
            return found

        try:
            return within(seconds, run)
        except Exception:  # a cluster that is going away raises what it likes
            return {}

    def _listed(self) -> dict[str, dict[str, Any]]:
        def ask() -> dict[str, dict[str, Any]]:
            found: dict[str, dict[str, Any]] = self._client.scheduler_info(n_workers=-1)["workers"]
            return found

        try:
            return within(_ADMISSION_S, ask)
        except Exception as error:
            raise self._fault(f"does not answer ({type(error).__name__})") from error

    def _fault(self, what: str) -> EnvironmentFault:
        return EnvironmentFault(f"the cluster at {self.place} {what}; look at its scheduler, then go on")

    def _seat(self) -> str:
        """A free seat, as soon as there is one."""
        since = time.monotonic()
        while True:
            worker = self._seats.take(_LOOK_S)
            self._check()
            if worker is not None:
                return worker
            if self._admitting.acquire(blocking=False):
                try:
                    self._admit()
                finally:
                    self._admitting.release()
            if self._workers:
                since = time.monotonic()
            elif time.monotonic() - since > _NO_WORKER_S:
                why = "".join(f" ({reason})" for reason in self._refusals.values())
                raise self._fault(f"has had no worker for {_NO_WORKER_S:g} s{why}")

    def _check(self) -> None:
        if self._stopping:
            raise EnvironmentFault("stopped")
        if self._client.status != "running":
            raise self._fault("is out of reach")

    def _fly(self, worker: str, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[bool, Any]:
        """Whether the call began, and what came of it."""
        key = f"passfloor-{self.token}-{next(self._numbers)}"
        flight = _Flight(worker)
        with self._lock:
            known = self._workers.get(worker)
            if known is None:
                return False, None
            self._flights[key] = flight
        future: Future[Any] | None = None
        try:
            future = self._client.submit(
                tickets.begin,
                tickets.Ticket(key, known.process),
                function,
                args,
                key=key,
                workers=[worker],
                allow_other_workers=False,
                retries=0,
                pure=False,
            )
            future.add_done_callback(lambda _future: flight.done.set())
            flight.done.wait()
            return self._outcome(flight, future, known)
        finally:
            with self._lock:
                self._flights.pop(key, None)
            if future is not None:
                future.release()

    def _outcome(self, flight: _Flight, future: "Future[Any]", known: _Worker) -> tuple[bool, Any]:
        from distributed import KilledWorker

        while not flight.lost:
            self._check()
            try:
                result = future.result(_LOOK_S)
            except TimeoutError:
                # Its worker has the result, and may be gone before it is fetched.
                continue
            except KilledWorker:
                self._lose(flight.worker)
                break
            except Exception as error:
                name = type(error).__name__
                raise self._fault(f"gave an attempt up ({name}: {str(error)[:200]})") from error
            if result != tickets.REFUSED:
                return True, result
            # Another process has its address now.
            self._lose(flight.worker)
            break
        if not flight.begun:
            return False, None
        raise WorkerLostError(self._death(known))

    def _death(self, known: _Worker) -> str:
        """How a worker ended, where this process is the one that sees it."""
        watched = known.watched
        if watched is None:
            return _DIED
        # Put away already (ValueError): then its status is known.
        with contextlib.suppress(TimeoutError, ValueError):
            self._client.sync(watched.join, _DEATH_S)
        code = watched.exitcode
        if code is None:
            return _DIED
        return f"{_DIED}, signal {-code}" if code < 0 else f"{_DIED}, exit status {code}"

    def _hear_begun(self, event: tuple[float, Any]) -> None:
        with self._lock:
            if (flight := self._flights.get(event[1]["key"])) is not None:
                flight.begun = True

    def _hear(self, event: tuple[float, Any]) -> None:
        message = event[1]
        if not isinstance(message, dict):
            return
        if message.get("action") == "remove-worker":
            with self._lock:
                self._gone.add(message["worker"])
            self._lose(message["worker"])
        elif message.get("action") == "add-worker":
            with self._lock:
                self._gone.discard(message["worker"])

    def _lose(self, worker: str) -> None:
        """A worker is gone, and with it all that it was doing."""
        self._seats.drop(worker)
        with self._lock:
            self._workers.pop(worker, None)
            for flight in self._flights.values():
                if flight.worker == worker:
                    flight.lost = True
                    flight.done.set()

    def _admit(self) -> None:
        """Look for workers that are new, and take in those that fit."""
        listed = self._listed()
        new = [
            address for address in listed if address not in self._workers and address not in self._refusals
        ]
        run = partial(self._run, _ADMISSION_S)
        found = examine(run, new, self._ready, private=self.private) if new else {}
        for address, answer in found.items():
            if not isinstance(answer, str):
                self._take_in(address, *answer, seats=int(listed[address]["nthreads"]))
            elif address not in self._gone:
                self._refusals[address] = f"worker {address} {answer}"

    def _take_in(self, address: str, process: str, pid: int, *, seats: int) -> None:
        processes = (nanny.process for nanny in self._nannies() if nanny.pid == pid)
        watched = next((found.process for found in processes if found is not None), None)
        with self._lock:
            if address in self._gone or address in self._workers:
                return
            self._workers[address] = _Worker(process, seats, watched)
            self._seats.add(address, seats)


def dumps(value: object) -> bytes:
    """The value pickled; classes and functions of a script, which no worker can import, are part of it."""
    from distributed.protocol import pickle

    data: bytes = pickle.dumps(value)
    return data
