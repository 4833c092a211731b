"""Run a program in a process group of its own, for a bounded time, and leave none of the group behind."""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from passfloor.workspaces.strays import end_strays, left_behind
from passfloor.workspaces.streams import STDERR_CAP, STDOUT_CAP, Head, StreamText, Tail

GRACE_S = 1.0
"""Seconds between TERM and KILL for a program that ran out of time."""

DRAIN_S = 0.5
"""Longest wait for the end of a stream that something out of reach still holds open."""

_CHUNK = 64 * 1024
# Where the kernel cannot say when a process ends, it is asked so often.
_POLL_S = 0.01
# Past this age of an attempt, process numbers may have come round once (pid_max can be 32,768).
_YOUNG_S = 10.0

_live: set[int] = set()
# Reentrant, for a signal handler that runs in a thread which holds it.
_live_lock = threading.RLock()


@dataclass(frozen=True)
class Ended:
    """How a program ended and what it said.

    Attributes:
        exit_code: 0 to 255; None where a signal ended it or its time was up.
        signal: The number of the signal that ended it by itself; None otherwise.
        timed_out: Its time was up before it ended.
        stdout: The start of its standard output.
        stderr: The end of its standard error.
        unread: Bytes of its standard input that it left; None where nobody watched.
        left_behind: Processes it left running when it ended by itself; None where nobody watched, or could.
    """

    exit_code: int | None
    signal: int | None
    timed_out: bool
    stdout: StreamText
    stderr: StreamText
    unread: int | None = None
    left_behind: int | None = None


def run_group(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes,
    timeout_s: float,
    attempt_id: str,
    grace_s: float = GRACE_S,
    watch: bool = False,
) -> Ended:
    """Run a program to its end, or to the end of its time, then end whatever it left behind.

    Its group comes from the spawn call (``start_new_session``). When its time is up the group gets TERM and,
    after ``grace_s`` or once the program is gone, KILL. When it ends by itself, the rest of its group gets
    KILL at once and that is no time-out. Descendants outside the group are sought as ``end_strays`` says.

    Args:
        argv: The program and its words; no shell.
        cwd: Its working directory.
        env: Its whole environment; ``PASSFLOOR_ATTEMPT_ID`` in it marks its descendants.
        stdin: What it can read before the end of file. It need not read it.
        timeout_s: Seconds on the monotonic clock.
        attempt_id: The value of ``PASSFLOOR_ATTEMPT_ID``.
        grace_s: Seconds between TERM and KILL.
        watch: Look what it read and left running as well, which takes longer.

    Raises:
        OSError: The program could not be started.
    """
    started = time.monotonic()
    process, pump = _spawn(argv, cwd, env, stdin, watch=watch)
    left: int | None = None
    try:
        in_time = pump.wait_for_exit(started + timeout_s)
        if not in_time:
            _signal_group(process.pid, signal.SIGTERM)
            pump.wait_for_exit(time.monotonic() + grace_s)
        if watch and in_time:
            left = left_behind(process.pid, attempt_id)
        young = time.monotonic() - started < _YOUNG_S
        _end(process, attempt_id, after=process.pid if young else None)
        pump.drain(time.monotonic() + DRAIN_S)
        unread = pump.unread()
    except BaseException:
        _end(process, attempt_id, after=None)
        raise
    finally:
        pump.close()
    code = process.returncode
    return Ended(
        exit_code=code if in_time and code >= 0 else None,
        signal=-code if in_time and code < 0 else None,
        timed_out=not in_time,
        stdout=pump.stdout.text(),
        stderr=pump.stderr.text(),
        unread=unread,
        left_behind=left,
    )


def end_all() -> int:
    """Send KILL to every group this process is running now, for an interrupted run; returns how many.

    May be called from any thread and from a signal handler; the calls to ``run_group`` then return.
    """
    with _live_lock:
        for group in _live:
            _signal_group(group, signal.SIGKILL)
        return len(_live)


def _spawn(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: bytes, *, watch: bool
) -> tuple["subprocess.Popen[bytes]", "_Pump"]:
    source, sink = os.pipe()
    try:
        process = subprocess.Popen(  # noqa: S603  # running the operator's program is the purpose
            list(argv),
            cwd=cwd,
            env={name: _encoded(value) for name, value in env.items()},
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except BaseException:
        os.close(sink)
        os.close(source)
        raise
    with _live_lock:
        _live.add(process.pid)
    if not watch:
        os.close(source)
    try:
        return process, _Pump(process, sink, stdin, source if watch else None)
    except BaseException:
        _end(process, "", after=process.pid)
        raise


def _encoded(text: str) -> bytes:
    """The bytes of a variable: a task's id may hold what the locale cannot say."""
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")


def _signal_group(group: int, number: int) -> None:
    # PermissionError: macOS says so of a group in which only a zombie is left.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _end(process: "subprocess.Popen[bytes]", attempt_id: str, *, after: int | None) -> None:
    """End the group and its strays, then let go of the leader's number."""
    with _live_lock:
        # The leader is not reaped yet, so the number of its group cannot belong to anyone else.
        if process.pid in _live:
            _signal_group(process.pid, signal.SIGKILL)
            _live.discard(process.pid)
    process.wait()
    end_strays(attempt_id, after=after)


class _Pump:
    """Moves bytes between the program's pipes and memory, and notices when it exits."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", sink: int, stdin: bytes, source: int | None
    ) -> None:
        # Held open to see what nobody read; a program that reads nothing then blocks nothing either.
        self._source = source
        self.stdout = Head(STDOUT_CAP)
        self.stderr = Tail(STDERR_CAP)
        self._process = process
        self._selector = selectors.DefaultSelector()
        self._open: set[int] = set()
        self._input = memoryview(stdin)
        self._exited = False
        self._watch = self._open_watch()
        assert process.stdout is not None  # noqa: S101  # both were asked for as pipes
        assert process.stderr is not None  # noqa: S101
        self._read_from(os.dup(process.stdout.fileno()), self.stdout.feed)
        self._read_from(os.dup(process.stderr.fileno()), self.stderr.feed)
        process.stdout.close()
        process.stderr.close()
        os.set_blocking(sink, False)
        self._sink: int | None = sink
        self._write()
        if self._sink is not None:
            self._selector.register(sink, selectors.EVENT_WRITE, self._write)

    def wait_for_exit(self, deadline: float) -> bool:
        """Serve the pipes until the program has exited (True) or the deadline is past (False)."""
        while not self._has_exited():
            left = deadline - time.monotonic()
            if left <= 0:
                # Nobody may have looked for a while, as when this process was stopped and continued.
                self._step(0)
                return self._has_exited()
            self._step(left if self._watch is not None else min(left, _POLL_S))
        return True

    def drain(self, deadline: float) -> None:
        """Read what is left in the pipes, to their end or until the deadline."""
        while self._open and (left := deadline - time.monotonic()) > 0:
            self._step(left)

    def unread(self) -> int | None:
        """How much of the input is left; None where the reading end is not held."""
        if self._source is None:
            return None
        import fcntl
        import termios

        waiting = fcntl.ioctl(self._source, termios.FIONREAD, bytes(4))
        return len(self._input) + int.from_bytes(waiting, sys.byteorder)

    def close(self) -> None:
        self._close_sink()
        if self._source is not None:
            os.close(self._source)
            self._source = None
        for descriptor in self._open:
            os.close(descriptor)
        self._open.clear()
        if self._watch is not None:
            os.close(self._watch)
            self._watch = None
        self._selector.close()

    def _step(self, timeout: float) -> None:
        for key, _ in self._selector.select(timeout):
            key.data()

    def _open_watch(self) -> int | None:
        try:
            watch = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):
            return None
        self._selector.register(watch, selectors.EVENT_READ, self._note_exit)
        return watch

    def _note_exit(self) -> None:
        self._exited = True
        if self._watch is not None:
            self._selector.unregister(self._watch)

    def _has_exited(self) -> bool:
        """Whether the program has exited; where the system allows it, without reaping it."""
        if self._watch is None and not self._exited:
            if hasattr(os, "waitid"):
                how = os.WEXITED | os.WNOHANG | os.WNOWAIT
                self._exited = os.waitid(os.P_PID, self._process.pid, how) is not None
            else:
                self._exited = self._process.poll() is not None
        return self._exited

    def _read_from(self, descriptor: int, feed: Callable[[bytes], None]) -> None:
        self._open.add(descriptor)
        self._selector.register(descriptor, selectors.EVENT_READ, lambda: self._read(descriptor, feed))

    def _read(self, descriptor: int, feed: Callable[[bytes], None]) -> None:
        if chunk := os.read(descriptor, _CHUNK):
            feed(chunk)
            return
        self._selector.unregister(descriptor)
        self._open.discard(descriptor)
        os.close(descriptor)

    def _write(self) -> None:
        try:
            while self._input and self._sink is not None:
                self._input = self._input[os.write(self._sink, self._input) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            pass  # an agent need not read its input
        self._close_sink()

    def _close_sink(self) -> None:
        if self._sink is None:
            return
        with contextlib.suppress(KeyError):
            self._selector.unregister(self._sink)
        os.close(self._sink)
        self._sink = None
