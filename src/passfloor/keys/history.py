"""What became of the keys of an identity: ``keys/history.json``, their windows, successors and revocations.

A key that the file does not name has an open window. The file is replaced in one step, and a rotation counts
from that step on: the successor it names signs, whatever ``keys/current`` still says.
"""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError

from passfloor.canonical import parse, text
from passfloor.errors import JsonError, KeyFileError
from passfloor.keys.times import Second, seconds
from passfloor.models.base import Document
from passfloor.signing.key_sets import MAX_REASON
from passfloor.signing.validity import Revocation, Validity, time_text

HISTORY_SCHEMA = "passfloor/key-history/v1"

DocumentT = TypeVar("DocumentT", bound=Document)

Kid = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{43}$")]
"""The full RFC 7638 thumbprint of a key."""


class Revoked(Document):
    """A key was revoked ``at`` a time; nothing it signed can be believed ``since`` another."""

    at: Second
    since: Second
    reason: Annotated[str, Field(max_length=MAX_REASON)]

    def revocation(self) -> Revocation:
        """As it is judged by."""
        return Revocation(seconds(self.since), self.reason)


class KeyRecord(Document):
    """What became of one key; ``replaced_by`` names the key that signs in its place. No member is missing."""

    not_before: Second | None
    not_after: Second | None
    replaced_by: Kid | None
    revoked: Revoked | None

    def validity(self) -> Validity:
        """When the key counts."""
        return Validity(
            None if self.not_before is None else seconds(self.not_before),
            None if self.not_after is None else seconds(self.not_after),
            None if self.revoked is None else self.revoked.revocation(),
        )


_NO_RECORD = KeyRecord(not_before=None, not_after=None, replaced_by=None, revoked=None)


class History(Document):
    """The records of all keys that have one, by fingerprint."""

    keys: dict[Kid, KeyRecord]

    def of(self, kid: str) -> KeyRecord:
        """The record of a key; an empty one where it has none."""
        return self.keys.get(kid, _NO_RECORD)

    def with_members(self, kid: str, **members: Any) -> "History":
        """A history in which these members of a key's record are replaced."""
        record = self.of(kid).model_copy(update=members)
        return History(keys={**self.keys, kid: record})

    def rotated(self, old: str, new: str, at: float) -> "History":
        """A history in which ``new`` signs in place of ``old`` from ``at`` on (seconds since the epoch).

        Windows have whole seconds: within the second of the rotation both keys count.
        """
        closed = self.of(old).not_after or time_text(int(at) + 1)
        ended = self.with_members(old, not_after=closed, replaced_by=new)
        return ended.with_members(new, not_before=time_text(int(at)))

    def successor(self, kid: str) -> str:
        """The key that signs where ``kid`` once did: itself, or the last of those that replaced it."""
        seen = {kid}
        while (following := self.of(kid).replaced_by) is not None and following not in seen:
            kid = following
            seen.add(kid)
        return kid

    def predecessors(self, kid: str) -> list[str]:
        """The keys that ``kid`` replaced, the last one first."""
        before: Mapping[str | None, str] = {record.replaced_by: old for old, record in self.keys.items()}
        found: list[str] = []
        while kid in before and before[kid] not in found:
            kid = before[kid]
            found.append(kid)
        return found

    def data(self) -> bytes:
        """The bytes of the file."""
        records = {kid: record.model_dump() for kid, record in sorted(self.keys.items())}
        return text({"schema": HISTORY_SCHEMA, "keys": records}) + b"\n"


NOTHING = History(keys={})
"""Nothing became of any key yet."""


def read_history(data: bytes, source: str) -> History:
    """Read a history from the bytes of its file.

    Raises:
        KeyFileError: it is none of this version. A revocation that cannot be read is not taken for none.
    """
    return read_document(data, HISTORY_SCHEMA, source, History)


def read_document(data: bytes, schema: str, source: str, model: type[DocumentT]) -> DocumentT:
    """A file of the identity as a ``model``, which has all its members but ``schema``.

    Raises:
        KeyFileError: not strict JSON, another schema, or what the model refuses.
    """
    try:
        document = parse(data).value
    except JsonError as error:
        raise _malformed(source, str(error)) from None
    if not isinstance(document, dict) or document.get("schema") != schema:
        raise _malformed(source, f"its schema is not {schema!r}")
    members = {name: value for name, value in document.items() if name != "schema"}
    try:
        return model.model_validate(members)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise _malformed(source, f"{'.'.join(map(str, first['loc']))!a}: {first['msg']}") from None


def _malformed(source: str, what: str) -> KeyFileError:
    return KeyFileError(f"{source}: {what}; restore the file, nothing is trusted without it")
