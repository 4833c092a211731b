"""Envelopes: the protocol's own example, and what a verifier takes out of one."""

import base64

from passfloor.signing.dsse import envelope, pae
from passfloor.signing.private_keys import SigningKey
from passfloor.signing.signers import Ed25519Signer


def test_what_is_signed_is_the_example_of_the_protocol() -> None:
    signed = pae("http://example.com/HelloWorld", b"hello world")
    assert signed == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_lengths_count_bytes() -> None:
    assert pae("é", b"\xff") == b"DSSEv1 2 \xc3\xa9 1 \xff"
    assert pae("", b"") == b"DSSEv1 0  0 "


def test_an_envelope_holds_payload_type_and_signature_in_plain_base64(rfc_key: SigningKey) -> None:
    # The payload's base64 has a + and a /, which base64url spells otherwise.
    made = envelope("text/x", b"\xfb\xff", Ed25519Signer(rfc_key))
    (signature,) = made["signatures"]
    assert made == {"payload": "+/8=", "payloadType": "text/x", "signatures": [signature]}
    assert set(signature) == {"keyid", "sig"}
    assert signature["keyid"] == rfc_key.public.kid
    raw = base64.b64decode(signature["sig"], validate=True)
    assert rfc_key.public.verify(raw, pae("text/x", b"\xfb\xff"))
