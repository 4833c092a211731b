"""JWK sets (RFC 7517 section 5): what a signer publishes, keys of the past included.

Beside the members of RFC 7517 and RFC 8037 an entry may say when its key counts, by the members that OpenID
Federation 1.0 (section 8.7) gives to keys of the past: ``nbf`` and ``exp``, seconds since the epoch, and
``revoked``, an object with ``revoked_at`` (seconds) and ``reason`` (text, may be absent).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from passfloor.errors import KeyFileError
from passfloor.signing.public_keys import PublicKey, from_jwk
from passfloor.signing.validity import OPEN, Revocation, Validity
from passfloor.signing.wrappings import read_json_object

MAX_JWKS_BYTES = 1024 * 1024
MAX_JWKS_KEYS = 1000
MAX_REASON = 200
"""A reason has at most so many characters."""


@dataclass(frozen=True)
class ListedKey:
    """A key of a set, and when it counts."""

    key: PublicKey
    validity: Validity = OPEN

    def jwk(self) -> dict[str, Any]:
        """The entry as it is published."""
        entry: dict[str, Any] = {**self.key.jwk(), "kid": self.key.kid, "use": "sig", "alg": "EdDSA"}
        if self.validity.not_before is not None:
            entry["nbf"] = self.validity.not_before
        if self.validity.not_after is not None:
            entry["exp"] = self.validity.not_after
        if (revoked := self.validity.revoked) is not None:
            entry["revoked"] = {"revoked_at": revoked.since, "reason": revoked.reason}
        return entry


def jwks(keys: Iterable[ListedKey]) -> dict[str, Any]:
    """The set of ``keys``, in their order."""
    return {"keys": [key.jwk() for key in keys]}


def read_jwks(data: bytes | str, *, source: str) -> list[ListedKey]:
    """Read the Ed25519 keys of a JWK set, in order, each key once; of one listed twice the strictest counts.

    A ``kid`` in the file is a name and no identity: the fingerprint is computed from the key. Entries that
    say they are of another type are skipped, unknown members are not looked at.

    Args:
        data: ``{"keys": [...]}``, at most 1 MiB and 1,000 keys.
        source: what to call it in a message.

    Raises:
        KeyFileError: not such a document, a malformed or private entry, one ``kid`` for two keys, a window
            or revocation that cannot be read, a key that the key gate refuses, or no Ed25519 key at all.
    """
    if len(data) > MAX_JWKS_BYTES:
        raise KeyFileError(f"{source}: {len(data)} bytes, a JWK set has at most {MAX_JWKS_BYTES}; split it")
    keys: dict[str, ListedKey] = {}
    named: dict[str, str] = {}
    for position, entry in enumerate(_entries(data, source)):
        place = f"{source}: keys[{position}]"
        if not isinstance(entry, dict):
            raise KeyFileError(f"{place} is not an object; every entry must be a JWK")
        if _is_of_another_type(entry):
            continue
        key, validity = from_jwk(entry, place), _validity(entry, place)
        before = keys.get(key.x)
        keys[key.x] = ListedKey(key, validity if before is None else before.validity.narrowed(validity))
        kid = entry.get("kid")
        if isinstance(kid, str) and named.setdefault(kid, key.x) != key.x:
            raise KeyFileError(f"{place} has the kid of an earlier, different key; give each key its own kid")
    if not keys:
        raise KeyFileError(f"{source}: holds no Ed25519 key (kty OKP, crv Ed25519); add the signer's key")
    return list(keys.values())


def is_key_set(data: bytes, *, source: str) -> bool:
    """Whether ``data`` is a JSON object with ``keys``, whatever stands in there.

    Raises:
        KeyFileError: it begins as a JSON object and is not strict JSON.
    """
    return data.lstrip().startswith(b"{") and "keys" in read_json_object(data, source=source)


def _entries(data: bytes | str, source: str) -> list[Any]:
    entries = read_json_object(data, source=source).get("keys")
    if not isinstance(entries, list):
        raise KeyFileError(f'{source}: found no "keys" list; a JWK set is {{"keys": [...]}}')
    if len(entries) > MAX_JWKS_KEYS:
        raise KeyFileError(f"{source}: {len(entries)} keys, at most {MAX_JWKS_KEYS} are read; split the set")
    return entries


def _is_of_another_type(entry: dict[str, Any]) -> bool:
    kty, crv = entry.get("kty"), entry.get("crv")
    return isinstance(kty, str) and (kty != "OKP" or (isinstance(crv, str) and crv != "Ed25519"))


def _validity(entry: dict[str, Any], place: str) -> Validity:
    return Validity(
        _seconds(entry, "nbf", place), _seconds(entry, "exp", place), _revocation(entry.get("revoked"), place)
    )


def _revocation(value: Any, place: str) -> Revocation | None:
    # Nothing that might be a revocation is read as none.
    if value is None:
        return None
    if isinstance(value, dict):
        since = _seconds(value, "revoked_at", f"{place}: revoked")
        reason = value.get("reason", "")
        if since is not None and isinstance(reason, str):
            return Revocation(since, reason[:MAX_REASON])
    raise KeyFileError(f'{place}: revoked is not {{"revoked_at": seconds, "reason": text}}; publish it again')


def _seconds(members: dict[str, Any], name: str, place: str) -> float | None:
    value = members.get(name)
    if value is None:
        return None
    # Strict JSON has no infinity.
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise KeyFileError(f"{place}: {name} is not a number of seconds since 1970; publish it again")
    return value
