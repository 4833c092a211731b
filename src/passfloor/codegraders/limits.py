"""What a grader may use of the machine."""

import math
import os
from collections.abc import Mapping
from typing import Any

from passfloor.models.assertions import Command, Python
from passfloor.workspaces.folder import AttemptFolder
from passfloor.workspaces.strays import MARKER

TIMEOUT_S = 60
"""Seconds a grader has, by the clock and of processor time, where its assertion names no other."""

FILE_BYTES = 256 * 1024 * 1024
"""The most bytes of a file that it can write."""

OPEN_FILES = 1024
"""The most files that each of its processes can hold open."""

MEMORY_BYTES = 16 * 1024 * 1024 * 1024
"""The most address space of each of its processes. Some runtimes reserve far more than they use."""

_INHERITED = ("PATH", "LANG", "LC_ALL", "TZ")


def seconds(assertion: Command | Python) -> float:
    """How long the grader has."""
    return TIMEOUT_S if assertion.timeout_s is None else float(assertion.timeout_s)


def rlimits(assertion: Command | Python) -> dict[str, Any]:
    """Resource limits by their names in ``resource``; they hold for each process, not for all together."""
    return {
        "RLIMIT_CPU": math.ceil(seconds(assertion)) + 1,
        "RLIMIT_AS": MEMORY_BYTES,
        "RLIMIT_FSIZE": FILE_BYTES,
        "RLIMIT_NOFILE": OPEN_FILES,
        "RLIMIT_CORE": 0,
    }


def environment(folder: AttemptFolder, name: str, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The whole environment of a grader: where programs are and how to speak, and no secret of anybody's."""
    return {
        **{variable: environ[variable] for variable in _INHERITED if variable in environ},
        "HOME": str(folder.home),
        "TMPDIR": str(folder.tmp),
        MARKER: name,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }
