"""The files a grader finds: what the attempt left, and over it what the suite brings."""

import errno
from collections.abc import Iterable, Mapping
from pathlib import Path

from passfloor.errors import EnvironmentFault
from passfloor.grading import CannotJudge, Evidence
from passfloor.models.content import Content, content_bytes
from passfloor.models.names import folded
from passfloor.workspaces.folder import write_new

MAX_FILES = 20_000
"""Files put out for one grader."""

MAX_BYTES = 64 * 1024 * 1024
"""Bytes put out for one grader."""

_OF_THE_PATH = frozenset({errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ, errno.EISDIR})
_REFUSED_PARTS = frozenset({"", ".", ".."})


def put_captured(folder: Path, evidence: Evidence, own: Iterable[str]) -> None:
    """Write the captured files into an empty folder, but for those that stand where ``own`` paths will.

    Nothing is followed and nothing overwritten: a path names a new file below the folder, or none is written.

    Raises:
        CannotJudge: a file was cut; a path leaves the folder, collides with another or is none on this disk;
            or there is too much.
        EnvironmentFault: the disk is full or failing.
    """
    taken = _taken(own)
    kept = {path: file for path, file in evidence.files.items() if not _in_the_way(path, taken)}
    if len(kept) > MAX_FILES or sum(len(file.data) for file in kept.values()) > MAX_BYTES:
        raise CannotJudge(f"more than {MAX_FILES:,} files or {MAX_BYTES:,} bytes were captured")
    if any(file.cut for file in kept.values()):
        raise CannotJudge("a captured file was cut short")
    for path, file in kept.items():
        _write(folder, path, file.data)


def put_own(folder: Path, files: Mapping[str, Content]) -> None:
    """Write the grader's own files; raises as ``put_captured`` does."""
    for path, content in files.items():
        _write(folder, path, content_bytes(content))


def _taken(own: Iterable[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """The folded paths of the grader's files, and of the folders above them."""
    files = frozenset(map(folded, own))
    above = {"/".join(path.split("/")[:depth]) for path in files for depth in range(1, path.count("/") + 1)}
    return files | above, tuple(f"{path}/" for path in files)


def _in_the_way(path: str, taken: tuple[frozenset[str], tuple[str, ...]]) -> bool:
    """Whether a captured file stands at or above a file of the grader's, or below one."""
    name = folded(path)
    return name in taken[0] or name.startswith(taken[1])


def _write(folder: Path, path: str, content: bytes) -> None:
    parts = path.split("/")
    if _REFUSED_PARTS.intersection(parts) or "\0" in path:
        raise CannotJudge("a path leads out of the folder, or is none")
    target = folder.joinpath(*parts)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_new(target, content)
    except (FileExistsError, NotADirectoryError, UnicodeEncodeError):
        raise CannotJudge("two paths are one file on this disk, or a path is none") from None
    except OSError as error:
        if error.errno in _OF_THE_PATH:
            raise CannotJudge("a path is none on this disk") from None
        raise EnvironmentFault(
            f"a grader's files cannot be written in {folder} ({error.strerror}); free the disk"
        ) from error
