"""A suite by whatever the user calls it: a built-in name, a file or a folder."""

import os
from pathlib import Path

from passfloor.errors import SuiteError
from passfloor.models.suite import Suite
from passfloor.suites.catalogue import builtin_folder, builtin_names
from passfloor.suites.folders import load_path
from passfloor.suites.places import nearest, quoted
from passfloor.suites.reader import require_assertions


def load_suite(source: str | Path, *, completion_only: bool = False) -> Suite:
    """Load a suite.

    Args:
        source: A built-in name (wins over a file of that name; write ``./name`` for the file), or the path of
            a file or folder. A ``Path`` is never a name.
        completion_only: Accept tasks without assertions.

    Returns:
        The suite, whole and checked.

    Raises:
        SuiteError: There is nothing of that name (the message lists the built-in ones, the nearest first), it
            cannot be read, it is not a suite, or a task has no assertions.
    """
    names = builtin_names() if isinstance(source, str) else []
    if source in names:
        suite = load_path(builtin_folder(str(source)))
    elif not str(source) or "\0" in str(source) or not os.path.lexists(source):
        raise _unknown(str(source))
    else:
        suite = load_path(Path(source))
    if not completion_only:
        require_assertions(suite)
    return suite


def _unknown(source: str) -> SuiteError:
    names = builtin_names()
    near = nearest(source, names)
    known = "" if near.startswith(" (known") else f" (known: {', '.join(names)})"
    return SuiteError(
        f"no suite {quoted(source, 200)}: neither a built-in name{near}{known} nor a file or folder here"
    )
