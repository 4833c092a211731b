"""The test-grade stub: an HMAC under a constant that everybody knows.

It shows that a receipt was sealed and not touched by accident. It names nobody: whoever can read this file
can make one. A fingerprint that ends in ``-stub`` says so.
"""

import hashlib
import hmac

from passfloor.signing.jws import RECEIPT_TYP

STUB_SUFFIX = "-stub"
_STUB_KEY = b"passfloor/stub-signer/v1 (a public constant: this proves nothing about who signed)"


def stub_fingerprint() -> str:
    """Return the fingerprint of the stub: 16 hex characters and ``-stub``."""
    return hashlib.sha256(_STUB_KEY).hexdigest()[:16] + STUB_SUFFIX


def stub_payload(payload: bytes, typ: str) -> bytes:
    """What the stub signs for an artefact type: a receipt's hash alone, any other with its type before it."""
    return payload if typ == RECEIPT_TYP else f"{typ}:".encode() + payload


def sign_stub(payload: bytes) -> str:
    """Return the stub signature of ``payload``: HMAC-SHA256 (RFC 2104), 64 lower-case hex characters."""
    return hmac.new(_STUB_KEY, payload, hashlib.sha256).hexdigest()


def verify_stub(signature: str, payload: bytes) -> bool:
    """Return whether ``signature`` is the stub signature of ``payload``. Total, in constant time."""
    return hmac.compare_digest(signature.encode("utf-8", "surrogatepass"), sign_stub(payload).encode("ascii"))
