"""Where the local identity lives, and where it must never live."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from passfloor.errors import UsageError

HOME_VARIABLE = "PASSFLOOR_HOME"


def user_home(env: Mapping[str, str]) -> Path | None:
    """Return the user's home folder by HOME, or None where it is unset, empty or not absolute."""
    path = Path(env.get("HOME", ""))
    return path if path.is_absolute() else None


def home(env: Mapping[str, str]) -> Path | None:
    """Return the folder of the local identity; nothing is read or made.

    Args:
        env: the environment. ``PASSFLOOR_HOME`` wins, then ``XDG_CONFIG_HOME/passfloor`` (ignored unless
            absolute, as the XDG base directory specification asks), then ``~/.config/passfloor``.

    Returns:
        An absolute path, or None where none of the three is set: there is no local identity then.
    """
    if own := env.get(HOME_VARIABLE):
        return Path(own).absolute()
    config = Path(env.get("XDG_CONFIG_HOME", ""))
    if config.is_absolute():
        return config / "passfloor"
    folder = user_home(env)
    return folder / ".config" / "passfloor" if folder else None


def require_home(folder: Path | None) -> Path:
    """Return the folder, for a caller about to write there.

    Raises:
        UsageError: there is no such folder.
    """
    if folder is None:
        raise UsageError(
            f"no place for a signing key: HOME is not set; set {HOME_VARIABLE} to a folder of yours"
        )
    return folder


def check_location(
    home: Path | None, start_folder: Path, forbidden: Iterable[Path], user_home: Path | None
) -> None:
    """Refuse a home of keys that an agent is handed, or that a commit would publish.

    Args:
        home: the folder of the local identity; it need not exist.
        start_folder: where the command was started.
        forbidden: the runs folder and the folders of attempts.
        user_home: the user's home folder; people keep their settings in git there, so a work tree rooted at
            it does not count.

    Raises:
        UsageError: the home lies in a forbidden folder, or in a git work tree that holds the start folder; or
            there is no home at all.
    """
    place = _real(require_home(home))
    for folder in forbidden:
        if place.is_relative_to(_real(folder)):
            raise _misplaced(place, f"inside {folder}, which agents write to")
    settings_root = _real(user_home) if user_home else None
    for root in _work_trees(_real(start_folder)):
        if root != settings_root and place.is_relative_to(root):
            raise _misplaced(place, f"inside the git work tree {root}")


def _real(path: Path) -> Path:
    # Unlike Path.resolve, this does not raise on a loop of links.
    return Path(os.path.realpath(path))


def _work_trees(folder: Path) -> Iterator[Path]:
    # A submodule and a linked work tree have a .git file, and the tree around a submodule counts too.
    return (root for root in (folder, *folder.parents) if os.path.lexists(root / ".git"))


def _misplaced(place: Path, where: str) -> UsageError:
    return UsageError(f"signing keys must not live in {place}: it is {where}; set {HOME_VARIABLE} elsewhere")
