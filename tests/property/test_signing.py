"""Keys and signatures over many inputs: total functions, one spelling, no second signature."""

import base64
import json
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.errors import KeyFileError
from passfloor.signing import base64url
from passfloor.signing.jws import sign_detached, verify_detached
from passfloor.signing.key_sets import read_jwks
from passfloor.signing.points import check_public_key
from passfloor.signing.private_keys import SigningKey, read_private_key
from passfloor.signing.public_keys import PublicKey, read_public_key
from passfloor.signing.stub import sign_stub, verify_stub

KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
PAYLOAD = b"7bc67da0a840d5b934fc9ae4c1fce166e998677f1dcbd5bf1c6f1cd960b2924c"
SIGNATURE = sign_detached(KEY, PAYLOAD)
FRAGMENTS = (
    "-----BEGIN PUBLIC KEY-----",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    "-----END PUBLIC KEY-----",
    "ssh-ed25519 ",
    KEY.public.x,
    '{"kty":"OKP","crv":"Ed25519","x":',
    '{"keys":[',
    '"d":',
    "}]",
    "\n",
    "\r\n",
)
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=30), max_size=6).map("".join)


@given(st.binary(max_size=100))
def test_base64url_goes_both_ways(data: bytes) -> None:
    assert base64url.decode(base64url.encode(data)) == data


@given(st.text() | st.text(alphabet="AQgw_-=/+\n", max_size=8))
def test_a_text_that_decodes_is_the_one_spelling_of_its_bytes(text: str) -> None:
    data = base64url.decode(text)
    assert data is None or base64url.encode(data) == text


@settings(max_examples=50)
@given(st.binary(min_size=32, max_size=32))
def test_a_generated_key_passes_the_gate_in_every_wrapping(seed: bytes) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public = private.public_key()
    raw = public.public_bytes_raw()
    check_public_key(raw)
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": base64url.encode(raw)}
    forms = [
        public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH),
        json.dumps(jwk).encode(),
        jwk["x"].encode(),
    ]
    assert {read_public_key(form, source="k") for form in forms} == {PublicKey(raw)}
    private_forms = [
        private.private_bytes(Encoding.PEM, layout, NoEncryption())
        for layout in (PrivateFormat.PKCS8, PrivateFormat.OpenSSH)
    ]
    private_forms.append(json.dumps(jwk | {"d": base64url.encode(seed)}).encode())
    for form in private_forms:
        assert read_private_key(form, password=None, source="k").public == PublicKey(raw)


@given(st.binary(min_size=32, max_size=32))
def test_the_gate_judges_any_32_bytes(raw: bytes) -> None:
    try:
        key = PublicKey(raw)
    except KeyFileError:
        return
    assert key.raw == raw
    assert read_public_key(key.pem(), source="k") == key


def refusal(read: Callable[[], object]) -> str | None:
    try:
        read()
    except KeyFileError as error:
        return str(error)
    return None


@given(TEXTS | st.binary(max_size=200))
def test_reading_a_key_gives_a_key_or_one_line(data: str | bytes) -> None:
    private = data.encode("utf-8", "replace") if isinstance(data, str) else data
    for read in (
        lambda: read_public_key(data, source="k"),
        lambda: read_jwks(data, source="k"),
        lambda: read_private_key(private, password=b"p", source="k"),
    ):
        message = refusal(read)
        assert message is None or (message.startswith("k: ") and "\n" not in message)


@settings(max_examples=50)
@given(st.binary(max_size=300), st.text(max_size=20))
def test_what_is_signed_verifies(payload: bytes, typ: str) -> None:
    signature = sign_detached(KEY, payload, typ=typ)
    assert verify_detached(signature, payload, KEY.public, typ=typ) == "ok"
    assert verify_detached(signature, payload + b"\0", KEY.public, typ=typ) == "sig_invalid"
    assert verify_detached(signature, payload, KEY.public, typ=typ + "x") == "header"


@given(st.text())
def test_any_text_gets_a_verdict_and_it_is_never_ok(text: str) -> None:
    for candidate in (
        text,
        f"{SIGNATURE.partition('..')[0]}..{text}",
        f"{text}..{SIGNATURE.partition('..')[2]}",
    ):
        assert candidate == SIGNATURE or verify_detached(candidate, PAYLOAD, KEY.public) != "ok"
    assert verify_stub(text, PAYLOAD) is (text == sign_stub(PAYLOAD))


@given(st.integers(min_value=0, max_value=64 * 8 - 1))
def test_no_flipped_bit_of_a_signature_verifies(bit: int) -> None:
    protected, _, encoded = SIGNATURE.partition("..")
    raw = bytearray(base64.urlsafe_b64decode(encoded + "=="))
    raw[bit // 8] ^= 1 << bit % 8
    assert (
        verify_detached(f"{protected}..{base64url.encode(bytes(raw))}", PAYLOAD, KEY.public) == "sig_invalid"
    )


@given(st.integers(min_value=0, max_value=len(SIGNATURE) - 1), st.characters())
def test_no_changed_character_of_a_signature_verifies(position: int, character: str) -> None:
    changed = SIGNATURE[:position] + character + SIGNATURE[position + 1 :]
    expected = changed == SIGNATURE
    assert (verify_detached(changed, PAYLOAD, KEY.public) == "ok") is expected


def test_the_untouched_signature_verifies() -> None:
    assert verify_detached(SIGNATURE, PAYLOAD, KEY.public) == "ok"
    with pytest.raises(KeyFileError):
        check_public_key(bytes(32))
