"""Who works on a cluster: which workers were taken in, their free seats, and which are gone."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from passfloor.errors import EnvironmentFault, UsageError
from passfloor.executors.admission import Ready, examine
from passfloor.executors.bounded import within
from passfloor.executors.seats import Seats

if TYPE_CHECKING:
    from distributed import Client, Nanny
    from distributed.process import AsyncProcess

_LOOK_S = 0.5
_NO_WORKER_S = 60.0
_ADMISSION_S = 60.0
_BROADCAST_S = 5.0


@dataclass(frozen=True)
class Worker:
    """A worker that was taken in.

    Attributes:
        process: The name of its process, see ``tickets``.
        watched: Its process, where this one started it.
    """

    process: str
    watched: "AsyncProcess | None" = None


class Roster:
    """The workers of one cluster. Safe between threads.

    Attributes:
        place: The cluster's address, for people.
    """

    def __init__(
        self,
        client: "Client",
        place: str,
        *,
        nannies: Callable[[], Iterable["Nanny"]] | None,
        lost: Callable[[str], None],
    ) -> None:
        """Nobody is taken in yet.

        Args:
            client: Connected.
            place: The cluster's address, for people.
            nannies: Where this process started the workers: what watches over them. None: it did not.
            lost: Told of each worker that is gone.
        """
        self.place = place
        self._client = client
        self._private = nannies is not None
        self._nannies = nannies or (lambda: ())
        self._lost = lost
        self._seats = Seats()
        self._lock = threading.Lock()
        self._admitting = threading.Lock()
        self._workers: dict[str, Worker] = {}
        self._gone: set[str] = set()
        self._refusals: dict[str, str] = {}
        self._ready: Ready | None = None

    @property
    def threads(self) -> int:
        """How many threads all workers of the cluster have."""
        return sum(int(worker["nthreads"]) for worker in self._listed().values())

    def open(self, ready: Ready) -> list[str]:
        """Take in all workers that are there; see ``Cluster.open``."""
        self._ready = ready
        self._admit()
        if self._refusals:
            raise UsageError(next(iter(self._refusals.values())))
        if not self._workers:
            raise EnvironmentFault(f"the cluster at {self.place} has no worker; start some")
        return list(self._workers)

    def known(self, address: str) -> Worker | None:
        """The worker taken in at an address; None where there is none, or it is gone."""
        with self._lock:
            return self._workers.get(address)

    def seat(self, check: Callable[[], None]) -> str:
        """Wait for a free seat and take it; its worker. Those that joined meanwhile are taken in.

        Args:
            check: Called again and again; what it raises ends the waiting.

        Raises:
            EnvironmentFault: There was no worker for too long, or the scheduler does not answer.
        """
        since = time.monotonic()
        while True:
            address = self._seats.take(_LOOK_S)
            check()
            if address is not None:
                return address
            if self._admitting.acquire(blocking=False):
                try:
                    self._admit()
                finally:
                    self._admitting.release()
            if self._workers:
                since = time.monotonic()
            elif time.monotonic() - since > _NO_WORKER_S:
                why = "".join(f" ({reason})" for reason in self._refusals.values())
                raise self.fault(f"has had no worker for {_NO_WORKER_S:g} s{why}")

    def give(self, address: str) -> None:
        """Give a seat back."""
        self._seats.give(address)

    def close(self) -> None:
        """Give out no seat any more."""
        self._seats.close()

    def broadcast(self, function: Callable[..., Any], *args: Any) -> dict[str, Any]:
        """Have every worker that was taken in call a function; see ``Cluster.broadcast``."""
        with self._lock:
            addresses = list(self._workers)
        return self._run(_BROADCAST_S, function, *args, workers=addresses) if addresses else {}

    def hear(self, event: tuple[float, Any]) -> None:
        """What the scheduler says of its workers, with the time of it."""
        message = event[1]
        if not isinstance(message, dict):
            return
        if message.get("action") == "remove-worker":
            with self._lock:
                self._gone.add(message["worker"])
            self.lose(message["worker"])
        elif message.get("action") == "add-worker":
            with self._lock:
                self._gone.discard(message["worker"])

    def lose(self, address: str) -> None:
        """A worker is gone, and with it all that it was doing."""
        self._seats.drop(address)
        with self._lock:
            self._workers.pop(address, None)
        self._lost(address)

    def fault(self, what: str) -> EnvironmentFault:
        """The fault of this cluster; ``what`` goes on from "the cluster at ADDRESS"."""
        return EnvironmentFault(f"the cluster at {self.place} {what}; look at its scheduler, then go on")

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
            raise self.fault(f"does not answer ({type(error).__name__})") from error

    def _admit(self) -> None:
        """Look for workers that are new, and take in those that fit."""
        listed = self._listed()
        new = [
            address for address in listed if address not in self._workers and address not in self._refusals
        ]
        run = partial(self._run, _ADMISSION_S)
        found = examine(run, new, self._ready, private=self._private) if new else {}
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
            self._workers[address] = Worker(process, watched)
            self._seats.add(address, seats)
