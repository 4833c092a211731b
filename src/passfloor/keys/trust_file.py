"""``trust.json`` below the identity's home: the keys of others whose word counts, and for what.

It fails closed. A file that cannot be read, that somebody else could have written, or that says something
this version does not know is refused and never taken for an empty one.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, model_validator

from passfloor.canonical import text
from passfloor.errors import KeyFileError, UsageError
from passfloor.keys import files
from passfloor.keys.history import Kid, Revoked, read_document
from passfloor.keys.location import require_home
from passfloor.keys.times import Second, seconds
from passfloor.models.base import Document
from passfloor.signing.public_keys import PublicKey, read_public_key
from passfloor.signing.published import is_published
from passfloor.signing.validity import Validity

TRUST_SCHEMA = "passfloor/trust/v1"
MAX_ENTRIES = 1000
MAX_NAME = 100

_Text = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]


class EntryPolicy(Document):
    """What the receipts of a key must be for its word to count; ``subjects`` empty: about any agent.

    No member may be missing: what somebody took out of the file is not taken for "demands nothing".
    """

    min_k: Annotated[int, Field(ge=1, le=10_000)] | None
    recorded: bool
    subjects: Annotated[list[_Text], Field(max_length=1000)]


class TrustEntry(Document):
    """One key that is trusted.

    Attributes:
        kid: its fingerprint, which is that of ``x``.
        x: the key, base64url.
        name: what its owner is called here; unique.
        added_at: when the entry was made.
        not_before: since when it counts; null: always.
        not_after: until when; null: always.
        revoked: where its owner published that it was revoked.
        policy: for what it counts.
    """

    kid: Kid
    x: str
    name: _Text | None
    added_at: Second
    not_before: Second | None
    not_after: Second | None
    revoked: Revoked | None
    policy: EntryPolicy

    @property
    def label(self) -> str:
        """What people call it: its name, else its fingerprint."""
        return self.name or self.kid

    def validity(self) -> Validity:
        """When it counts."""
        return Validity(
            None if self.not_before is None else seconds(self.not_before),
            None if self.not_after is None else seconds(self.not_after),
            None if self.revoked is None else self.revoked.revocation(),
        )

    def key(self, source: str) -> PublicKey:
        """The key itself.

        Raises:
            KeyFileError: it is no usable key, everybody holds it, or ``kid`` is not its fingerprint.
        """
        key = read_public_key(self.x, source=source)
        if key.kid != self.kid:
            raise KeyFileError(f"{source}: the entry {self.kid} holds the key {key.kid}; remove the entry")
        check_trustworthy(key, source=source)
        return key


class TrustList(Document):
    """All entries, in the order in which they were added."""

    keys: Annotated[list[TrustEntry], Field(max_length=MAX_ENTRIES)]

    @model_validator(mode="after")
    def _distinct(self) -> "TrustList":
        kids = [entry.kid for entry in self.keys]
        names = [entry.name for entry in self.keys if entry.name is not None]
        if len(set(kids)) != len(kids) or len(set(names)) != len(names):
            raise ValueError("a fingerprint or a name stands there twice")
        return self


class TrustFile:
    """The list of trusted keys below one home folder; reading makes nothing."""

    def __init__(self, home: Path | None) -> None:
        """``home``: the folder of the local identity; with None nobody is trusted and nothing can be."""
        self._home = home

    @property
    def path(self) -> Path | None:
        """Where the file is, or would be."""
        return None if self._home is None else self._home / "trust.json"

    def entries(self) -> list[TrustEntry]:
        """The entries, each with a usable key; none where there is no file.

        Raises:
            KeyFileError: the file is there and cannot be relied on.
        """
        path = self.path
        if path is None or path.name not in files.names(path.parent):
            return []
        files.check_folder(path.parent)
        data = files.read_list(path)
        entries = read_document(data, TRUST_SCHEMA, str(path), TrustList).keys
        for entry in entries:
            entry.key(str(path))
        return entries

    def add(self, entries: list[TrustEntry], *, replace: bool = False) -> list[TrustEntry]:
        """Trust the keys of ``entries`` from now on: all of them, or none where it raises.

        Args:
            entries: new ones.
            replace: put them in the place of entries for the same keys. One that is known to be revoked stays
                so: a set that does not say it is an older one.

        Returns:
            What stands there now.

        Raises:
            UsageError: there is no home, a key or a name is there already or given twice, or there would be
                too much.
            KeyFileError: the file that is there cannot be relied on, or a key must not be trusted.
            EnvironmentFault: the file cannot be written; it is as it was.
        """
        home = require_home(self._home)
        for entry in entries:
            entry.key("the key")
        files.make_folder(home)
        with files.locked(home):
            kept = self.entries()
            new = {entry.kid for entry in entries}
            if replace:
                revoked = {entry.kid: entry.revoked for entry in kept if entry.revoked is not None}
                entries = [_still_revoked(entry, revoked) for entry in entries]
                kept = [entry for entry in kept if entry.kid not in new]
            for entry in kept:
                if entry.kid in new:
                    raise UsageError(
                        f"the key {entry.kid} is trusted already, as {entry.label!a}; "
                        "replace its entry with --force"
                    )
                if entry.name is not None and entry.name in {each.name for each in entries}:
                    raise UsageError(f"the name {entry.name!a} is taken by {entry.kid}; choose another")
            self._write(home, [*kept, *entries])
        return entries

    def remove(self, wanted: str) -> TrustEntry:
        """Stop trusting a key.

        Args:
            wanted: its name or its fingerprint.

        Returns:
            The entry that was removed.

        Raises:
            UsageError: there is no such entry.
            KeyFileError: the file cannot be relied on.
            EnvironmentFault: the file cannot be written; it is as it was.
        """
        home = require_home(self._home)
        found = self._find(wanted, self.entries())
        with files.locked(home):
            entries = self.entries()
            found = self._find(wanted, entries)
            self._write(home, [entry for entry in entries if entry.kid != found.kid])
        return found

    def _find(self, wanted: str, entries: list[TrustEntry]) -> TrustEntry:
        for entry in entries:
            if wanted in {entry.name, entry.kid}:
                return entry
        raise UsageError(
            f"no trusted key is called {wanted[:MAX_NAME]!a}; `trust list` shows those there are"
        )

    def _write(self, home: Path, entries: list[TrustEntry]) -> None:
        if len(entries) > MAX_ENTRIES:
            raise UsageError(f"{len(entries)} trusted keys, at most {MAX_ENTRIES} are kept; remove some")
        # What would not be read again is not written.
        try:
            listed = TrustList(keys=entries)
        except ValidationError:
            raise UsageError("a key or a name is given twice; give each of them once") from None
        data = text({"schema": TRUST_SCHEMA, **listed.model_dump()}) + b"\n"
        if len(data) > files.MOST_LISTED:
            raise UsageError(
                f"the trusted keys take {len(data)} bytes, at most {files.MOST_LISTED} are kept; remove some"
            )
        files.write_private(home / "trust.json", data)


def _still_revoked(entry: TrustEntry, revoked: Mapping[str, Revoked]) -> TrustEntry:
    known = revoked.get(entry.kid)
    return (
        entry if known is None or entry.revoked is not None else entry.model_copy(update={"revoked": known})
    )


def check_trustworthy(key: PublicKey, *, source: str) -> None:
    """Refuse to trust a key whose private half everybody holds.

    Raises:
        KeyFileError: it is such a key.
    """
    if is_published(key):
        raise KeyFileError(
            f"{source}: {key.kid} is a published test key, and anybody can sign with it; "
            "ask its owner for the real one"
        )
