"""Runs the packaged scripted agent as a real process in a real workspace."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import passfloor
from passfloor.adapters.process import ProcessAdapter
from passfloor.adapters.words import file_sha256

REFERENCE_PROGRAM = "passfloor-reference"
"""The word by which a command means the packaged agent."""

_SCRIPT = Path(passfloor.__file__).resolve().parent / "agents" / "reference.py"
# Isolated (-I): neither the working directory nor the user's packages can replace what it imports. Imported,
# and not run as a script, so that its compiled form is used again, which saves a third of its start.
_INVOCATION = (
    sys.executable,
    "-I",
    "-c",
    "from passfloor.agents.reference import main; raise SystemExit(main())",
)


class _ReferenceAdapter(ProcessAdapter):
    """Names the agent by its own file: which Python runs it makes it no other agent."""

    def identity_argv(self) -> list[Any]:
        words = self._words.named()[len(_INVOCATION) :]
        return [{"file": REFERENCE_PROGRAM, "sha256": file_sha256(_SCRIPT)}, *words]


def reference_adapter(words: Sequence[str] = (), **kwargs: Any) -> ProcessAdapter:
    """The adapter for the packaged agent.

    Args:
        words: What follows its name on the command line.
        **kwargs: As ``ProcessAdapter`` takes them, the key apart.

    Raises:
        UsageError: As ``ProcessAdapter`` does.
    """
    return _ReferenceAdapter([*_INVOCATION, *words], key="reference", **kwargs)
