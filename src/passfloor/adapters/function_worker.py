"""The process that starts the attempts of a callable agent, one after the other, each in a fork of its own.

It never runs the agent's code itself and keeps nothing from one attempt to the next: each fork imports the
agent's module anew, so that an attempt finds what it would find in an interpreter just started. It imports
the standard library, ``function_call`` and ``function_values`` alone.

A request is a 4-byte length and a JSON object, with a descriptor for what the callable prints; the reply is
the 4-byte number of the attempt's process, at its start, and at its end a message framed like the request.
"""

import contextlib
import gc
import importlib
import json
import math
import os
import random  # noqa: F401  # imported for the forks; it seeds itself anew in each (os.register_at_fork)
import select
import signal
import socket
import struct
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from passfloor.adapters.function_call import be_the_attempt, prctl
from passfloor.adapters.function_values import FunctionTask

LENGTH = struct.Struct("!I")
"""What stands before each message."""

_GRACE_S = 1.0
_PATIENCE_S = 2.0
# Where the kernel cannot say when a process ends, it is asked so often.
_POLL_S = 0.005
# poll(2) takes milliseconds in 31 bits.
_LONGEST_S = 1_000_000.0
# prctl(2), Linux.
_PR_SET_CHILD_SUBREAPER = 36


def main(control: int, paths: list[str], start_folder: str) -> None:
    """Serve requests until the other side closes.

    Args:
        control: Descriptor of the socket.
        paths: ``sys.path`` of whoever started this process.
        start_folder: Where the agent's module is looked for first.
    """
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    # What exists now stays for good: a collection in a fork need not touch, and so copy, its pages.
    gc.freeze()
    own = os.getpid()
    with socket.socket(fileno=control) as peer:
        while (received := _receive(peer)) is not None:
            request, prints = received
            if request["awaits"]:
                # Once for all forks to come; not for those that do not need it, since it makes each dearer.
                importlib.import_module("asyncio")
            # What can be done before is: a fork copies each page that it touches.
            task = FunctionTask.of(json.loads(request["document"]))
            _set_environment(request["env"])
            try:
                child = os.fork()  # this process has one thread
            except OSError as error:
                os.close(prints)
                peer.sendall(LENGTH.pack(0))
                _send(peer, {"fault": error.strerror})
                continue
            if child == 0:
                peer.close()
                be_the_attempt(request, task, prints, [start_folder, *paths], parent=own)
            os.close(prints)
            peer.sendall(LENGTH.pack(child))
            reply = _attend(child, request["timeout_s"], peer)
            if reply is None:
                return
            _send(peer, reply)


def _receive(peer: socket.socket) -> tuple[dict[str, Any], int] | None:
    """The next request and its descriptor, None at the end."""
    head, descriptors, _, _ = socket.recv_fds(peer, LENGTH.size, 1)
    if len(head) < LENGTH.size or not descriptors:
        return None
    body = b""
    (size,) = LENGTH.unpack(head)
    while len(body) < size:
        chunk = peer.recv(size - len(body))
        if not chunk:
            return None
        body += chunk
    return json.loads(body), descriptors[0]


def _send(peer: socket.socket, reply: Mapping[str, Any]) -> None:
    body = json.dumps(reply).encode()
    peer.sendall(LENGTH.pack(len(body)) + body)


class _Child:
    """A forked attempt, not reaped before ``reap`` where the system allows it.

    Until then the number of its group cannot belong to anyone else.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None
        try:
            self.watch: int | None = os.pidfd_open(pid)
        except (AttributeError, OSError):
            self.watch = None

    def exited(self) -> bool:
        if hasattr(os, "waitid"):
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is not None

    def reap(self) -> int:
        """Wait for it; its exit status, or minus the number of the signal that ended it."""
        if self.watch is not None:
            os.close(self.watch)
        if self._status is None:
            _, self._status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(self._status)


def _attend(pid: int, timeout_s: float, peer: socket.socket) -> dict[str, Any] | None:
    """Wait for the attempt; end it, when its time is up or nobody waits any more, and all it started.

    Returns:
        ``{timed_out, exit_code or null, signal or null}``; None where nobody waits.
    """
    child = _Child(pid)
    in_time = _wait(child, timeout_s, peer)
    wanted = in_time
    if in_time is False:
        _signal_group(pid, signal.SIGTERM)
        wanted = _wait(child, _GRACE_S, peer)
    _signal_group(pid, signal.SIGKILL)
    if not child.exited():
        # It may not lead its group yet.
        os.kill(pid, signal.SIGKILL)
    code = child.reap()
    _end_adopted()
    if wanted is None:
        return None
    return {
        "timed_out": not in_time,
        "exit_code": code if in_time and code >= 0 else None,
        "signal": -code if in_time and code < 0 else None,
    }


def _wait(child: _Child, timeout_s: float, peer: socket.socket) -> bool | None:
    """Whether the attempt ended in time; None once the peer has closed."""
    deadline = time.monotonic() + timeout_s
    poll = select.poll()
    poll.register(peer, select.POLLIN)
    if child.watch is not None:
        poll.register(child.watch, select.POLLIN)
    longest = _POLL_S if child.watch is None else _LONGEST_S
    while not child.exited():
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        ready = poll.poll(math.ceil(min(left, longest) * 1000))
        # Nothing is sent during an attempt: what can be read is the end.
        if any(descriptor == peer.fileno() for descriptor, _ in ready):
            return None
    return True


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _end_adopted() -> None:
    """End the descendants that left the attempt's group: the kernel made them children of this process."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        for pid in _children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.001)


def _children() -> list[int]:
    """The children of this process, by the fourth field of ``/proc/<pid>/stat`` (proc(5))."""
    found = []
    own = str(os.getpid()).encode()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            # The second field, a name in parentheses, may hold anything.
            if stat.read_bytes().rpartition(b")")[2].split()[1] == own:
                found.append(int(stat.parent.name))
    return found


def _set_environment(wanted: Mapping[str, str]) -> None:
    for name in [name for name in os.environ if name not in wanted]:
        del os.environ[name]
    os.environ.update({name: value for name, value in wanted.items() if os.environ.get(name) != value})
