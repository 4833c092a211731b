"""Spreads calls over the worker processes of a Dask cluster, each of them begun at most once."""

import contextlib
import itertools
import secrets
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from passfloor.errors import EnvironmentFault
from passfloor.executors import tickets
from passfloor.executors.admission import Ready
from passfloor.executors.roster import Roster, Worker

if TYPE_CHECKING:
    from distributed import Client, Future, Nanny

_LOOK_S = 0.5
_DEATH_S = 5.0
_DIED = "worker died"


class WorkerLostError(Exception):
    """The worker went away while it ran a call. ``str(error)`` says how, as far as that is known."""


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
        self._roster = Roster(client, place, nannies=nannies, lost=self._lose_flights)
        self._numbers = itertools.count()
        # Reentrant: a signal may be handled in a thread that holds it.
        self._lock = threading.RLock()
        self._flights: dict[str, _Flight] = {}
        self._stopping = False
        client.subscribe_topic(tickets.TOPIC, self._hear_begun)
        client.subscribe_topic("all", self._roster.hear)

    @property
    def threads(self) -> int:
        """How many threads its workers have in all."""
        return self._roster.threads

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
        return self._roster.open(ready)

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
            worker = self._roster.seat(self._check)
            try:
                begun, result = self._fly(worker, function, args)
            finally:
                self._roster.give(worker)
            if begun:
                return result

    def broadcast(self, function: Callable[..., Any], *args: Any) -> dict[str, Any]:
        """Have every admitted worker call ``function`` at once, beside what it does.

        Returns:
            Address -> what it returned, or the exception; empty where no answer came in time.
        """
        return self._roster.broadcast(function, *args)

    def stop(self) -> None:
        """Begin nothing any more and let go of all calls; their results are dropped."""
        self._stopping = True
        self._roster.close()
        with self._lock:
            for flight in self._flights.values():
                flight.done.set()

    def leave(self) -> None:
        """Hear no more of the cluster; calls cannot be made any more."""
        self.stop()
        with contextlib.suppress(Exception):  # of one that is gone already
            for topic in (tickets.TOPIC, "all"):
                self._client.unsubscribe_topic(topic)

    def _check(self) -> None:
        if self._stopping:
            raise EnvironmentFault("stopped")
        if self._client.status != "running":
            raise self._roster.fault("is out of reach")

    def _fly(self, worker: str, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[bool, Any]:
        """Whether the call began, and what came of it."""
        key = f"passfloor-{self.token}-{next(self._numbers)}"
        flight = _Flight(worker)
        with self._lock:
            self._flights[key] = flight
        future: Future[Any] | None = None
        try:
            # Looked up once the flight is known: a worker that goes from here on takes the flight along.
            known = self._roster.known(worker)
            if known is None:
                return False, None
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

    def _outcome(self, flight: _Flight, future: "Future[Any]", known: Worker) -> tuple[bool, Any]:
        from distributed import KilledWorker

        while not flight.lost:
            self._check()
            try:
                result = future.result(_LOOK_S)
            except TimeoutError:
                # Its worker has the result, and may be gone before it is fetched.
                continue
            except KilledWorker:
                self._roster.lose(flight.worker)
                break
            except Exception as error:
                name = type(error).__name__
                raise self._roster.fault(f"gave an attempt up ({name}: {str(error)[:200]})") from error
            if result != tickets.REFUSED:
                return True, result
            # Another process has its address now.
            self._roster.lose(flight.worker)
            break
        if not flight.begun:
            return False, None
        raise WorkerLostError(self._death(known))

    def _death(self, known: Worker) -> str:
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

    def _lose_flights(self, worker: str) -> None:
        """A worker is gone: so is all that was sent to it."""
        with self._lock:
            for flight in self._flights.values():
                if flight.worker == worker:
                    flight.lost = True
                    flight.done.set()


def dumps(value: object) -> bytes:
    """The value pickled; classes and functions of a script, which no worker can import, are part of it."""
    from distributed.protocol import pickle

    data: bytes = pickle.dumps(value)
    return data
