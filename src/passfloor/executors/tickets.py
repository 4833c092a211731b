"""On a worker: what makes sure that a call begins in the one process it was sent to, and there once.

A scheduler may run again what a dead worker had begun. Here a call names the process it is for: any other
process, and the same one a second time, refuses it.
"""

import os
import secrets
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TOPIC = "passfloor"
"""Where workers say, through the scheduler, what begins."""

PROCESS = secrets.token_hex(16)
"""This process's own name; no other process, before or after it at the same address, has it."""

HELD = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
"""Signals that are held back from a worker until it says who it is."""

REFUSED = "refused"
"""What comes back for a call that did not begin."""

_begun: set[str] = set()
_lock = threading.Lock()


@dataclass(frozen=True)
class Ticket:
    """Lets a call begin.

    Attributes:
        key: The call's name, never shared by two calls.
        process: ``PROCESS`` of the worker it is for.
    """

    key: str
    process: str


def identify(private: bool) -> tuple[str, int]:
    """The name and the number of the process this runs in.

    Args:
        private: It belongs to a run of this machine, which alone decides what a Ctrl-C ends: the signals that
            a terminal sends to all at once change nothing here. What is started here has them as usual.
    """
    if private and threading.current_thread() is threading.main_thread():
        for number in HELD:
            if number != signal.SIGTERM:
                # Not SIG_IGN, which programs started from here would inherit.
                signal.signal(number, lambda _number, _frame: None)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD)
    return PROCESS, os.getpid()


def begin(ticket: Ticket, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call ``function`` where the ticket is good, and say so before anything of it happens.

    Returns:
        What it returned; ``REFUSED`` where the ticket is another process's, or was used.

    Raises:
        Exception: What it raised; or nothing could be said, and nothing has begun.
    """
    if ticket.process != PROCESS:
        return REFUSED
    with _lock:
        if ticket.key in _begun:
            return REFUSED
        _begun.add(ticket.key)
    _announce(ticket.key)
    # For the programs that are started from this thread.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD)
    return function(*args)


def _announce(key: str) -> None:
    """Have the scheduler know that the call begins; it tells whoever sent the call, in order."""
    from distributed import get_worker
    from distributed.utils import sync

    worker = get_worker()
    sync(worker.loop, worker.scheduler.log_event, topic=TOPIC, msg={"key": key})
