import base64
import hashlib
import hmac
import json
import warnings

import pytest
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc import jws as joserfc_jws
from joserfc.errors import BadSignatureError, SecurityWarning
from joserfc.jwk import OKPKey
from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS

from passfloor.signing import base64url
from passfloor.signing.jws import RECEIPT_TYP, header, sign_detached, verify_detached
from passfloor.signing.points import ORDER
from passfloor.signing.private_keys import SigningKey
from passfloor.signing.public_keys import PublicKey

PAYLOAD = hashlib.sha256(b'{"demo":1}').hexdigest().encode()
VECTOR = "cbEzJT7-PTH1ix9A5hZ3yxlX3n7JpyH5Xf7-qugIkKcE_TJHIJEalBzySx9dZquWfjcQBu_Z3ONx_teGovkvAw"


@pytest.fixture
def public(rfc_key: SigningKey) -> PublicKey:
    return rfc_key.public


@pytest.fixture
def signature(rfc_key: SigningKey) -> str:
    return sign_detached(rfc_key, PAYLOAD)


def sign_under(key: SigningKey, header_text: str | bytes, payload: bytes = PAYLOAD) -> str:
    """What the holder of the key can make: a true signature under any header text."""
    protected = base64url.encode(header_text.encode() if isinstance(header_text, str) else header_text)
    signing_input = f"{protected}.{base64url.encode(payload)}".encode()
    return f"{protected}..{base64url.encode(key.sign(signing_input))}"


def good_header(key_id: str, **more: object) -> str:
    return json.dumps({"alg": "EdDSA", "kid": key_id, "typ": RECEIPT_TYP} | more, separators=(",", ":"))


def test_the_published_vector_comes_out_to_the_letter(rfc_key: SigningKey, rfc_kid: str) -> None:
    assert PAYLOAD == b"7bc67da0a840d5b934fc9ae4c1fce166e998677f1dcbd5bf1c6f1cd960b2924c"
    protected, _, encoded = sign_detached(rfc_key, PAYLOAD, typ="reliability-receipt+jws").partition("..")
    assert encoded == VECTOR
    assert base64url.decode(protected) == (
        f'{{"alg":"EdDSA","kid":"{rfc_kid}","typ":"reliability-receipt+jws"}}'.encode()
    )


def test_the_header_is_fixed_text(rfc_kid: str) -> None:
    assert RECEIPT_TYP == "passfloor-reliability-receipt+jws"
    assert header(rfc_kid, RECEIPT_TYP).decode() == good_header(rfc_kid)
    assert header(rfc_kid, RECEIPT_TYP, "Ed25519").decode() == good_header(rfc_kid, alg="Ed25519")


def test_a_signature_verifies_under_either_name_of_the_algorithm(
    rfc_key: SigningKey, public: PublicKey, signature: str
) -> None:
    assert verify_detached(signature, PAYLOAD, public) == "ok"
    renamed = sign_under(rfc_key, good_header(public.kid, alg="Ed25519"))
    assert verify_detached(renamed, PAYLOAD, public) == "ok"


def test_the_name_of_the_algorithm_is_signed_too(signature: str, public: PublicKey) -> None:
    renamed = base64url.encode(header(public.kid, RECEIPT_TYP, "Ed25519"))
    assert verify_detached(f"{renamed}..{signature.partition('..')[2]}", PAYLOAD, public) == "sig_invalid"


def test_another_payload_is_refused(signature: str, public: PublicKey) -> None:
    assert verify_detached(signature, PAYLOAD.upper(), public) == "sig_invalid"
    assert verify_detached(signature, b"", public) == "sig_invalid"


def test_another_key_is_refused_even_under_the_expected_kid(public: PublicKey) -> None:
    stranger = SigningKey(Ed25519PrivateKey.from_private_bytes(b"\x07" * 32))
    assert verify_detached(sign_detached(stranger, PAYLOAD), PAYLOAD, public) == "header"
    assert verify_detached(sign_under(stranger, good_header(public.kid)), PAYLOAD, public) == "sig_invalid"


def test_a_signature_of_another_artefact_type_is_refused(rfc_key: SigningKey, public: PublicKey) -> None:
    statement = sign_detached(rfc_key, PAYLOAD, typ="passfloor-commitment+jws")
    assert verify_detached(statement, PAYLOAD, public) == "header"
    assert verify_detached(statement, PAYLOAD, public, typ="passfloor-commitment+jws") == "ok"


@pytest.mark.parametrize(
    "more",
    [
        {"crit": ["x"]},
        {"crit": ["b64"], "b64": False},
        {"b64": False},
        {"b64": True},
        {"jwk": {"crv": "Ed25519", "kty": "OKP", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}},
        {"jku": "https://example.org/keys"},
        {"x5u": "https://example.org/cert"},
        {"x5c": ["AAAA"]},
        {"alg": "none"},
        {"alg": "HS256"},
        {"alg": "Ed448"},
        {"alg": "eddsa"},
        {"alg": None},
        {"kid": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
        {"kid": None},
        {"typ": "JWT"},
        {"typ": None},
        {"cty": "x"},
    ],
    ids=lambda more: json.dumps(more)[:30],
)
def test_a_true_signature_under_any_other_header_is_refused(
    more: dict[str, object], rfc_key: SigningKey, public: PublicKey
) -> None:
    forged = sign_under(rfc_key, good_header(public.kid, **more))
    assert verify_detached(forged, PAYLOAD, public) == "header"


@pytest.mark.parametrize(
    "spelling",
    [
        '{"alg":"EdDSA","alg":"EdDSA","kid":"KID","typ":"TYP"}',
        '{"alg":"none","alg":"EdDSA","kid":"KID","typ":"TYP"}',
        '{"alg":"EdDSA","kid":"KID","kid":"KID","typ":"TYP"}',
        '{"alg":"EdDSA","\\u0061lg":"none","kid":"KID","typ":"TYP"}',
        '{"kid":"KID","alg":"EdDSA","typ":"TYP"}',
        '{"alg": "EdDSA","kid":"KID","typ":"TYP"}',
        '{"alg":"EdDSA","kid":"KID","typ":"TYP"}\n',
        '{"alg":"EdDSA","kid":"KID"}',
        '{"alg":"EdDSA","typ":"TYP"}',
        "{}",
        "[]",
        "",
        "\ufeff",
    ],
)
def test_a_true_signature_under_another_spelling_of_the_header_is_refused(
    spelling: str, rfc_key: SigningKey, public: PublicKey
) -> None:
    forged = sign_under(rfc_key, spelling.replace("KID", public.kid).replace("TYP", RECEIPT_TYP))
    assert verify_detached(forged, PAYLOAD, public) == "header"


def test_alg_none_with_an_empty_signature_is_refused(public: PublicKey) -> None:
    protected = base64url.encode(good_header(public.kid, alg="none").encode())
    assert verify_detached(f"{protected}..", PAYLOAD, public) == "header"


@pytest.mark.parametrize("alg", ["HS256", "EdDSA"])
@pytest.mark.parametrize("form", ["pem", "raw", "x"])
def test_an_hmac_under_the_public_key_is_refused(alg: str, form: str, public: PublicKey) -> None:
    secret = {"pem": public.pem(), "raw": public.raw, "x": public.x.encode()}[form]
    protected = base64url.encode(good_header(public.kid, alg=alg).encode())
    signing_input = f"{protected}.{base64url.encode(PAYLOAD)}".encode()
    tag = hmac.new(secret, signing_input, hashlib.sha256).digest()
    verdict = "header" if alg == "HS256" else "sig_encoding"
    assert verify_detached(f"{protected}..{base64url.encode(tag)}", PAYLOAD, public) == verdict


def test_a_signature_on_another_curve_is_refused(public: PublicKey) -> None:
    protected = base64url.encode(good_header(public.kid).encode())
    raw = Ed448PrivateKey.generate().sign(f"{protected}.{base64url.encode(PAYLOAD)}".encode())
    assert verify_detached(f"{protected}..{base64url.encode(raw)}", PAYLOAD, public) == "sig_encoding"


def test_a_scalar_past_the_order_is_refused(signature: str, public: PublicKey) -> None:
    protected, _, encoded = signature.partition("..")
    raw = base64url.decode(encoded)
    assert raw is not None
    scalar = int.from_bytes(raw[32:], "little")
    # S + L fits in 32 bytes and satisfies the equation as S does: only the check of S stands against it.
    malleable = raw[:32] + (scalar + ORDER).to_bytes(32, "little")
    assert verify_detached(f"{protected}..{base64url.encode(malleable)}", PAYLOAD, public) == "sig_invalid"


def test_every_other_last_letter_is_refused(signature: str, public: PublicKey) -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    verdicts = {letter: verify_detached(signature[:-1] + letter, PAYLOAD, public) for letter in alphabet}
    assert [letter for letter, verdict in verdicts.items() if verdict == "ok"] == [signature[-1]]
    assert {letter for letter, verdict in verdicts.items() if verdict != "sig_encoding"} == set("AQgw")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text + "==",
        lambda text: text + "=",
        lambda text: text + "A",
        lambda text: text + "\n",
        lambda text: text + " ",
        lambda text: text + ".x",
        lambda text: text[:-1],
        lambda text: text.replace("..", "..\n"),
        lambda text: text.replace("..", "..."),
        lambda text: text.replace("_", "/"),
        lambda text: text.partition("..")[0] + "..",
        lambda text: text.partition("..")[0],
        lambda text: text[:-3] + "é" + text[-2:],
    ],
)
def test_junk_around_the_signature_is_refused(spoil, signature: str, public: PublicKey) -> None:
    assert spoil(signature) != signature
    assert verify_detached(spoil(signature), PAYLOAD, public) == "sig_encoding"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "\n" + text,
        lambda text: " " + text,
        lambda text: text.replace("..", "=.."),
        lambda text: text.replace("..", "A.."),
        lambda text: text.replace("..", "." + base64url.encode(PAYLOAD) + "."),
        lambda text: text.replace("..", "."),
        lambda text: text[0].swapcase() + text[1:],
        lambda text: ".." + text,
        lambda text: "",
        lambda text: "..",
        lambda text: "\ud800",
        lambda text: "x" * 1_000_000,
        lambda text: "test-grade",
    ],
)
def test_junk_before_the_signature_is_refused(spoil, signature: str, public: PublicKey) -> None:
    assert spoil(signature) != signature
    assert verify_detached(spoil(signature), PAYLOAD, public) == "header"


def test_joserfc_verifies_what_is_signed_here(signature: str, public: PublicKey) -> None:
    with warnings.catch_warnings():
        # The name EdDSA is deprecated by RFC 9864, and is what deployed verifiers know.
        warnings.simplefilter("ignore", SecurityWarning)
        key = OKPKey.import_key(public.jwk())
        token = joserfc_jws.deserialize_compact(signature, key, algorithms=["EdDSA"], payload=PAYLOAD)
        assert token.headers() == {"alg": "EdDSA", "kid": public.kid, "typ": RECEIPT_TYP}
        with pytest.raises(BadSignatureError):
            joserfc_jws.deserialize_compact(signature, key, algorithms=["EdDSA"], payload=PAYLOAD[1:])


def test_what_joserfc_signs_verifies_here(rfc_d: str, public: PublicKey) -> None:
    key = OKPKey.import_key(public.jwk() | {"d": rfc_d})
    # Its members in the order of RFC 8785, it writes the very header that is expected here.
    protected = {"alg": "Ed25519", "kid": public.kid, "typ": RECEIPT_TYP}
    text = joserfc_jws.serialize_compact(protected, PAYLOAD, key, algorithms=["Ed25519"])
    detached = joserfc_jws.detach_content(text)
    assert verify_detached(detached, PAYLOAD, public) == "ok"


def test_jwcrypto_verifies_what_is_signed_here(signature: str, public: PublicKey) -> None:
    token = JWS()
    token.deserialize(signature)
    token.verify(JWK(**public.jwk()), detached_payload=PAYLOAD)
    assert json.loads(token.objects["protected"])["kid"] == public.kid
    assert JWK(**public.jwk()).thumbprint() == public.kid


def test_a_signature_is_deterministic_and_short(rfc_key: SigningKey, signature: str) -> None:
    assert sign_detached(rfc_key, PAYLOAD) == signature
    assert len(base64.urlsafe_b64decode(signature.partition("..")[2] + "==")) == 64
