"""The starting files of a task: written out in the suite, or taken from beside it."""

import base64
import binascii
import os
import stat
from itertools import pairwise
from pathlib import Path

from passfloor.models.content import BinaryFile, Content
from passfloor.models.names import folded, path_problem
from passfloor.suites.places import Place, nearest, quoted

MAX_FILE_BYTES = 1024 * 1024
"""The most bytes of one starting file."""

MAX_TASK_BYTES = 8 * 1024 * 1024
"""The most bytes of all starting files of one task."""


def read_files(entries: object, folder: Path | None, place: Place) -> dict[str, Content]:
    """Read the member ``files`` of a task.

    Args:
        entries: Mapping of path -> text, ``{"from": "rel/path"}`` or ``{"base64": ...}``.
        folder: The folder that ``from`` is below; None where there is none.
        place: Where the member stands.

    Returns:
        Path -> content, in the order given. A file that is UTF-8 is text, byte for byte.

    Raises:
        SuiteError: A path or a content is refused, a file cannot be read, or a limit is passed.
    """
    if not isinstance(entries, dict):
        raise place.error(f"{quoted(entries)} is not allowed here: write a mapping of path to content")
    _check_paths(entries, place)
    files: dict[str, Content] = {}
    total = 0
    for path, entry in entries.items():
        files[path], size = _content(entry, folder, place.at(path))
        total += size
        if total > MAX_TASK_BYTES:
            raise place.error(
                f"the files come to more than {MAX_TASK_BYTES:,} bytes; use fewer or smaller ones"
            )
    return files


def _check_paths(entries: dict[object, object], place: Place) -> None:
    seen: dict[str, str] = {}
    for path in entries:
        if not isinstance(path, str):
            raise place.error(f"the path {quoted(path)} is not a text; quote it")
        problem = path_problem(path)
        if problem:
            raise place.error(f"the path {quoted(path)} {problem}")
        other = seen.setdefault(folded(path), path)
        if other != path:
            raise place.error(
                f"the paths {quoted(other)} and {quoted(path)} are one file on some disks; rename one"
            )
    # Sorted by their parts, a file stands right before the first path below it.
    parts = sorted((key.split("/"), path) for key, path in seen.items())
    for (above, path), (below, other) in pairwise(parts):
        if below[: len(above)] == above:
            raise place.error(f"{quoted(path)} is a file and also the folder of {quoted(other)}; rename one")


def _content(entry: object, folder: Path | None, place: Place) -> tuple[Content, int]:
    """The content and its size in bytes."""
    if isinstance(entry, str):
        try:
            data = entry.encode()
        except UnicodeEncodeError:
            raise place.error(
                "the text holds half a surrogate pair; give the bytes as {base64: ...}"
            ) from None
        _check_size(len(data), place)
        return entry, len(data)
    if not isinstance(entry, dict):
        raise place.error(
            f"{quoted(entry)} is not allowed here: write a text, {{from: rel/path}} or {{base64: ...}}"
        )
    for member in entry:
        if member not in ("from", "base64"):
            raise place.error(f"unknown member {quoted(member)}{nearest(member, ('from', 'base64'))}")
    if len(entry) != 1:
        raise place.error("write exactly one of 'from' and 'base64'")
    ((member, value),) = entry.items()
    if not isinstance(value, str):
        raise place.at(member).error(f"{quoted(value)} is not allowed here: write a text")
    if member == "base64":
        data = _decode(value, place.at(member))
        return BinaryFile(base64=value), len(data)
    data = _read_beside(value, folder, place.at(member))
    try:
        return data.decode("utf-8"), len(data)
    except UnicodeDecodeError:
        return BinaryFile(base64=base64.b64encode(data).decode("ascii")), len(data)


def _check_size(size: int, place: Place) -> None:
    if size > MAX_FILE_BYTES:
        raise place.error(f"the file is larger than {MAX_FILE_BYTES:,} bytes; use a smaller one")


def _decode(value: str, place: Place) -> bytes:
    if len(value) > 4 * (MAX_FILE_BYTES // 3 + 1):
        _check_size(MAX_FILE_BYTES + 1, place)
    try:
        data = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        data = None
    # One content, one spelling: the padding bits are zero (RFC 4648 section 3.5).
    if data is None or base64.b64encode(data).decode("ascii") != value:
        raise place.error(f"{quoted(value)} is not base64 as in RFC 4648 section 4 (padded, on one line)")
    _check_size(len(data), place)
    return data


def _read_beside(relative: str, folder: Path | None, place: Place) -> bytes:
    """Read a regular file below the suite's folder, with no link on the way to it."""
    if folder is None:
        raise place.error("a suite without a folder cannot take files from beside it; write the content out")
    problem = path_problem(relative)
    if problem:
        raise place.error(f"the path {quoted(relative)} {problem}")
    path = folder
    try:
        for part in relative.split("/"):
            path = path / part
            status = path.lstat()
            if stat.S_ISLNK(status.st_mode) or _is_junction(status):
                raise place.error(f"{quoted(relative)} leads through a link; put the file itself there")
        if not stat.S_ISREG(status.st_mode):
            raise place.error(f"{quoted(relative)} is not a regular file; name a file")
        return _read_regular(path, status, place)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise place.error(f"{quoted(relative)} cannot be read beside the suite: {reason}") from None


def _is_junction(status: os.stat_result) -> bool:
    """Whether it is a link of the other kind that Windows has."""
    tag = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
    return tag is not None and getattr(status, "st_reparse_tag", None) == tag


def _read_regular(path: Path, seen: os.stat_result, place: Place) -> bytes:
    flags = (
        os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    with os.fdopen(os.open(path, flags), "rb") as handle:
        # What was opened is what was looked at, also where somebody exchanges it meanwhile.
        if not os.path.samestat(os.fstat(handle.fileno()), seen):
            raise place.error("the file was exchanged while it was read; try again")
        data = handle.read(MAX_FILE_BYTES + 1)
    _check_size(len(data), place)
    return data
