"""The wrapping of a key: which of the many common text forms a file holds, before any of it is decoded.

Messages name what was found by words of this module, by a PEM label or by an algorithm name, never by a piece
of the file: a file given by mistake may hold a secret.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from passfloor.canonical import parse
from passfloor.errors import JsonError, KeyFileError

MAX_KEY_BYTES = 64 * 1024

_PEM_BEGIN = re.compile(r"-----BEGIN ([A-Z0-9][A-Z0-9 ]{0,62})-----")
_SSH_LINE = re.compile(r"((?:sk-)?(?:ssh|ecdsa)-[a-z0-9-]{1,40}(?:@openssh\.com)?)[ \t]")
_BARE_X = re.compile(r"[A-Za-z0-9_-]{43}")
_KEY_TYPES = frozenset({"OKP", "EC", "RSA", "oct", "AKP"})
_CURVES = frozenset({"Ed25519", "Ed448", "X25519", "X448", "P-256", "P-384", "P-521", "secp256k1"})


@dataclass(frozen=True)
class Wrapping:
    """A key file as text, with its outer form recognised.

    Attributes:
        kind: ``pem``, ``ssh`` (an OpenSSH public line), ``json``, ``x`` (43 characters) or ``other``.
        text: the whole text without blanks at either end; it may be secret and stays out of the repr.
        label: the PEM label or the ssh algorithm name, of which none is both; empty for the other kinds.
    """

    kind: Literal["pem", "ssh", "json", "x", "other"]
    text: str = field(repr=False)
    label: str = ""

    @property
    def found(self) -> str:
        """What the file holds, in words that quote nothing secret."""
        words = {
            "pem": f'a PEM block "{self.label}"',
            "ssh": f'an OpenSSH line "{self.label}"',
            "x": "43 characters of base64url",
        }
        return words.get(self.kind, "text that is no key in any form known here")

    @property
    def is_private(self) -> bool:
        """Whether the PEM label announces a private key of any type."""
        return self.label.endswith("PRIVATE KEY")


def unwrap(data: bytes | str, *, source: str) -> Wrapping:
    """Recognise the outer form of a key.

    Args:
        data: the file as read; line ends and a missing last newline do not matter.
        source: what to call it in a message, a path or the name of a variable.

    Raises:
        KeyFileError: nothing there, more than 64 KiB, not plain text, or several PEM blocks.
    """
    text = _text(data, source)
    labels = _PEM_BEGIN.findall(text)
    if len(labels) > 1:
        raise KeyFileError(f"{source}: found {len(labels)} PEM blocks; give a file with exactly one key")
    if labels:
        if "\n" not in text:
            raise KeyFileError(f"{source}: found a PEM block without line breaks; keep its lines apart")
        return Wrapping("pem", text, labels[0])
    if line := _SSH_LINE.match(text):
        return Wrapping("ssh", text, line.group(1))
    if text.startswith("{"):
        return Wrapping("json", text)
    return Wrapping("x" if _BARE_X.fullmatch(text) else "other", text)


def read_json_object(data: bytes | str, *, source: str) -> dict[str, Any]:
    """Read the JSON of a JWK or a JWK set, strictly (RFC 7493).

    Raises:
        KeyFileError: not strict JSON, or not an object. The reader's own message is left out, since it may
            quote a secret.
    """
    try:
        document = parse(data.encode("utf-8") if isinstance(data, str) else data).value
    except (JsonError, UnicodeEncodeError):
        raise KeyFileError(
            f"{source}: not strict JSON (one object, no name twice); give the JWK file as it was published"
        ) from None
    if not isinstance(document, dict):
        raise KeyFileError(f"{source}: the JSON is not an object; give one JWK")
    return document


def describe_jwk(jwk: dict[str, Any]) -> str:
    """Return words for the type of a JWK; names that are not registered ones are not repeated."""
    kty, crv = (value if isinstance(value, str) else None for value in (jwk.get("kty"), jwk.get("crv")))
    curve = f" on {crv}" if crv in _CURVES else ""
    return f"a JWK of type {kty}{curve}" if kty in _KEY_TYPES else "a JWK of unknown type"


def describe_key(key: object) -> str:
    """Return the algorithm of a key object of the cryptography library, by the name of its class."""
    name = type(key).__name__.lstrip("_")
    return name.removesuffix("PublicKey").removesuffix("PrivateKey")


def _text(data: bytes | str, source: str) -> str:
    if len(data) > MAX_KEY_BYTES:
        raise KeyFileError(f"{source}: {len(data)} bytes, a key has at most {MAX_KEY_BYTES}; give a key file")
    try:
        # In UTF-8 mode an environment variable may carry lone surrogates, which are no text either.
        text = (data.encode("utf-8") if isinstance(data, str) else data).decode("utf-8").strip()
    except UnicodeError:
        raise KeyFileError(
            f"{source}: found binary data (DER?); give the key as text, for instance PEM"
        ) from None
    if not text:
        raise KeyFileError(f"{source}: found nothing; give a key")
    return text
