"""The calls that are under way: each can be cut short from another thread, for a run that stops."""

import contextlib
import socket
import threading

from passfloor.adapters.retries import SystemClock
from passfloor.errors import RunStoppedError


class OpenCalls:
    """What waits for an answer or for its next call. Safe between threads; a copy has none."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._sockets: set[socket.socket] = set()
        self._stops = 0

    def __reduce__(self) -> tuple[type["OpenCalls"], tuple[()]]:
        return OpenCalls, ()

    @property
    def stops(self) -> int:
        """How often everything was cut short."""
        return self._stops

    def hold(self, raw: socket.socket) -> None:
        """A socket that ``interrupt`` shuts down, until it is let go."""
        with self._changed:
            self._sockets.add(raw)

    def let_go(self, raw: socket.socket) -> None:
        """The socket is of no more use."""
        with self._changed:
            self._sockets.discard(raw)

    def sleep(self, seconds: float) -> None:
        """Wait.

        Raises:
            RunStoppedError: ``interrupt`` was called meanwhile.
        """
        with self._changed:
            before = self._stops
            self._changed.wait_for(lambda: self._stops != before, seconds)
        self.check(before)

    def check(self, before: int) -> None:
        """Look whether ``stops`` is what it was.

        Raises:
            RunStoppedError: It is not.
        """
        if self._stops != before:
            raise RunStoppedError("a call was cut short: the run stops")

    def interrupt(self) -> None:
        """Wake all that waits now; may be called from any thread, again and again."""
        with self._changed:
            self._stops += 1
            self._changed.notify_all()
            for raw in self._sockets:
                # Not the method of a secured socket, which another thread is reading from.
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(raw, socket.SHUT_RDWR)


class StoppableClock(SystemClock):
    """The machine's own, whose waits end where the calls are cut short."""

    def __init__(self, calls: OpenCalls) -> None:
        """Wait as ``calls`` does."""
        self._calls = calls

    def sleep(self, seconds: float) -> None:
        """Wait; raises as ``OpenCalls.sleep`` does."""
        self._calls.sleep(seconds)
