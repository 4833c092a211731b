import importlib.util
import json
import pickle
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from passfloor.errors import KeyFileError
from passfloor.signing.private_keys import SigningKey, generate, read_private_key

# The key of RFC 8037 appendix A.1 as OpenSSH writes it under the passphrase "correct horse".
ENCRYPTED_OPENSSH = b"""-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABDZBoopJx
oQfSZlruUg2o+NAAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+
08lkBzoO4XLz2qYjJa8CGmj3B1EaAAAAkDzKDSNUe/ajG4DWUT1Iaag00CdsS8h8D1zfmU
nmN8O1FMcUoBvz9X3f15qrRHAfn89ViWQkWTQ2auaUEAnWhjOCc/tTbId/MSuMypt6/vsZ
HzHc3km0K9fjbyUwwVJ2aTfl898I4K6CuQhok2TDwLTdLLkE8YwOO2UzSExg5+eceO2zjl
gsAuiLqFMis67OuA==
-----END OPENSSH PRIVATE KEY-----
"""


def pem(private: Any, layout: PrivateFormat = PrivateFormat.PKCS8, password: bytes | None = None) -> bytes:
    encryption = BestAvailableEncryption(password) if password else NoEncryption()
    return private.private_bytes(Encoding.PEM, layout, encryption)


def refusal(data: bytes, password: bytes | None = None) -> str:
    with pytest.raises(KeyFileError) as caught:
        read_private_key(data, password=password, source="key.pem")
    message = str(caught.value)
    assert message.startswith("key.pem: ")
    assert "\n" not in message
    assert caught.value.__cause__ is None
    return message


@pytest.fixture
def jwk(rfc_x: str, rfc_d: str) -> dict[str, str]:
    return {"kty": "OKP", "crv": "Ed25519", "x": rfc_x, "d": rfc_d}


def test_every_wrapping_of_one_key_gives_one_fingerprint(
    raw_rfc_key: Ed25519PrivateKey, jwk: dict[str, str], rfc_kid: str
) -> None:
    plain, openssh = pem(raw_rfc_key), pem(raw_rfc_key, PrivateFormat.OpenSSH)
    forms = {
        "PKCS#8": plain,
        "PKCS#8 with CRLF": plain.replace(b"\n", b"\r\n"),
        "PKCS#8 without a last newline": plain.rstrip(),
        "OpenSSH": openssh,
        "OpenSSH with CRLF": openssh.replace(b"\n", b"\r\n"),
        "OpenSSH without a last newline": openssh.rstrip(),
        "JWK": json.dumps(jwk).encode(),
        "JWK with more members": json.dumps(jwk | {"kid": "k", "use": "sig"}).encode(),
    }
    for name, data in forms.items():
        assert read_private_key(data, password=None, source="k").public.kid == rfc_kid, name
        # A passphrase meant for another key is no reason to refuse an open one.
        assert read_private_key(data, password=b"unused", source="k").public.kid == rfc_kid, name
    encrypted = pem(raw_rfc_key, password=b"secret")
    assert read_private_key(encrypted, password=b"secret", source="k").public.kid == rfc_kid


def test_an_encrypted_openssh_key_opens_or_says_what_is_missing(rfc_kid: str) -> None:
    if importlib.util.find_spec("bcrypt"):
        assert (
            read_private_key(ENCRYPTED_OPENSSH, password=b"correct horse", source="k").public.kid == rfc_kid
        )
    else:
        message = refusal(ENCRYPTED_OPENSSH, b"correct horse")
        assert "bcrypt" in message
        assert "ssh-keygen -p -m PKCS8" in message


@pytest.mark.parametrize("password", [None, b""])
def test_a_missing_passphrase_names_its_variable(
    raw_rfc_key: Ed25519PrivateKey, password: bytes | None
) -> None:
    for data in (pem(raw_rfc_key, password=b"secret"), ENCRYPTED_OPENSSH):
        assert "is encrypted; set its passphrase in PASSFLOOR_KEY_PASSWORD" in refusal(data, password)


def test_a_wrong_passphrase_names_its_variable_and_not_the_passphrase(raw_rfc_key: Ed25519PrivateKey) -> None:
    message = refusal(pem(raw_rfc_key, password=b"secret"), b"s3cret-canary")
    assert "does not open with the passphrase in PASSFLOOR_KEY_PASSWORD" in message
    assert "s3cret-canary" not in message


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (pem(rsa.generate_private_key(65537, 2048)), "RSA"),
        (pem(x25519.X25519PrivateKey.generate()), "X25519"),
        (pem(ec.generate_private_key(ec.SECP256R1()), PrivateFormat.TraditionalOpenSSL), "E"),
        (pem(ed448.Ed448PrivateKey.generate(), password=b"secret"), "Ed448"),
        (pem(ec.generate_private_key(ec.SECP256R1()), PrivateFormat.OpenSSH), "E"),
    ],
    ids=["RSA", "X25519", "EC", "encrypted Ed448", "OpenSSH EC"],
)
def test_another_type_of_key_is_named(data: bytes, named: str) -> None:
    message = refusal(data, b"secret")
    assert f"found a private key of type {named}" in message
    assert "accepted: an Ed25519 private key" in message
    assert data.splitlines()[1].decode()[:16] not in message


def test_a_key_of_an_unknown_type_is_refused(raw_rfc_key: Ed25519PrivateKey) -> None:
    data = pem(raw_rfc_key).replace(b"MC4CAQAwBQYDK2Vw", b"MC4CAQAwBQYDK2V/")
    assert "unsupported type" in refusal(data)


def test_a_damaged_key_is_refused_without_quoting_it(raw_rfc_key: Ed25519PrivateKey) -> None:
    for data in (pem(raw_rfc_key), pem(raw_rfc_key, PrivateFormat.OpenSSH)):
        lines = data.splitlines()
        message = refusal(b"\n".join([lines[0], lines[1][:-8], *lines[2:]]))
        assert "damaged" in message
        assert lines[1].decode()[-30:] not in message


@pytest.mark.parametrize("form", ["pem", "ssh", "x"])
def test_a_public_key_where_a_private_one_is_wanted_is_named(form: str, rfc_key: SigningKey) -> None:
    data = {
        "pem": rfc_key.public.pem(),
        "ssh": b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI",
        "x": rfc_key.public.x.encode(),
    }[form]
    words = {"pem": 'PEM block "PUBLIC KEY"', "ssh": 'OpenSSH line "ssh-ed25519"', "x": "43 characters"}[form]
    message = refusal(data)
    assert f"{words};" in message or f"{words} of base64url;" in message
    assert "accepted: an Ed25519 private key" in message


def test_a_public_jwk_where_a_private_one_is_wanted_is_named(rfc_key: SigningKey) -> None:
    assert "found a public JWK" in refusal(json.dumps(rfc_key.public.jwk()).encode())


@pytest.mark.parametrize("d", [None, 1, "", "AA", "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2B"])
def test_a_jwk_whose_d_is_not_32_canonical_bytes_is_refused(d: object, jwk: dict[str, str]) -> None:
    message = refusal(json.dumps(jwk | {"d": d}).encode())
    assert "d of the JWK is not the base64url of 32 bytes" in message
    assert "nWGxne" not in message


@pytest.mark.parametrize("x", [None, "", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
def test_a_jwk_whose_halves_do_not_belong_together_is_refused(x: object, jwk: dict[str, str]) -> None:
    assert "x of the JWK does not belong to its d" in refusal(json.dumps(jwk | {"x": x}).encode())


def test_a_jwk_of_another_curve_is_named(jwk: dict[str, str]) -> None:
    message = refusal(json.dumps(jwk | {"crv": "X25519"}).encode())
    assert "found a JWK of type OKP on X25519" in message
    assert jwk["d"] not in message


def test_a_jwk_of_another_type_is_named_though_its_members_look_right(jwk: dict[str, str]) -> None:
    assert "found a JWK of type AKP on Ed25519" in refusal(json.dumps(jwk | {"kty": "AKP"}).encode())


def test_broken_json_is_refused_without_quoting_it(jwk: dict[str, str]) -> None:
    message = refusal(json.dumps(jwk).encode() + b"}")
    assert "not strict JSON" in message
    assert jwk["d"] not in message


def test_the_pem_reads_back_with_and_without_a_passphrase(rfc_key: SigningKey) -> None:
    assert read_private_key(rfc_key.pem(), password=None, source="k").public == rfc_key.public
    encrypted = rfc_key.pem(b"secret")
    assert encrypted.startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
    assert read_private_key(encrypted, password=b"secret", source="k").public == rfc_key.public


def test_an_empty_passphrase_is_not_taken_for_protection(rfc_key: SigningKey) -> None:
    with pytest.raises(KeyFileError, match="PASSFLOOR_KEY_PASSWORD"):
        rfc_key.pem(b"")


def test_a_signing_key_shows_and_gives_away_its_fingerprint_alone(rfc_key: SigningKey, rfc_kid: str) -> None:
    assert repr(rfc_key) == f"SigningKey(kid='{rfc_kid}')"
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(rfc_key)


def test_generated_keys_sign_and_differ() -> None:
    first, second = generate(), generate()
    assert first.public != second.public
    assert first.public.verify(first.sign(b"m"), b"m")
