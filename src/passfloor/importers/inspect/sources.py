"""One Inspect log, of either form: its header, and its samples as often as they are asked for."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.importers import archives, files
from passfloor.importers.archives import Member
from passfloor.importers.fields import parsed
from passfloor.importers.inspect.samples import Sample, reduced, sample
from passfloor.importers.streams import Cursor

_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_JOURNAL = re.compile(r"_journal/summaries/([0-9]{1,9})\.json", re.ASCII)
_WHOLE = re.compile(r"samples/.+_epoch_[0-9]{1,9}(?:\.json|/sample\.json)", re.ASCII | re.DOTALL)

NEWEST = 3
"""The newest version of the log format that is known here."""


class ZipLog:
    """An ``.eval`` archive.

    Summaries suffice and samples are not opened, but for two cases: the log is marked as invalidated, which
    only its samples say of each other; or it holds no summaries at all.
    """

    def __init__(self, path: Path) -> None:
        """Open the log.

        Raises:
            ImportRefused: it is no Inspect log, or holds no sample.
        """
        self.path = path
        self.name = path.name
        known = archives.members(path, _is_read)
        self.killed = _HEADER not in known
        first = known.get(_HEADER) or known.get(_START)
        if first is None:
            raise ImportRefused(
                f"{files.shown(path)} is a zip archive without header.json and _journal/start.json: "
                "no Inspect log"
            )
        self.header = _header(parsed(archives.read(path, first), f"{self.name}: {first.name}"), self.name)
        journal = [member for name, member in known.items() if _JOURNAL.fullmatch(name)]
        journal.sort(key=lambda member: _number(member.name))
        self.journaled = _SUMMARIES not in known
        self._summaries = journal if self.journaled else [known[_SUMMARIES]]

    @property
    def invalidated(self) -> bool:
        """Somebody marked samples of it as not valid."""
        return self.header.get("invalidated") is True

    def samples(self) -> Iterator[Sample]:
        """All samples; where a journal has two entries of one, its later one."""
        if not self._summaries:
            yield from self._opened()
            return
        last = self._last if self.journaled else None
        for position, found in enumerate(self._entries()):
            if last is None or last[found.id, found.epoch] == position:
                yield self._marked(found) if self.invalidated else found

    @cached_property
    def _last(self) -> Mapping[tuple[str | int, int], int]:
        """The position of the last entry of each sample. A sample that was run anew is written anew."""
        return {(found.id, found.epoch): position for position, found in enumerate(self._entries())}

    def _entries(self) -> Iterator[Sample]:
        for member in self._summaries:
            where = f"{self.name}: {member.name}"
            with archives.opened(self.path, member) as stream:
                cursor = Cursor(stream, where)
                for position in cursor.elements():
                    yield sample(cursor.value(), f"{where}: entry {position + 1}")
                cursor.end()

    @cached_property
    def _whole(self) -> Mapping[str, Member]:
        return archives.members(self.path, lambda name: _WHOLE.fullmatch(name) is not None)

    def _opened(self) -> Iterator[Sample]:
        for member in self._whole.values():
            where = f"{self.name}: {files.shown(member.name)}"
            yield sample(self._reduced(member, where), where)

    def _reduced(self, member: Member, where: str) -> str:
        with archives.opened(self.path, member) as stream:
            cursor = Cursor(stream, where)
            text = reduced(cursor)
            cursor.end()
        return text

    def _marked(self, found: Sample) -> Sample:
        """The summary with the mark that its sample bears, if any."""
        stem = f"samples/{found.id}_epoch_{found.epoch}"
        member = self._whole.get(f"{stem}.json") or self._whole.get(f"{stem}/sample.json")
        if member is None:
            raise ImportRefused(
                f"{found.where}: the log is marked as invalidated and holds no sample that says whether this "
                "one is; write the log again"
            )
        whole = sample(self._reduced(member, found.where), found.where)
        if not whole.value.get("invalidation"):
            return found
        return sample(whole.text, found.where)


class JsonLog:
    """A ``.json`` log, whose samples stand between its header and its reductions."""

    killed = False
    journaled = False
    invalidated = False

    def __init__(self, path: Path) -> None:
        """Open the log.

        Raises:
            ImportRefused: it is no Inspect log.
        """
        self.path = path
        self.name = path.name
        known: dict[str, Any] = {}
        with files.opened(path) as stream:
            cursor = Cursor(stream, self.name)
            for member in cursor.members():
                if member == "samples" and "eval" in known:
                    break
                if member in ("samples", "reductions"):
                    cursor.skip()
                else:
                    known[member] = parsed(cursor.value(), f"{self.name}: {member}")
        self.header = _header(known, self.name)

    def samples(self) -> Iterator[Sample]:
        """All samples, in the log's order."""
        with files.opened(self.path) as stream:
            cursor = Cursor(stream, self.name)
            if not cursor.enter("samples") or cursor.peek() != "[":
                raise ImportRefused(
                    f"{files.shown(self.path)} is a header without samples: write the log with its samples"
                )
            for position in cursor.elements():
                where = f"{self.name}: samples: entry {position + 1}"
                yield sample(reduced(cursor), where)


def opened(path: Path) -> ZipLog | JsonLog:
    """The log in a file.

    Raises:
        ImportRefused: there is none.
    """
    return ZipLog(path) if archives.starts_as_zip(path) else JsonLog(path)


def _is_read(name: str) -> bool:
    return name in (_HEADER, _START, _SUMMARIES) or _JOURNAL.fullmatch(name) is not None


def _number(name: str) -> int:
    found = _JOURNAL.fullmatch(name)
    return int(found.group(1)) if found else 0


def _header(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("eval"), dict):
        raise ImportRefused(f"{name} has no member 'eval': it is no Inspect log, or only a part of one")
    version = value.get("version")
    if isinstance(version, int) and version > NEWEST:
        raise ImportRefused(
            f"{name} is an Inspect log of version {version}, known are those up to {NEWEST}: "
            "write it with an older Inspect, or update passfloor"
        )
    return value
