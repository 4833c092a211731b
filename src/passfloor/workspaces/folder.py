"""The folder of one attempt: made new, owned by nobody else, removed afterwards."""

import os
import re
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from passfloor.errors import EnvironmentFault, UsageError
from passfloor.models.names import path_problem
from passfloor.workspaces.removal import remove_tree

_ATTEMPT_ID = re.compile(r"[0-9a-f]{24,}")
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class AttemptFolder:
    """Where one attempt happens. ``path`` is absolute and holds everything below."""

    path: Path

    @cached_property
    def work(self) -> Path:
        """The working directory, with the task's starting files."""
        return self.path / "work"

    @cached_property
    def home(self) -> Path:
        """An empty HOME."""
        return self.path / "home"

    @cached_property
    def tmp(self) -> Path:
        """An empty TMPDIR."""
        return self.path / "tmp"

    @cached_property
    def journal(self) -> Path:
        """The file the agent appends its journal lines to; empty at first."""
        return self.path / "journal.jsonl"

    @cached_property
    def task(self) -> Path:
        """The task as JSON, as far as the agent may know it."""
        return self.path / "task.json"

    def remove(self) -> None:
        """Remove the folder.

        Raises:
            EnvironmentFault: Something in it could not be removed, such as a file of another user.
        """
        try:
            remove_tree(self.path)
        except OSError as error:
            raise EnvironmentFault(
                f"{self.path} could not be removed ({error.strerror}); remove it yourself"
            ) from error


def default_root() -> Path:
    """The real path of the system's folder for temporary files."""
    return Path(tempfile.gettempdir()).resolve()


def folder_path(root: Path, attempt_id: str) -> Path:
    """Where an attempt's folder stands: derived from its id, so that a replay has the same paths.

    Raises:
        ValueError: ``attempt_id`` is not lower-case hex of at least 24 digits.
    """
    if not _ATTEMPT_ID.fullmatch(attempt_id):
        raise ValueError(f"attempt_id {attempt_id!r} is not at least 24 lower-case hex digits")
    return root / f"pf-{attempt_id[:24]}"


def attempt_folder(root: Path, attempt_id: str, files: Mapping[str, bytes]) -> AttemptFolder:
    """Make the folder of an attempt, mode 0700, with its starting files.

    Args:
        root: An existing folder, as its real path.
        attempt_id: Lower-case hex; its first 24 digits name the folder.
        files: Relative POSIX path -> content, written into the working directory.

    Raises:
        EnvironmentFault: The folder exists already, or the disk refuses it.
        UsageError: A path leaves the working directory, or two paths exclude each other on this disk.
    """
    folder = AttemptFolder(folder_path(root, attempt_id))
    try:
        folder.path.mkdir(mode=0o700)
    except FileExistsError:
        raise EnvironmentFault(
            f"{folder.path} exists already, from a run that was killed or is still going; "
            "end that run, remove the folder and start again"
        ) from None
    except OSError as error:
        raise EnvironmentFault(f"{folder.path} cannot be made ({error.strerror})") from error
    try:
        _fill(folder, files)
    except BaseException:
        folder.remove()
        raise
    return folder


def remove_leftover(root: Path, attempt_id: str) -> bool:
    """Remove the folder that a killed run left of this attempt, if there is one.

    Returns:
        Whether there was one.

    Raises:
        EnvironmentFault: What stands there is no folder of this user's, or could not be removed.
    """
    folder = AttemptFolder(folder_path(root, attempt_id))
    try:
        found = folder.path.lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise EnvironmentFault(f"{folder.path} is not a folder of this user; remove it yourself")
    folder.remove()
    return True


def _fill(folder: AttemptFolder, files: Mapping[str, bytes]) -> None:
    try:
        for inside in (folder.work, folder.home, folder.tmp):
            inside.mkdir(mode=0o700)
        write_new(folder.journal, b"")
    except OSError as error:
        raise EnvironmentFault(f"{folder.path} cannot be filled ({error.strerror})") from error
    for path, content in files.items():
        _write_starting_file(folder.work, path, content)


def _write_starting_file(work: Path, path: str, content: bytes) -> None:
    if problem := path_problem(path):
        raise UsageError(f"the starting file {path!r} {problem}")
    target = work / path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_new(target, content)
    except (FileExistsError, NotADirectoryError):
        raise UsageError(
            f"the starting file {path!r} stands in the way of another one of the task; rename it"
        ) from None
    except OSError as error:
        raise EnvironmentFault(
            f"the starting file {path!r} cannot be written in {work} ({error.strerror})"
        ) from error


def read_regular(path: Path, most: int) -> bytes | None:
    """The first ``most`` bytes of a file that an agent could have replaced, never through a link.

    None where no regular file stands there that can be read.
    """
    try:
        # Not blocking: a pipe without a writer may stand there.
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None
        with open(file, "rb", closefd=False) as stream:  # a descriptor, not a path
            return stream.read(most)
    except OSError:
        return None
    finally:
        os.close(file)


def write_new(path: Path, content: bytes) -> None:
    """Write a file that must not exist yet, never through a link.

    Raises:
        OSError: It exists, or cannot be written.
    """
    file = os.open(path, _NEW_FILE, 0o644)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(file, rest) :]
    finally:
        os.close(file)
