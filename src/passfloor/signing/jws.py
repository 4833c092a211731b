"""Detached JSON Web Signatures (RFC 7515 appendix F): ``H..S`` over bytes that travel elsewhere.

A verifier here never parses a header. It writes down the only headers it would accept, one per name of the
algorithm, and compares text: an unknown ``crit``, ``b64``, an embedded key or another algorithm cannot even
be considered.
"""

import re
from typing import Literal

from passfloor.canonical import canonical
from passfloor.signing import base64url
from passfloor.signing.private_keys import SigningKey
from passfloor.signing.public_keys import PublicKey

RECEIPT_TYP = "passfloor-reliability-receipt+jws"

SignatureVerdict = Literal["ok", "header", "sig_encoding", "sig_invalid"]
Algorithm = Literal["EdDSA", "Ed25519"]

# EdDSA (RFC 8037) is what every library knows and what is emitted; Ed25519 (RFC 9864) is its successor.
_ALGORITHMS: tuple[Algorithm, ...] = ("EdDSA", "Ed25519")
# 64 bytes are 86 letters of which the last carries two bits, so only four letters may end them.
_SIGNATURE = re.compile(r"[A-Za-z0-9_-]{85}[AQgw]")


def header(kid: str, typ: str, alg: Algorithm = "EdDSA") -> bytes:
    """Return the one protected header for a key and an artefact type, in RFC 8785 form.

    Args:
        kid: the full RFC 7638 thumbprint of the key.
        typ: the artefact type, which keeps a signature of one kind from passing for another.
        alg: the name of the algorithm.
    """
    return canonical({"alg": alg, "kid": kid, "typ": typ})


def sign_detached(key: SigningKey, payload: bytes, *, typ: str = RECEIPT_TYP) -> str:
    """Return the detached compact signature of ``payload``.

    Args:
        key: the key that signs.
        payload: what is signed; for a receipt the 64 ASCII characters of its hash.
        typ: the artefact type.
    """
    protected = base64url.encode(header(key.public.kid, typ))
    signature = key.sign(_signing_input(protected, payload))
    return f"{protected}..{base64url.encode(signature)}"


def verify_detached(
    signature: str, payload: bytes, key: PublicKey, *, typ: str = RECEIPT_TYP
) -> SignatureVerdict:
    """Judge a detached signature under one trusted key. Total: any text gets a verdict.

    Args:
        signature: the text found in the artefact.
        payload: the bytes it must cover, recomputed by the caller.
        key: the trusted key, which decides algorithm, kid and curve.
        typ: the artefact type that is wanted.

    Returns:
        ``header`` when what stands before ``..`` is not the header this key and type have; ``sig_encoding``
        when the rest is not the canonical base64url of 64 bytes; ``sig_invalid`` when it does not verify
        (RFC 8032 section 5.1.7, S not below L included); else ``ok``.
    """
    protected, _, encoded = signature.partition("..")
    if protected not in {base64url.encode(header(key.kid, typ, alg)) for alg in _ALGORITHMS}:
        return "header"
    raw = base64url.decode(encoded) if _SIGNATURE.fullmatch(encoded) else None
    if raw is None:
        return "sig_encoding"
    return "ok" if key.verify(raw, _signing_input(protected, payload)) else "sig_invalid"


def _signing_input(protected: str, payload: bytes) -> bytes:
    return f"{protected}.{base64url.encode(payload)}".encode("ascii")
