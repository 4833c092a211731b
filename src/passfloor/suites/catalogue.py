"""The suites that come with the program."""

from pathlib import Path

from passfloor.errors import UsageError
from passfloor.models.suite import Suite
from passfloor.suites.folders import DOCUMENTS, load_path
from passfloor.suites.places import nearest, quoted


def _home() -> Path | None:
    """The folder of built-in suites: inside the installed package, or ``suites`` of a source checkout."""
    here = Path(__file__).resolve().parent
    checkout = here.parents[2]
    for home in (here / "builtin", checkout / "suites"):
        if home.is_dir() and (home.parent == here or (checkout / "pyproject.toml").is_file()):
            return home
    return None


def builtin_names() -> list[str]:
    """The names of the built-in suites, sorted. A name is also the suite's version."""
    home = _home()
    if home is None:
        return []
    return sorted(
        folder.name for folder in home.iterdir() if any((folder / name).is_file() for name in DOCUMENTS)
    )


def builtin_folder(name: str) -> Path:
    """The folder of a built-in suite.

    Raises:
        UsageError: There is no suite of that name; the message lists those there are.
    """
    home = _home()
    names = builtin_names()
    if home is None or name not in names:
        raise UsageError(f"no built-in suite is called {quoted(name)}{nearest(name, names)}")
    return home / name


def builtin(version: str) -> Suite | None:
    """Load the built-in suite of that version; None where there is none."""
    return load_path(builtin_folder(version)) if version in builtin_names() else None


def builtin_matching(version: str, suite_hash: str) -> Suite | None:
    """Find the built-in suite of that version, else the one of that hash (hex); None without either."""
    named = builtin(version)
    if named is not None:
        return named
    suites = (load_path(builtin_folder(name)) for name in builtin_names())
    return next((suite for suite in suites if suite.suite_hash == suite_hash), None)


def build_golden_suite_v1() -> Suite:
    """Load ``golden-v1``: everyday jobs on small files."""
    return load_path(builtin_folder("golden-v1"))


def build_answers_suite_v1() -> Suite:
    """Load ``answers-v1``: questions with one answer."""
    return load_path(builtin_folder("answers-v1"))
