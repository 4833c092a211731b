"""The Dead Simple Signing Envelope, v1.0.0: what is signed, and the envelope around it.

https://github.com/secure-systems-lab/dsse/blob/v1.0.0/protocol.md
"""

import base64
from typing import Any, Protocol


class EnvelopeSigner(Protocol):
    """Whoever can put a name under an envelope."""

    @property
    def fingerprint(self) -> str:
        """What the envelope names as ``keyid``."""
        ...

    def sign_bytes(self, message: bytes) -> bytes:
        """Return the raw signature, 64 bytes."""
        ...


def pae(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding. No signing input of a JWS begins like it."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def envelope(payload_type: str, payload: bytes, signer: EnvelopeSigner) -> dict[str, Any]:
    """The signed envelope, as JSON data."""
    signature = signer.sign_bytes(pae(payload_type, payload))
    return {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": payload_type,
        "signatures": [{"keyid": signer.fingerprint, "sig": base64.b64encode(signature).decode()}],
    }
