"""Where a signer, a key or a spelling would be taken for another by one step."""

import base64
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from passfloor.errors import KeyFileError, UsageError
from passfloor.signing import base64url
from passfloor.signing.public_keys import read_public_key
from passfloor.signing.signers import Ed25519Signer
from passfloor.signing.wrappings import describe_jwk, describe_key, unwrap


@pytest.mark.parametrize("adapter", ["mock", "stochastic-mock"])
def test_a_key_signs_for_no_agent_that_is_none(rfc_key, adapter):
    receipt = SimpleNamespace(subject=SimpleNamespace(adapter=adapter), receipt_hash="0" * 64)
    with pytest.raises(UsageError, match="drives no real agent"):
        Ed25519Signer(rfc_key).sign(receipt)


@pytest.mark.parametrize("length", range(12))
def test_bytes_of_every_length_are_spelled_and_read(length):
    data = bytes(range(250, 250 + min(length, 6))) + bytes(max(0, length - 6))
    assert base64url.decode(base64url.encode(data)) == data


@pytest.mark.parametrize(
    "curve", ["Ed25519", "Ed448", "X25519", "X448", "P-256", "P-384", "P-521", "secp256k1"]
)
def test_a_registered_curve_is_named(curve):
    assert describe_jwk({"kty": "EC", "crv": curve}) == f"a JWK of type EC on {curve}"


@pytest.mark.parametrize("kty", ["OKP", "EC", "RSA", "oct", "AKP"])
def test_a_registered_type_is_named(kty):
    assert describe_jwk({"kty": kty}) == f"a JWK of type {kty}"


@pytest.mark.parametrize(
    ("text", "kind", "label"),
    [
        ("-----BEGIN PUBLIC KEY-----\nAA", "pem", "PUBLIC KEY"),
        ("ssh-ed25519 AAAA", "ssh", "ssh-ed25519"),
        (" {}\n", "json", ""),
        ("A" * 43, "x", ""),
        ("A" * 42, "other", ""),
    ],
)
def test_the_outer_form_of_a_key_is_told_before_any_of_it_is_decoded(text, kind, label):
    wrapping = unwrap(text, source="here")
    assert (wrapping.kind, wrapping.label, wrapping.text) == (kind, label, text.strip())


@pytest.mark.parametrize("junk", ["!", "*", "\\", "é"])
def test_junk_inside_a_line_of_openssh_is_not_passed_over(rfc_key, junk):
    raw = rfc_key.public.raw
    blob = base64.b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + raw).decode()
    assert read_public_key(f"ssh-ed25519 {blob}", source="here").raw == raw
    with pytest.raises(KeyFileError):
        read_public_key(f"ssh-ed25519 {blob[:30]}{junk}{blob[30:]}", source="here")


def test_both_halves_of_a_key_are_described_alike():
    private = generate_private_key(SECP256R1())
    assert describe_key(private) == describe_key(private.public_key())
    assert "Key" not in describe_key(private)
