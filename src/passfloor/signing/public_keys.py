"""Public keys: read from the common wrappings, let through the key gate, named by their thumbprint."""

import base64
import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from passfloor.canonical import canonical
from passfloor.errors import KeyFileError
from passfloor.signing import base64url
from passfloor.signing.points import KEY_BYTES, check_public_key
from passfloor.signing.wrappings import Wrapping, describe_jwk, describe_key, read_json_object, unwrap

ACCEPTED = "accepted: an Ed25519 public key as PEM, as an ssh-ed25519 line, as a JWK or as its 43-character x"
_PRIVATE_HINT = "found a private key where a public one is wanted; write the public one with `key publish`"
_SSH_PREFIX = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20"  # RFC 8709 section 4


@dataclass(frozen=True, repr=False)
class PublicKey:
    """An Ed25519 public key that has passed the key gate.

    Attributes:
        raw: the 32 bytes of RFC 8032 section 5.1.2.

    Raises:
        KeyFileError: the bytes are not the canonical encoding of a point of order L.
    """

    raw: bytes

    def __post_init__(self) -> None:
        check_public_key(self.raw)

    @cached_property
    def x(self) -> str:
        """The key as base64url, 43 characters."""
        return base64url.encode(self.raw)

    @cached_property
    def kid(self) -> str:
        """The full RFC 7638 thumbprint (SHA-256, base64url), 43 characters."""
        return base64url.encode(hashlib.sha256(canonical(self.jwk())).digest())

    def jwk(self) -> dict[str, str]:
        """Return the required members of the JWK (RFC 8037 section 2): crv, kty, x."""
        return {"crv": "Ed25519", "kty": "OKP", "x": self.x}

    def pem(self) -> bytes:
        """Return the SubjectPublicKeyInfo as PEM (RFC 8410)."""
        key = Ed25519PublicKey.from_public_bytes(self.raw)
        return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def verify(self, signature: bytes, message: bytes) -> bool:
        """Return whether ``signature`` is one of ``message`` (RFC 8032 section 5.1.7). Never raises."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except InvalidSignature:
            return False
        return True

    def __repr__(self) -> str:
        return f"PublicKey(kid={self.kid!r})"


def read_public_key(data: bytes | str, *, source: str) -> PublicKey:
    """Read one public key in any accepted wrapping; all wrappings of one key give one fingerprint.

    Args:
        data: SPKI PEM, one ``ssh-ed25519`` line, one JWK, or the 43-character x.
        source: what to call it in a message.

    Raises:
        KeyFileError: another kind of key (the message names what was found and what is accepted), a private
            key, a damaged one, or one that the key gate refuses.
    """
    wrapping = unwrap(data, source=source)
    if wrapping.is_private:
        raise KeyFileError(f"{source}: {_PRIVATE_HINT}")
    if wrapping.label == "PUBLIC KEY":
        return _gated(_from_pem(wrapping, source), source)
    if wrapping.label == "ssh-ed25519":
        return _gated(_from_ssh(wrapping, source), source)
    if wrapping.kind == "json":
        return _from_json(wrapping, source)
    if wrapping.kind == "x":
        return _from_x(wrapping, source)
    raise KeyFileError(f"{source}: found {wrapping.found}; {ACCEPTED}")


def _from_json(wrapping: Wrapping, source: str) -> PublicKey:
    document = read_json_object(wrapping.text, source=source)
    if "keys" in document:
        raise KeyFileError(f"{source}: found a JWK set where one key is wanted; give it with --jwks")
    return from_jwk(document, source)


def from_jwk(jwk: dict[str, Any], source: str) -> PublicKey:
    """The key of one JWK; further members do not matter.

    Raises:
        KeyFileError: another type of key, a private or damaged one, or one that the key gate refuses.
    """
    if "d" in jwk:
        raise KeyFileError(f"{source}: {_PRIVATE_HINT}")
    if jwk.get("kty") != "OKP" or jwk.get("crv") != "Ed25519":
        raise KeyFileError(f"{source}: found {describe_jwk(jwk)}; {ACCEPTED}")
    x = jwk.get("x")
    raw = base64url.decode(x) if isinstance(x, str) else None
    if raw is None or len(raw) != KEY_BYTES:
        raise KeyFileError(f"{source}: x of the JWK is not the base64url of {KEY_BYTES} bytes; copy it again")
    return _gated(raw, source)


def _from_x(wrapping: Wrapping, source: str) -> PublicKey:
    raw = base64url.decode(wrapping.text)
    if raw is None:
        raise KeyFileError(f"{source}: 43 characters with stray last bits; copy the x of the key again")
    try:
        return PublicKey(raw)
    except KeyFileError as error:
        # A fingerprint is 43 characters too, and is what people have at hand.
        raise KeyFileError(
            f"{source}: {error}; if this is a fingerprint (kid), give the x of the key instead"
        ) from None


def _from_pem(wrapping: Wrapping, source: str) -> bytes:
    try:
        key = load_pem_public_key(wrapping.text.encode("utf-8"))
    except (ValueError, UnsupportedAlgorithm):
        raise KeyFileError(
            f"{source}: the PEM public key is damaged or of an unknown type; {ACCEPTED}"
        ) from None
    if not isinstance(key, Ed25519PublicKey):
        raise KeyFileError(f"{source}: found a public key of type {describe_key(key)}; {ACCEPTED}")
    return key.public_bytes_raw()


def _from_ssh(wrapping: Wrapping, source: str) -> bytes:
    lines = wrapping.text.splitlines()
    if len(lines) > 1:
        raise KeyFileError(f"{source}: found {len(lines)} lines; give exactly one ssh-ed25519 line")
    try:
        blob = base64.b64decode(lines[0].split()[1], validate=True)
    except ValueError:
        blob = b""
    if len(blob) != len(_SSH_PREFIX) + KEY_BYTES or not blob.startswith(_SSH_PREFIX):
        raise KeyFileError(f"{source}: the ssh-ed25519 line is damaged; copy the whole line of the .pub file")
    return blob[len(_SSH_PREFIX) :]


def _gated(raw: bytes, source: str) -> PublicKey:
    try:
        return PublicKey(raw)
    except KeyFileError as error:
        raise KeyFileError(f"{source}: {error}") from None
