"""Agents that are declared in passfloor.toml: which one a name means, and of which kind it is."""

import difflib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.config import Agent as DeclaredAgent
    from passfloor.config import Profile


def kind_of(agent: "DeclaredAgent") -> str:
    """``command``, ``function``, ``url`` or ``model``."""
    return next(name for name in ("command", "function", "url", "model") if getattr(agent, name) is not None)


def profile_of(name: str) -> "Profile | None":
    """The agent of the settings by that name; None where there is none, so that it is a command.

    Raises:
        UsageError: the settings are malformed; or it is neither, and an agent has nearly this name.
    """
    from passfloor.config import load_profiles

    profiles = load_profiles(Path.cwd())
    if name in profiles:
        return profiles[name]
    if len(name.split()) == 1 and not _is_program(name):
        near = difflib.get_close_matches(name[:200], profiles, n=1)
        if near:
            raise UsageError(
                f"--agent {name!a} is no program and no agent of the settings; did you mean {near[0]!a}?"
            )
    return None


def _is_program(word: str) -> bool:
    from passfloor.adapters.reference import REFERENCE_PROGRAM

    return word == REFERENCE_PROGRAM or shutil.which(word) is not None or os.path.exists(word)  # noqa: PTH110
