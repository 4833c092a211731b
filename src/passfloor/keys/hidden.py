"""The secrets of the environment, taken out of the environment before any agent runs.

What stands in the environment of a process can be read by every process of the same user, for as long as it
lives: ``/proc/PID/environ`` shows the block that the kernel laid down when the process was started, whatever
was unset since. So the values are taken over, written over where they stood, and unset; and the kernel is
told to let no other process look into this one's memory.
"""

import os

from passfloor.signing.names import PASSWORD_VARIABLE

KEY_VARIABLE = "PASSFLOOR_SIGNING_KEY"
KEY_FILE_VARIABLE = "PASSFLOOR_SIGNING_KEY_FILE"

SECRETS = (KEY_VARIABLE, PASSWORD_VARIABLE)
"""The variables whose values are secrets."""

_PR_SET_DUMPABLE = 4

# One process has one environment, and what was taken out of it must still be found.
_taken: dict[str, str] = {}


def hide() -> None:
    """Take the secrets out of this process's environment; ``environ`` still has them.

    To be called before anything else is started. Children no longer inherit them.
    """
    found = [name for name in SECRETS if name in os.environ]
    for name in found:
        _taken[name] = os.environ[name]
        _overwrite(name)
        del os.environ[name]
    if found:
        _close_memory()


def environ() -> dict[str, str]:
    """The environment as this process was given it, with the secrets."""
    return {**os.environ, **_taken}


def _overwrite(name: str) -> None:
    """Fill the value with zero bytes where the C library has it, which is where the kernel put it."""
    if os.name != "posix":
        return
    import ctypes

    library = ctypes.CDLL(None)
    library.getenv.restype = ctypes.c_void_p
    if (address := library.getenv(os.fsencode(name))) is not None:
        ctypes.memset(address, 0, len(ctypes.string_at(address)))


def _close_memory() -> None:
    """Linux: no process without the right to trace others reads the memory or descriptors of this one."""
    import sys

    if sys.platform == "linux":
        import ctypes

        # A kernel that refuses leaves things as they are everywhere else.
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
