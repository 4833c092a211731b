"""Run a program in a process group of its own, for a bounded time, and leave none of the group behind."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from passfloor.workspaces.pump import Pump
from passfloor.workspaces.strays import end_strays, left_behind
from passfloor.workspaces.streams import StreamText

GRACE_S = 1.0
"""Seconds between TERM and KILL for a program that ran out of time."""

DRAIN_S = 0.5
"""Longest wait for the end of a stream that something out of reach still holds open."""

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
) -> tuple["subprocess.Popen[bytes]", "Pump"]:
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
        return process, Pump(process, sink, stdin, source if watch else None)
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
