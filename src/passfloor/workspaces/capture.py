"""What an attempt left in its working directory, as data."""

import base64
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from passfloor.canonical import sha256_hex
from passfloor.workspaces.streams import whole_end

FILE_CAP = 1024 * 1024
"""Bytes kept of one file."""

ATTEMPT_CAP = 8 * 1024 * 1024
"""Bytes kept of all files of an attempt, in the order of their paths."""

MAX_FILES = 10_000
"""Files kept of an attempt."""

MAX_FOLDERS_DEEP = 64
"""Folders inside one another that are looked into."""

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Not blocking: a pipe without a writer may stand there by now.
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass
class CapturedFiles:
    """The files of a working directory.

    Attributes:
        entries: Relative POSIX path -> ``{sha256, size}`` of what is kept, exactly one of ``text`` (it is
            UTF-8) or ``base64``, and ``cut`` (bytes left out) where a cap was passed; ascending by path.
        fault: Why they are not all that was left, naming the first path concerned; None where they are.
    """

    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    fault: str | None = None


def capture_files(work: Path, *, max_files: int = MAX_FILES) -> CapturedFiles:
    """Read every regular file under ``work``, following no link.

    Links, special files, names that are not UTF-8, what cannot be read, and files past ``max_files`` or
    deeper than ``MAX_FOLDERS_DEEP`` folders are left out and make a fault.
    """
    walk = _Walk(max_files)
    try:
        folder = os.open(work, _OPEN_FOLDER)
    except OSError:
        walk.found.fault = "the working directory was removed or replaced"
        return walk.found
    try:
        walk.folder(folder, "", 0)
    finally:
        os.close(folder)
    return walk.found


class _Walk:
    def __init__(self, max_files: int) -> None:
        self.found = CapturedFiles()
        self._max_files = max_files
        self._room = ATTEMPT_CAP

    def folder(self, folder: int, prefix: str, depth: int) -> None:
        try:
            with os.scandir(folder) as entries:
                listing = sorted(entries, key=_path_order)
        except OSError as error:
            self._fault(prefix, f"cannot be listed ({error.strerror})")
            return
        for entry in listing:
            if len(self.found.entries) >= self._max_files:
                self._fault(prefix + entry.name, f"is one file too many (at most {self._max_files} are kept)")
                return
            self._entry(folder, entry, prefix, depth)

    def _entry(self, folder: int, entry: "os.DirEntry[str]", prefix: str, depth: int) -> None:
        path = prefix + entry.name
        try:
            # Whatever the encoding of this system's file names is, a sealed path is UTF-8.
            name = os.fsencode(entry.name).decode()
        except UnicodeDecodeError:
            self._fault(path, "has a name that is not UTF-8")
            return
        path = prefix + name
        try:
            if entry.is_dir(follow_symlinks=False):
                self._inner(folder, entry.name, path, depth)
            elif entry.is_file(follow_symlinks=False):
                self._file(folder, entry.name, path)
            else:
                self._fault(path, "is a symbolic link" if entry.is_symlink() else "is a special file")
        except OSError as error:
            self._fault(path, f"cannot be read ({error.strerror})")

    def _inner(self, folder: int, name: str, path: str, depth: int) -> None:
        if depth == MAX_FOLDERS_DEEP:
            self._fault(path, f"lies deeper than {MAX_FOLDERS_DEEP} folders")
            return
        inner = os.open(name, _OPEN_FOLDER, dir_fd=folder)
        try:
            self.folder(inner, f"{path}/", depth + 1)
        finally:
            os.close(inner)

    def _file(self, folder: int, name: str, path: str) -> None:
        limit = min(FILE_CAP, self._room)
        opened = os.open(name, _OPEN_FILE, dir_fd=folder)
        # Asked of what was opened: something else may stand there by now.
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            os.close(opened)
            self._fault(path, "is a special file")
            return
        size = status.st_size
        with open(opened, "rb") as file:  # noqa: PTH123  # a descriptor, not a path
            kept = file.read(limit)
        if size > len(kept):
            kept = whole_end(kept)
        self._room -= len(kept)
        self.found.entries[path] = _as_entry(kept, max(0, size - len(kept)))

    def _fault(self, path: str, problem: str) -> None:
        if self.found.fault is None:
            self.found.fault = f"{show(path)} {problem}"


def _path_order(entry: "os.DirEntry[str]") -> bytes:
    """Sorts the entries of each folder so that whole paths come out in ascending order."""
    name = os.fsencode(entry.name)
    return name + b"/" if entry.is_dir(follow_symlinks=False) else name


def _as_entry(kept: bytes, cut: int) -> dict[str, Any]:
    entry: dict[str, Any] = {"sha256": sha256_hex(kept), "size": len(kept)}
    try:
        entry["text"] = kept.decode()
    except UnicodeDecodeError:
        entry["base64"] = base64.b64encode(kept).decode()
    if cut:
        entry["cut"] = cut
    return entry


def show(text: str) -> str:
    """Quote what an agent chose for a message of ours: printable ASCII, at most 100 characters."""
    quoted = ascii(text)
    return quoted if len(quoted) <= 100 else f"{quoted[:96]}...'"
