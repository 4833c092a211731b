"""Find and end the processes of an attempt that left its process group."""

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterable
from pathlib import Path

MARKER = "PASSFLOOR_ATTEMPT_ID"
"""The environment variable by which a process is known to belong to an attempt."""

_PROC = Path("/proc")
# Up to so many numbers are tried one by one, which is cheaper than listing every process of the machine.
_FEW = 512


def end_strays(attempt_id: str, *, after: int | None = None, patience_s: float = 2.0) -> bool:
    """End every process of this machine that carries ``attempt_id`` in its environment.

    A descendant that made a session of its own (``setsid``, a daemon) is found this way where ``/proc``
    exists. Not found: one that also dropped the variable from its environment, one of another user, one that
    a service started on its behalf (a container, ``at``), and any on a system without ``/proc``.

    Args:
        attempt_id: The value of ``PASSFLOOR_ATTEMPT_ID``.
        after: The number of a process that is known to be older than all sought; it makes the search short
            where few processes were started since. None searches all.
        patience_s: Seconds to go on where new ones keep appearing.

    Returns:
        Whether none was left at the end, as far as could be seen.
    """
    marker = f"\0{MARKER}={attempt_id}\0".encode()
    deadline = time.monotonic() + patience_s
    while found := [pid for pid in _candidates(after) if _carries(pid, marker)]:
        for pid in found:
            _end(pid, marker)
        if time.monotonic() > deadline:
            return False
    return True


def left_behind(group: int, attempt_id: str) -> int | None:
    """How many processes of an attempt still run, its group's leader apart; None where that cannot be seen.

    Looks at every process of the machine, unlike what ends them.

    Args:
        group: The number of the process group; its leader has the same.
        attempt_id: The value of ``PASSFLOOR_ATTEMPT_ID``.
    """
    if not (_PROC / "self" / "stat").exists():
        return None
    marker = f"\0{MARKER}={attempt_id}\0".encode()
    others = [pid for pid in _candidates(None) if pid != group]
    return sum(_runs_in(pid, group) or _carries(pid, marker) for pid in others)


def _runs_in(pid: int, group: int) -> bool:
    try:
        # State, parent and group follow the name, which stands in parentheses and may hold any (proc(5)).
        state, _, number = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[:3]
    except (OSError, ValueError):
        return False
    return state != b"Z" and int(number) == group


def _candidates(after: int | None) -> Iterable[int]:
    if after is not None and (newest := _newest()) is not None and 0 <= newest - after <= _FEW:
        return range(after + 1, newest + 1)
    try:
        return sorted(int(entry.name) for entry in os.scandir(_PROC) if entry.name.isdigit())
    except OSError:
        return ()


def _newest() -> int | None:
    """The number given to a process or thread last (the fifth field of ``/proc/loadavg``, proc(5))."""
    try:
        return int((_PROC / "loadavg").read_bytes().split()[4]) or None
    except (OSError, ValueError, IndexError):
        return None


def _carries(pid: int, marker: bytes) -> bool:
    if pid == os.getpid():
        return False
    try:
        file = os.open(f"/proc/{pid}/environ", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        with open(file, "rb", buffering=0) as environ:  # noqa: PTH123  # a descriptor, not a path
            return marker in b"\0" + environ.read()
    except OSError:
        return False


def _end(pid: int, marker: bytes) -> None:
    with contextlib.suppress(OSError):
        handle = os.pidfd_open(pid)
        try:
            # Asked again: the number may have passed to another process before the handle was opened.
            if _carries(pid, marker):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                waiting = select.poll()
                waiting.register(handle, select.POLLIN)
                waiting.poll(100)
        finally:
            os.close(handle)
