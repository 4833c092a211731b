"""Who may begin something where: as many seats a worker as it does things side by side."""

import threading


class Seats:
    """The free seats of all workers. Safe between threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._free: dict[str, int] = {}
        self._closed = False

    def add(self, worker: str, count: int) -> None:
        """A worker is there, with ``count`` free seats."""
        with self._changed:
            self._free[worker] = count
            self._changed.notify_all()

    def drop(self, worker: str) -> None:
        """A worker is gone; a seat of it that is given back later is no seat any more."""
        with self._changed:
            self._free.pop(worker, None)

    def take(self, timeout_s: float) -> str | None:
        """Wait for a free seat and take it; the worker with most of them first.

        Returns:
            Its worker; None where none was free in time, or the seats are closed.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._closed or any(self._free.values()), timeout_s)
            if self._closed or not any(self._free.values()):
                return None
            worker = max(self._free, key=self._free.__getitem__)
            self._free[worker] -= 1
            return worker

    def give(self, worker: str) -> None:
        """Give a seat back."""
        with self._changed:
            if worker in self._free:
                self._free[worker] += 1
                self._changed.notify()

    def close(self) -> None:
        """Give out no seat any more, and let go of all who wait."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
