import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from passfloor.errors import KeyFileError
from passfloor.signing.private_keys import SigningKey, generate
from passfloor.signing.published import check_private, is_published

SEEDS = {
    "RFC 8032 TEST 1": "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    "RFC 8032 TEST 2": "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    "RFC 8032 TEST 3": "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
    "RFC 8032 TEST 1024": "f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5",
    "RFC 8032 TEST SHA(abc)": "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
    "RFC 8032 foo": "0305334e381af78f141cb666f6199f57bc3495335a256a95bd2a55bf546663f6",
    "RFC 8032 bar": "ab9c2853ce297ddab85c993b3ae14bcad39b2c682beabc27d6d4eb20711d6560",
    "all zero": "00" * 32,
    "all one": "ff" * 32,
    "counting": bytes(range(32)).hex(),
}


def key_of(seed: bytes) -> SigningKey:
    return SigningKey(Ed25519PrivateKey.from_private_bytes(seed))


@pytest.mark.parametrize("name", SEEDS)
def test_a_key_that_everybody_holds_does_not_sign(name: str) -> None:
    key = key_of(bytes.fromhex(SEEDS[name]))
    assert is_published(key.public)
    with pytest.raises(KeyFileError, match=f"k.pem: a published test key, {key.public.kid}.*`key generate`"):
        check_private(key, source="k.pem")


@pytest.mark.parametrize(
    "seed",
    [
        b"\x07" * 32,
        bytes(range(1, 33)),
        bytes(range(40, 8, -1)),
        bytes(range(0, 64, 2)),
        bytes((250 + step) % 256 for step in range(32)),
    ],
)
def test_a_seed_that_follows_a_pattern_does_not_sign(seed: bytes) -> None:
    key = key_of(seed)
    assert not is_published(key.public)
    with pytest.raises(KeyFileError, match=r"k\.pem: the seed of the key is no secret"):
        check_private(key, source="k.pem")


def test_a_key_from_the_generator_signs() -> None:
    for _ in range(20):
        key = generate()
        assert not key.has_trivial_seed
        check_private(key, source="k.pem")


def test_one_byte_off_the_pattern_is_no_pattern() -> None:
    assert not key_of(bytes(31) + b"\x01").has_trivial_seed
