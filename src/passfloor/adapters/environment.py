"""The environment of an agent: a short list of variables, and nothing else of ours."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from passfloor.adapters.interface import AttemptSpec
from passfloor.errors import UsageError
from passfloor.models.suite import Task
from passfloor.workspaces.folder import AttemptFolder
from passfloor.workspaces.strays import MARKER

if TYPE_CHECKING:
    from passfloor.recording.attempts import AttemptRecording

INHERITED = ("PATH", "LANG", "LC_ALL", "TZ")
"""Variables that every agent gets where they are set."""

FRESH = ("HOME", "TMPDIR")
"""Variables that name a fresh folder in every attempt."""

_OWN = "PASSFLOOR_"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_names(names: Sequence[str]) -> None:
    """Refuse variables that cannot be let through to an agent.

    Raises:
        UsageError: Not a variable's name; fresh in every attempt; or one of passfloor's own, among them the
            signing key and its password.
    """
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} is not the name of an environment variable; set it and give its name alone"
            )
        if name in FRESH:
            raise UsageError(f"{name} is fresh in every attempt and cannot be let through; leave it out")
        if name.startswith(_OWN):
            raise UsageError(f"{name} is never let through to an agent, like all of {_OWN}*; leave it out")


def passed_on(names: Sequence[str], environ: Mapping[str, str]) -> dict[str, str]:
    """The inherited and the named variables, as far as they are set."""
    return {name: environ[name] for name in (*INHERITED, *names) if name in environ}


def agent_environment(
    passed: Mapping[str, str],
    task: Task,
    attempt: AttemptSpec,
    folder: AttemptFolder,
    recorder: "AttemptRecording | None" = None,
) -> dict[str, str]:
    """The whole environment of one attempt; ``recorder`` says where its model calls go."""
    return {
        **passed,
        **({} if recorder is None else recorder.variables_beside(passed)),
        "HOME": str(folder.home),
        "TMPDIR": str(folder.tmp),
        MARKER: attempt.attempt_id,
        "PASSFLOOR_ATTEMPT_SEED": str(attempt.attempt_seed),
        "PASSFLOOR_JOURNAL": str(folder.journal),
        "PASSFLOOR_SEED": str(attempt.seed),
        "PASSFLOOR_TASK": str(folder.task),
        "PASSFLOOR_TASK_ID": task.id,
    }
