"""Spreads work over threads of this process, and stops all of it at once."""

import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

Unit = Callable[[], Iterator[T]]
"""Work that is done in order by one worker: each item it yields is a result."""

_PATIENCE_S = 5.0
_AGAIN_S = 0.05


@dataclass(frozen=True)
class Spread(Generic[T]):
    """What becomes of results.

    Attributes:
        keep: Called by the worker with each result; when it returns, the result counts. Calls overlap.
        report: Called afterwards by the thread that called ``run``, one at a time, in the order of finishing.
        end: Called when everything must stop, again and again until the workers have let go: ends what they
            wait for.
    """

    keep: Callable[[T], None]
    report: Callable[[T], None]
    end: Callable[[], object] = lambda: None


def default_concurrency() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        with contextlib.suppress(OSError):
            return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(units: Iterable[Unit[T]], concurrency: int, spread: Spread[T]) -> None:
    """Do all units, ``concurrency`` at a time; one at a time is done by the calling thread itself.

    Whatever is raised (by a unit, by ``keep``, by ``report``, or in the calling thread by a signal) stops
    all: nothing new begins, ``end`` is called, a result that arrives after that is dropped and never kept,
    and the error is raised here. What was kept before is kept.
    """
    if concurrency == 1:
        _in_turn(units, spread)
    else:
        _Pool(units, concurrency, spread).run()


def _in_turn(units: Iterable[Unit[T]], spread: Spread[T]) -> None:
    for unit in units:
        for result in unit():
            spread.keep(result)
            spread.report(result)


@dataclass(frozen=True)
class _Done:
    """A worker has nothing more to do, or failed."""

    error: BaseException | None = None


class _Pool(Generic[T]):
    """The workers of one call of ``run``."""

    def __init__(self, units: Iterable[Unit[T]], concurrency: int, spread: Spread[T]) -> None:
        self._spread = spread
        self._units = iter(units)
        self._taking = threading.Lock()
        self._stopping = threading.Event()
        self._results: queue.SimpleQueue[T | _Done] = queue.SimpleQueue()
        # Daemons: one that waits for something out of reach must not keep the process from ending.
        self._workers = [threading.Thread(target=self._work, daemon=True) for _ in range(concurrency)]

    def run(self) -> None:
        try:
            for worker in self._workers:
                worker.start()
            self._attend()
        except BaseException:
            self._stop()
            raise

    def _attend(self) -> None:
        working = len(self._workers)
        while working:
            result = self._results.get()
            if not isinstance(result, _Done):
                self._spread.report(result)
            elif result.error is not None:
                raise result.error
            else:
                working -= 1

    def _stop(self) -> None:
        # Before anything is ended: what an attempt looks like because it was ended is dropped.
        self._stopping.set()
        deadline = time.monotonic() + _PATIENCE_S
        waiting = [worker for worker in self._workers if worker.ident is not None]
        while waiting and time.monotonic() < deadline:
            # Again: a worker may have been about to start something.
            self._spread.end()
            waiting[0].join(_AGAIN_S)
            waiting = [worker for worker in waiting if worker.is_alive()]

    def _work(self) -> None:
        try:
            while (unit := self._take()) is not None:
                self._do(unit)
        except BaseException as error:  # whatever it is, the thread that waits must hear of it
            self._results.put(_Done(error))
        else:
            self._results.put(_Done())

    def _take(self) -> Unit[T] | None:
        with self._taking:
            return None if self._stopping.is_set() else next(self._units, None)

    def _do(self, unit: Unit[T]) -> None:
        results = unit()
        while not self._stopping.is_set():
            try:
                result = next(results)
            except StopIteration:
                return
            if self._stopping.is_set():
                return
            self._spread.keep(result)
            self._results.put(result)
