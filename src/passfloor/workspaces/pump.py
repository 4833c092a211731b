"""Moves bytes between a program's pipes and memory, and notices when the program exits."""

import contextlib
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable

from passfloor.workspaces.streams import STDERR_CAP, STDOUT_CAP, Head, Tail

_CHUNK = 64 * 1024
# Where the kernel cannot say when a process ends, it is asked so often.
_POLL_S = 0.01


class Pump:
    """Moves bytes between the program's pipes and memory, and notices when it exits.

    Attributes:
        stdout: The start of its standard output so far.
        stderr: The end of its standard error so far.
    """

    def __init__(
        self, process: "subprocess.Popen[bytes]", sink: int, stdin: bytes, source: int | None
    ) -> None:
        """Take over the pipes of a program that was just started.

        Args:
            process: The program; its two outputs are pipes.
            sink: The writing end of the pipe that is its standard input.
            stdin: What it can read before the end of file.
            source: The reading end, where somebody wants to know what it left unread; else None.
        """
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
        """Let go of all that is open."""
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
