import base64
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from passfloor.errors import KeyFileError
from passfloor.signing.private_keys import SigningKey
from passfloor.signing.public_keys import PublicKey, read_public_key

SMALL_ORDER_X = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


def spki(private: Any) -> bytes:
    return private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def ssh(private: Any) -> bytes:
    return private.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)


def forms_of(private: Ed25519PrivateKey, jwk: dict[str, str]) -> dict[str, bytes]:
    pem, line, document = spki(private), ssh(private), json.dumps(jwk, indent=1).encode()
    return {
        "SPKI PEM": pem,
        "SPKI PEM with CRLF": pem.replace(b"\n", b"\r\n"),
        "SPKI PEM without a last newline": pem.rstrip(),
        "SPKI PEM with a heading": b"Key of the release team\n" + pem,
        "ssh line": line,
        "ssh line with comment and CRLF": line + b" somebody@somewhere\r\n",
        "JWK": document,
        "JWK with CRLF": document.replace(b"\n", b"\r\n"),
        "JWK with more members": json.dumps(jwk | {"kid": "k1", "use": "sig", "alg": "EdDSA"}).encode(),
        "bare x": jwk["x"].encode(),
        "bare x with a newline": jwk["x"].encode() + b"\n",
    }


@pytest.fixture
def public(rfc_key: SigningKey) -> PublicKey:
    return rfc_key.public


@pytest.fixture
def jwk(rfc_x: str) -> dict[str, str]:
    return {"kty": "OKP", "crv": "Ed25519", "x": rfc_x}


@pytest.fixture
def other() -> PublicKey:
    return SigningKey(Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)).public


def refusal(data: bytes | str, source: str = "key.pem") -> str:
    with pytest.raises(KeyFileError) as caught:
        read_public_key(data, source=source)
    message = str(caught.value)
    assert message.startswith(f"{source}: ")
    assert "\n" not in message
    return message


def test_every_wrapping_of_one_key_gives_one_fingerprint(
    raw_rfc_key: Ed25519PrivateKey, jwk: dict[str, str], rfc_kid: str
) -> None:
    for name, data in forms_of(raw_rfc_key, jwk).items():
        assert read_public_key(data, source="k").kid == rfc_kid, name
        assert read_public_key(data.decode(), source="k").kid == rfc_kid, name


def test_the_members_are_those_of_rfc_8037(public: PublicKey, rfc_x: str, rfc_kid: str) -> None:
    assert public.x == rfc_x
    assert public.kid == rfc_kid
    assert public.jwk() == {"crv": "Ed25519", "kty": "OKP", "x": rfc_x}
    assert repr(public) == f"PublicKey(kid='{rfc_kid}')"


def test_the_pem_reads_back(public: PublicKey, raw_rfc_key: Ed25519PrivateKey) -> None:
    assert public.pem() == spki(raw_rfc_key)
    assert read_public_key(public.pem(), source="k") == public


def test_verify_tells_its_own_signature_from_any_other(
    public: PublicKey, other: PublicKey, rfc_key: SigningKey
) -> None:
    signature = rfc_key.sign(b"message")
    assert public.verify(signature, b"message")
    assert not public.verify(signature, b"messagf")
    assert not other.verify(signature, b"message")
    for length in (0, 63, 65):
        assert not public.verify((signature + b"\0")[:length], b"message")


def test_a_public_key_cannot_exist_without_passing_the_gate() -> None:
    with pytest.raises(KeyFileError, match="order"):
        PublicKey(base64.urlsafe_b64decode(SMALL_ORDER_X + "="))


@pytest.mark.parametrize("form", ["x", "jwk", "ssh", "pem"])
def test_every_wrapping_passes_the_gate(form: str, jwk: dict[str, str]) -> None:
    raw = base64.urlsafe_b64decode(SMALL_ORDER_X + "=")
    der = bytes.fromhex("302a300506032b6570032100") + raw
    data = {
        "x": SMALL_ORDER_X.encode(),
        "jwk": json.dumps(jwk | {"x": SMALL_ORDER_X}).encode(),
        "ssh": b"ssh-ed25519 " + base64.b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + raw),
        "pem": b"-----BEGIN PUBLIC KEY-----\n" + base64.b64encode(der) + b"\n-----END PUBLIC KEY-----\n",
    }[form]
    message = refusal(data)
    assert "its order is not the prime L" in message
    assert ("fingerprint (kid)" in message) is (form == "x")


@pytest.mark.parametrize(
    ("private", "named"),
    [
        (rsa.generate_private_key(65537, 2048), "RSA"),
        (x25519.X25519PrivateKey.generate(), "X25519"),
        (ec.generate_private_key(ec.SECP256R1()), "EllipticCurve"),
        (ed448.Ed448PrivateKey.generate(), "Ed448"),
    ],
    ids=["RSA", "X25519", "EC", "Ed448"],
)
def test_another_type_of_public_pem_is_named(private: Any, named: str) -> None:
    data = spki(private)
    message = refusal(data)
    assert (
        f"found a public key of type {named}" in message
        or f"found a public key of type {named[:1]}" in message
    )
    assert "accepted: an Ed25519 public key" in message
    assert data.splitlines()[1].decode()[:16] not in message


@pytest.mark.parametrize(
    "private",
    [rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1())],
    ids=["ssh-rsa", "ecdsa"],
)
def test_another_type_of_ssh_line_is_named(private: Any) -> None:
    line = ssh(private)
    message = refusal(line)
    assert f'found an OpenSSH line "{line.split()[0].decode()}"' in message
    assert line.split()[1].decode()[:24] not in message


@pytest.mark.parametrize(
    "name", ["sk-ssh-ed25519@openssh.com", "ssh-ed25519-cert-v01@openssh.com", "ecdsa-sha2-nistp256"]
)
def test_ssh_lines_that_merely_look_alike_are_refused(name: str) -> None:
    assert f'"{name}"' in refusal(f"{name} AAAAC3NzaC1lZDI1NTE5AAAA")


@pytest.mark.parametrize(
    "label",
    ["PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"],
)
def test_a_private_pem_is_refused_with_the_way_to_publish(label: str) -> None:
    message = refusal(f"-----BEGIN {label}-----\nc2VjcmV0\n-----END {label}-----\n")
    assert "private key" in message
    assert "`key publish`" in message
    assert "c2VjcmV0" not in message


def test_a_real_private_pem_is_not_silently_used(raw_rfc_key: Ed25519PrivateKey) -> None:
    for layout in (PrivateFormat.PKCS8, PrivateFormat.OpenSSH):
        message = refusal(raw_rfc_key.private_bytes(Encoding.PEM, layout, NoEncryption()))
        assert "`key publish`" in message


@pytest.mark.parametrize("label", ["CERTIFICATE", "RSA PUBLIC KEY", "CERTIFICATE REQUEST", "SSH CERTIFICATE"])
def test_another_pem_block_is_named_by_its_label(label: str) -> None:
    message = refusal(f"-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n")
    assert f'found a PEM block "{label}"' in message
    assert "accepted:" in message


def test_a_private_jwk_is_refused_with_the_way_to_publish(jwk: dict[str, str], rfc_d: str) -> None:
    message = refusal(json.dumps(jwk | {"d": rfc_d}))
    assert "`key publish`" in message
    assert rfc_d not in message


@pytest.mark.parametrize(
    ("jwk", "words"),
    [
        ({"kty": "RSA", "n": "AQAB", "e": "AQAB"}, "found a JWK of type RSA;"),
        ({"kty": "OKP", "crv": "X25519", "x": "AA"}, "found a JWK of type OKP on X25519;"),
        ({"kty": "EC", "crv": "P-256"}, "found a JWK of type EC on P-256;"),
        ({"kty": "AKP"}, "found a JWK of type AKP;"),
        ({"kty": "OKP"}, "found a JWK of type OKP;"),
        ({"kty": "OKP", "crv": ["Ed25519"]}, "found a JWK of type OKP;"),
        ({"kty": "c2VjcmV0", "crv": "c2VjcmV0"}, "found a JWK of unknown type;"),
        ({"crv": "Ed25519"}, "found a JWK of unknown type"),
        ({}, "found a JWK of unknown type;"),
    ],
)
def test_another_type_of_jwk_is_named_by_registered_names_alone(jwk: dict[str, Any], words: str) -> None:
    message = refusal(json.dumps(jwk))
    assert words in message
    assert "c2VjcmV0" not in message


@pytest.mark.parametrize(
    "x", [None, 1, "", "AA", "=", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURp", SMALL_ORDER_X + "="]
)
def test_a_jwk_whose_x_is_not_32_canonical_bytes_is_refused(x: object, jwk: dict[str, str]) -> None:
    assert "x of the JWK is not the base64url of 32 bytes" in refusal(json.dumps(jwk | {"x": x}))


def test_a_bare_x_with_stray_last_bits_is_refused(rfc_x: str) -> None:
    assert "stray last bits" in refusal(rfc_x[:-1] + "p")


def test_a_padded_x_is_no_key(rfc_x: str) -> None:
    assert "no key in any form" in refusal(rfc_x + "=")


def test_a_jwk_set_is_pointed_to_its_flag(jwk: dict[str, str]) -> None:
    assert "--jwks" in refusal(json.dumps({"keys": [jwk]}))


@pytest.mark.parametrize(
    "data", ["{", '{"kty":"OKP","kty":"OKP"}', '{"x": NaN}', '{"kty":"OKP"} {"kty":"OKP"}', "{" * 60_000]
)
def test_a_jwk_that_is_not_strict_json_is_refused(data: str) -> None:
    assert "not strict JSON" in refusal(data)


def test_the_message_about_broken_json_quotes_nothing(rfc_d: str) -> None:
    assert rfc_d not in refusal('{"d": "' + rfc_d + '" "x"}')


@pytest.mark.parametrize("data", ["", b"", " \r\n"])
def test_an_empty_file_is_refused(data: bytes | str) -> None:
    assert "found nothing" in refusal(data)


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"\x30\x2a\x30\x05\x80", "\ud800"])
def test_what_is_no_text_is_refused(data: bytes | str) -> None:
    assert "binary data" in refusal(data)


def test_a_file_past_the_size_of_a_key_is_refused() -> None:
    assert "65537 bytes" in refusal(b"a" * 65537)
    assert "no key in any form" in refusal(b"a" * 65536)


def test_two_keys_in_one_file_are_refused(public: PublicKey, other: PublicKey) -> None:
    assert "found 2 PEM blocks" in refusal(public.pem() + other.pem())


def test_two_ssh_lines_are_refused(raw_rfc_key: Ed25519PrivateKey) -> None:
    assert "found 2 lines" in refusal(ssh(raw_rfc_key) + b"\n" + ssh(raw_rfc_key))


def test_a_pem_whose_line_breaks_were_lost_is_explained(public: PublicKey) -> None:
    assert "without line breaks" in refusal(public.pem().strip().replace(b"\n", b"\\n"))


def test_a_damaged_pem_is_refused(public: PublicKey) -> None:
    pem = public.pem().decode()
    assert "damaged" in refusal(pem.replace("MCowBQYDK2Vw", "MCowBQYDK2V4"))
    assert "damaged" in refusal(pem.replace("MCow", "MCox"))
    assert "damaged" in refusal("\n".join(pem.splitlines()[:2]))


@pytest.mark.parametrize(
    "blob",
    [
        "AAAA",
        "*",
        "é",
        base64.b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0\x21" + bytes(33)).decode(),
        base64.b64encode(b"\0\0\0\x0bssh-ed25518\0\0\0\x20" + bytes(32)).decode(),
        base64.b64encode(b"\0\0\0\x07ssh-rsa\0\0\0\x20" + bytes(36)).decode(),
        base64.b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + bytes(31)).decode(),
    ],
)
def test_a_damaged_ssh_line_is_refused(blob: str) -> None:
    assert "line is damaged" in refusal(f"ssh-ed25519 {blob} comment")
