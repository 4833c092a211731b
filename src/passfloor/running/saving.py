"""Putting a sealed receipt into its place: whole or not at all, and never over what somebody else put."""

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from passfloor.errors import EnvironmentFault
from passfloor.receipts import write


def save(document: Mapping[str, Any], path: Path, *, replace: bool, run: str) -> Path:
    """Write a receipt as a file; see ``place``.

    Args:
        document: The receipt.
        path: Its place.
        replace: Replace a file that stands there.
        run: The run's id.

    Raises:
        EnvironmentFault: As ``place`` does.
        JsonError: It has no JSON form; nothing is written.
    """
    return place(write(document), path, replace=replace, run=run)


def save_bytes(content: bytes, path: Path, *, replace: bool) -> None:
    """Write a small file whole or not at all, and only where nothing stands unless ``replace``.

    Raises:
        EnvironmentFault: The place is taken, or cannot be written to.
    """
    with _drafted([content], path, replace=replace) as (draft, target):
        if replace:
            draft.replace(target)
        else:
            _link(draft, path)


def place(content: Iterable[bytes], path: Path, *, replace: bool, run: str) -> Path:
    """Write a file whole or not at all: under a name of its own, synced, then put in its place.

    Args:
        content: In pieces.
        path: Its place. With ``replace`` a link is followed and stays; without, it counts as standing there.
        replace: Replace a file that stands there. Where False and something does, the file is kept beside
            it as ``<stem>-<run><suffix>``.
        run: The run's id.

    Returns:
        Where the receipt stands: ``path``, or the name beside it.

    Raises:
        EnvironmentFault: the folder cannot be written to, the disk is full, both names are taken, or what is
            to be replaced is not a regular file.
    """
    with _drafted(content, path, replace=replace) as (draft, target):
        if replace:
            draft.replace(target)
            return path
        return _put(draft, path, run)


@contextlib.contextmanager
def _drafted(content: Iterable[bytes], path: Path, *, replace: bool) -> Iterator[tuple[Path, Path]]:
    """Write a draft of a file, and give it and the place it is to take; what the disk refuses is a fault."""
    target = Path(os.path.realpath(path)) if replace else path
    # Of a length of its own: what was a valid name must not become too long at the very end of a run.
    draft = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        if replace:
            _require_regular(target)
        with draft.open("xb") as stream:
            stream.writelines(content)
            stream.flush()
            os.fsync(stream.fileno())
        yield draft, target
    except OSError as error:
        raise EnvironmentFault(
            f"cannot write {str(path)!a}: {error.strerror}; choose another --out"
        ) from error
    finally:
        # Gone after the renaming; left by a full disk, by a signal, or as the second name of what was linked.
        draft.unlink(missing_ok=True)


def _require_regular(target: Path) -> None:
    """Refuse a device, FIFO, socket or folder: renaming onto one would take its place."""
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "not a regular file")


def _put(temporary: Path, path: Path, run: str) -> Path:
    """Give a written file its name, or the one beside where that is taken; nothing is ever replaced."""
    try:
        _link(temporary, path)
    except FileExistsError:
        beside = path.with_name(f"{path.stem}-{run}{path.suffix}")
        _link(temporary, beside)
        return beside
    return path


def _link(temporary: Path, place: Path) -> None:
    try:
        os.link(temporary, place)
    except FileExistsError:
        raise
    except OSError:
        # Not every file system has hard links, and each says so with an error of its own.
        _copy(temporary, place)


def _copy(temporary: Path, place: Path) -> None:
    with temporary.open("rb") as source, place.open("xb") as stream:
        try:
            shutil.copyfileobj(source, stream)
            stream.flush()
            os.fsync(stream.fileno())
        except BaseException:
            place.unlink(missing_ok=True)
            raise
