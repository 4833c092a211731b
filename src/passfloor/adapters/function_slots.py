"""Workers that start the attempts of a callable: one a slot, taken by one attempt at a time."""

import contextlib
import json
import os
import select
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from passfloor.adapters.function_worker import LENGTH
from passfloor.errors import EnvironmentFault
from passfloor.workspaces.groups import DRAIN_S, GRACE_S
from passfloor.workspaces.streams import STDERR_CAP, StreamText, Tail

# Isolated (-I): neither the working directory nor the user's packages can replace what the worker imports.
_PROGRAM = (
    "import json, sys; control, paths, start = json.loads(sys.argv[1]); sys.path[:] = paths; "
    "from passfloor.adapters.function_worker import main; main(control, paths, start)"
)
# How much longer than an attempt's time its worker may take to say how it ended: it ends descendants as well.
_BACKSTOP_S = 10.0
_CHUNK = 64 * 1024
_LATE_LOOKS = 8
_CLOSING_S = 5.0
_ORPHAN_MS = 2000


@dataclass(frozen=True)
class WorkerEnd:
    """How an attempt's process ended.

    Attributes:
        exit_code: 0 to 255; None where a signal ended it or its time was up.
        signal: The number of the signal that ended it by itself, None otherwise.
        timed_out: Its time was up before it ended.
        prints: The end of what it printed, on standard output and standard error together.
    """

    exit_code: int | None
    signal: int | None
    timed_out: bool
    prints: StreamText


class _Worker:
    def __init__(self, environ: Mapping[str, str], start_folder: Path) -> None:
        self._control, theirs = socket.socketpair()
        setup = json.dumps([theirs.fileno(), sys.path, str(start_folder)])
        try:
            self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and program
                [sys.executable, "-I", "-c", _PROGRAM, setup],
                env=dict(environ),
                cwd="/",
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except OSError as error:
            self._control.close()
            raise EnvironmentFault(f"no process can be started ({error.strerror})") from error
        finally:
            theirs.close()

    def run(self, request: Mapping[str, Any]) -> WorkerEnd:
        """Run one attempt; the worker is of no more use where this raises ``ConnectionError``.

        Raises:
            ConnectionError: The worker died, or does not answer.
            EnvironmentFault: The machine is out of something.
        """
        source, sink = os.pipe()
        tail = Tail(STDERR_CAP)
        deadline = time.monotonic() + request["timeout_s"] + GRACE_S + _BACKSTOP_S
        try:
            try:
                body = json.dumps(request).encode()
                socket.send_fds(self._control, [LENGTH.pack(len(body))], [sink])
                self._control.sendall(body)
            finally:
                os.close(sink)
            reply = self._await_reply(source, tail, deadline)
        finally:
            os.close(source)
        if "fault" in reply:
            raise EnvironmentFault(f"no process can be started ({reply['fault']})")
        return WorkerEnd(reply["exit_code"], reply["signal"], reply["timed_out"], tail.text())

    def close(self) -> int:
        """Close the worker's socket, which makes it end its attempt and itself; its exit status."""
        self._control.close()
        try:
            return self._process.wait(_CLOSING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def interrupt(self) -> None:
        """Make ``run``, which another thread is in, find that the worker is gone."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)

    def _await_reply(self, source: int, tail: Tail, deadline: float) -> dict[str, Any]:
        """Serve both descriptors until the reply is here and the prints have ended or stopped."""
        reply = b""
        with selectors.DefaultSelector() as selector:
            selector.register(source, selectors.EVENT_READ)
            selector.register(self._control, selectors.EVENT_READ)
            late = 0
            # A few looks past the deadline: this process may have been stopped and continued meanwhile.
            while selector.get_map() and late < _LATE_LOOKS:
                left = deadline - time.monotonic()
                late += left <= 0
                for key, _ in selector.select(max(left, 0)):
                    if key.fd == source:
                        chunk = os.read(source, _CHUNK)
                        tail.feed(chunk)
                        if not chunk:
                            selector.unregister(source)
                        continue
                    chunk = self._control.recv(_CHUNK)
                    if not chunk:
                        _end_orphan(reply)
                        raise ConnectionResetError("the worker died")
                    reply += chunk
                    if _is_whole(reply):
                        selector.unregister(self._control)
                        # Something out of reach may still hold the stream open.
                        deadline = min(deadline, time.monotonic() + DRAIN_S)
        if not _is_whole(reply):
            raise ConnectionAbortedError("the worker does not answer")
        decoded: dict[str, Any] = json.loads(reply[2 * LENGTH.size :])
        return decoded


def _is_whole(reply: bytes) -> bool:
    head = 2 * LENGTH.size
    return len(reply) >= head and len(reply) == head + LENGTH.unpack_from(reply, LENGTH.size)[0]


def _end_orphan(reply: bytes) -> None:
    """End the attempt whose worker died under it, and wait until it has ended."""
    if len(reply) < LENGTH.size or not (pid := LENGTH.unpack_from(reply)[0]):
        return
    with contextlib.suppress(OSError, AttributeError):
        # Where the system can: the kernel, too, ends the attempt when its worker dies, only later than now.
        watch = os.pidfd_open(pid)
        try:
            waiting = select.poll()
            waiting.register(watch, select.POLLIN)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            waiting.poll(_ORPHAN_MS)
        finally:
            os.close(watch)


class Slots:
    """As many workers as there are attempts side by side, each started when it is first needed.

    Safe between threads. A copy or an unpickled one starts workers of its own.
    """

    def __init__(self, environ: Mapping[str, str], start_folder: Path) -> None:
        """Fix what every worker gets: its environment, and where the agent's module is looked for first."""
        self._environ = dict(environ)
        self._start_folder = start_folder
        self._lock = threading.Lock()
        self._start_over()

    def __reduce__(self) -> tuple[type["Slots"], tuple[dict[str, str], Path]]:
        return Slots, (self._environ, self._start_folder)

    def run(self, request: Mapping[str, Any]) -> WorkerEnd:
        """Run one attempt in a worker that runs no other meanwhile, once and never again.

        Args:
            request: What ``function_worker`` reads; ``timeout_s`` among it.

        Returns:
            How it ended. Where its worker itself died that is the attempt's end, too.

        Raises:
            EnvironmentFault: No process can be started.
        """
        worker = self._take() or _Worker(self._environ, self._start_folder)
        self._busy.add(worker)
        try:
            end = worker.run(request)
        except ConnectionError:
            status = worker.close()
            return WorkerEnd(
                status if status >= 0 else None, -status if status < 0 else None, False, _NOTHING
            )
        except BaseException:
            worker.close()
            raise
        finally:
            self._busy.discard(worker)
        with self._lock:
            self._idle.append(worker)
        return end

    def interrupt(self) -> None:
        """End the attempts that run now; called from another thread, for a run that stops."""
        for worker in list(self._busy):
            worker.interrupt()

    def _start_over(self) -> None:
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._owner = os.getpid()
        weakref.finalize(self, _close_all, self._idle, self._owner)

    def _take(self) -> _Worker | None:
        with self._lock:
            if self._owner != os.getpid():
                # In a fork of the process that started them: two must not talk to one worker.
                self._start_over()
            return self._idle.pop() if self._idle else None

    def close(self) -> None:
        """End the idle workers; new ones are started where they are needed."""
        with self._lock:
            idle, self._idle[:] = list(self._idle), []
        _close_all(idle, self._owner)


_NOTHING = StreamText("", None, 0)


def _close_all(workers: list[_Worker], owner: int) -> None:
    # Not in a fork of the process that started them.
    if os.getpid() != owner:
        return
    while workers:
        with contextlib.suppress(OSError):
            workers.pop().close()
