import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from passfloor.errors import KeyFileError
from passfloor.signing.key_sets import (
    ListedKey,
    is_key_set,
    jwks,
    read_jwks,
)
from passfloor.signing.private_keys import SigningKey
from passfloor.signing.public_keys import PublicKey
from passfloor.signing.validity import Revocation, Validity

SMALL_ORDER_X = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


@pytest.fixture
def public(rfc_key: SigningKey) -> PublicKey:
    return rfc_key.public


@pytest.fixture
def other() -> PublicKey:
    return SigningKey(Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)).public


def jwks_refusal(data: bytes | str) -> str:
    with pytest.raises(KeyFileError) as caught:
        read_jwks(data, source="jwks.json")
    message = str(caught.value)
    assert message.startswith("jwks.json: ")
    assert "\n" not in message
    return message


def test_a_jwk_set_gives_its_ed25519_keys_in_order_and_once(public: PublicKey, other: PublicKey) -> None:
    rsa_entry = {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "a"}
    x25519_entry = {"kty": "OKP", "crv": "X25519", "x": "AA"}
    entries = [other.jwk() | {"kid": "a"}, rsa_entry, x25519_entry, public.jwk(), other.jwk()]
    found = read_jwks(json.dumps({"keys": entries}).encode(), source="k")
    assert found == [ListedKey(other), ListedKey(public)]


def test_a_kid_of_a_jwk_set_is_no_identity(public: PublicKey, other: PublicKey, rfc_kid: str) -> None:
    (listed,) = read_jwks(json.dumps({"keys": [public.jwk() | {"kid": other.kid}]}), source="k")
    assert listed.key.kid == rfc_kid


def test_one_kid_for_two_keys_is_refused(public: PublicKey, other: PublicKey) -> None:
    entries = [public.jwk() | {"kid": "a"}, other.jwk() | {"kid": "a"}]
    assert "keys[1] has the kid of an earlier, different key" in jwks_refusal(json.dumps({"keys": entries}))


def test_one_kid_twice_for_one_key_is_honest(public: PublicKey) -> None:
    entries = [public.jwk() | {"kid": "a"}, public.jwk() | {"kid": "a"}, public.jwk() | {"kid": 7}]
    assert read_jwks(json.dumps({"keys": entries}), source="k") == [ListedKey(public)]


@pytest.mark.parametrize("kid", [7, None, ["a"]])
def test_a_kid_that_is_no_text_names_nothing(kid: object, public: PublicKey, other: PublicKey) -> None:
    entries = [public.jwk() | {"kid": kid}, other.jwk() | {"kid": kid}]
    assert read_jwks(json.dumps({"keys": entries}), source="k") == [ListedKey(public), ListedKey(other)]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], "not an object"),
        ({}, 'no "keys" list'),
        ({"keys": {}}, 'no "keys" list'),
        ({"keys": []}, "no Ed25519 key"),
        ({"keys": [{"kty": "RSA"}]}, "no Ed25519 key"),
        ({"keys": ["x"]}, "keys[0] is not an object"),
        ({"keys": [{}]}, "keys[0]: found a JWK of unknown type"),
        ({"keys": [{"kty": 1, "crv": "X25519"}]}, "keys[0]: found a JWK of unknown type"),
        ({"keys": [{"kty": "OKP"}]}, "keys[0]: found a JWK of type OKP"),
        ({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA"}]}, "keys[0]: x of the JWK"),
        ({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": SMALL_ORDER_X}]}, "keys[0]: unusable"),
        ({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA", "d": "AA"}]}, "keys[0]: found a private key"),
    ],
)
def test_a_malformed_jwk_set_is_refused(document: object, words: str) -> None:
    assert words in jwks_refusal(json.dumps(document))


def test_a_jwk_set_that_is_no_text_is_refused() -> None:
    assert "not strict JSON" in jwks_refusal(b"\xff")
    assert "not strict JSON" in jwks_refusal("\ud800")


def test_a_jwk_set_has_limits() -> None:
    assert "1048577 bytes, a JWK set has at most 1048576;" in jwks_refusal(b" " * (2**20 + 1))
    assert "not strict JSON" in jwks_refusal(b" " * 2**20)
    entries = [{"kty": "RSA"}] * 1001
    assert "1001 keys, at most 1000 are read" in jwks_refusal(json.dumps({"keys": entries}))
    assert "no Ed25519 key" in jwks_refusal(json.dumps({"keys": entries[1:]}))


def test_an_entry_is_published_with_its_name_and_use(public: PublicKey, rfc_x: str, rfc_kid: str) -> None:
    entry = {"crv": "Ed25519", "kty": "OKP", "x": rfc_x, "kid": rfc_kid, "use": "sig", "alg": "EdDSA"}
    assert jwks([ListedKey(public)]) == {"keys": [entry]}


def read_one(entry: dict[str, Any]) -> ListedKey:
    (listed,) = read_jwks(json.dumps({"keys": [entry]}), source="k")
    return listed


def test_a_published_window_and_revocation_read_back(public: PublicKey, other: PublicKey) -> None:
    listed = [
        ListedKey(public, Validity(100, 200.5)),
        ListedKey(other, Validity(revoked=Revocation(150, "lost"))),
    ]
    published = jwks(listed)
    assert published["keys"][0] | {"nbf": 100, "exp": 200.5} == published["keys"][0]
    assert published["keys"][1]["revoked"] == {"revoked_at": 150, "reason": "lost"}
    assert not {"nbf", "exp"} & set(published["keys"][1])
    assert read_jwks(json.dumps(published), source="k") == listed


def test_the_set_of_a_stranger_with_members_nobody_knows_reads(public: PublicKey) -> None:
    entry = {**public.jwk(), "iat": 5, "x5c": ["AA"], "key_ops": ["verify"], "iss": "https://x.example"}
    document = {"keys": [entry, {"kty": "RSA", "n": "AQAB", "e": "AQAB"}], "issuer": "x"}
    assert read_jwks(json.dumps(document), source="k") == [ListedKey(public)]


def test_members_that_are_null_say_nothing(public: PublicKey) -> None:
    entry = {**public.jwk(), "nbf": None, "exp": None, "revoked": None}
    assert read_one(entry) == ListedKey(public)


def test_a_reason_may_be_missing_and_a_long_one_is_cut(public: PublicKey) -> None:
    assert read_one({**public.jwk(), "revoked": {"revoked_at": 1}}).validity.revoked == Revocation(1, "")
    long = {**public.jwk(), "revoked": {"revoked_at": 1, "reason": "x" * 5000}}
    assert read_one(long).validity.revoked == Revocation(1, "x" * 200)


def test_of_a_key_listed_twice_the_strictest_counts(public: PublicKey) -> None:
    entries = [
        {**public.jwk(), "nbf": 10},
        {**public.jwk(), "exp": 90},
        {**public.jwk(), "nbf": 20, "exp": 95, "revoked": {"revoked_at": 50, "reason": "b"}},
    ]
    (listed,) = read_jwks(json.dumps({"keys": entries}), source="k")
    assert listed.validity == Validity(20, 90, Revocation(50, "b"))


@pytest.mark.parametrize("name", ["nbf", "exp"])
@pytest.mark.parametrize("value", ["2026-01-31", True, [], "100"])
def test_a_window_that_cannot_be_read_is_not_taken_for_an_open_one(
    name: str, value: object, public: PublicKey
) -> None:
    said = jwks_refusal(json.dumps({"keys": [{**public.jwk(), name: value}]}))
    assert f"keys[0]: {name} is not a number of seconds" in said


@pytest.mark.parametrize(
    "value",
    [True, "yes", 100, [], {}, {"reason": "x"}, {"revoked_at": None}, {"revoked_at": 1, "reason": 7}],
)
def test_what_might_be_a_revocation_is_not_taken_for_none(value: object, public: PublicKey) -> None:
    assert "keys[0]: revoked is not" in jwks_refusal(
        json.dumps({"keys": [{**public.jwk(), "revoked": value}]})
    )


def test_a_revocation_at_no_time_is_refused(public: PublicKey) -> None:
    entry = {**public.jwk(), "revoked": {"revoked_at": "now"}}
    assert "keys[0]: revoked: revoked_at is not a number" in jwks_refusal(json.dumps({"keys": [entry]}))


def test_a_set_is_told_from_a_key(public: PublicKey) -> None:
    assert is_key_set(b' {"keys": 1}', source="k")
    assert not is_key_set(json.dumps(public.jwk()).encode(), source="k")
    assert not is_key_set(public.pem(), source="k")
    with pytest.raises(KeyFileError, match="not strict JSON"):
        is_key_set(b"{", source="k")
