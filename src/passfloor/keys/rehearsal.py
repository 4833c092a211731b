"""Trying a key out in a process of its own, which takes the key away with it.

So that a run learns before its first attempt that its key will do, and holds no key while agents run.
"""

import os
import threading
import warnings
from collections.abc import Callable

from passfloor.errors import EnvironmentFault, KeyFileError, PassfloorError, UsageError

_ERRORS = {kind.__name__: kind for kind in (UsageError, KeyFileError, EnvironmentFault)}
_DONE = b"done"


def rehearse(check: Callable[[], object]) -> None:
    """Call ``check`` in a child process; what it raises of the errors below is raised here.

    Where no child can be had (other threads are running, or the system has no fork) it is called here.

    Raises:
        UsageError: As ``check`` does.
        KeyFileError: As ``check`` does.
        EnvironmentFault: As ``check`` does.
    """
    said = _in_a_child(check) if hasattr(os, "fork") and threading.active_count() == 1 else b""
    if said == _DONE:
        return
    name, _, message = said.decode("utf-8", "replace").partition("\0")
    if name in _ERRORS:
        raise _ERRORS[name](message)
    # The child fell silent: whatever is the matter is seen here.
    check()


def _in_a_child(check: Callable[[], object]) -> bytes:
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Threads of libraries that wait for work are no reason not to fork: the child does not use them.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _answer(check, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return said


def _answer(
    check: Callable[[], object], writing: int
) -> None:  # pragma: no cover - in a child that exits at once
    try:
        try:
            check()
            said = _DONE
        except PassfloorError as error:
            said = f"{type(error).__name__}\0{error}".encode("utf-8", "replace")
        os.write(writing, said)
    finally:
        os._exit(0)
