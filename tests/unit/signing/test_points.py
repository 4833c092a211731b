import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from passfloor.errors import KeyFileError
from passfloor.signing.points import ORDER, PRIME, check_public_key

BASE_Y = 4 * pow(5, -1, PRIME) % PRIME
BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202
SQRT_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)
# The y of the points of order 8, a root of d y^4 + 2 y^2 - 1 (the signs of x and y give all four).
ORDER_8_Y = 2707385501144840649318225287225658788936804267575313519463743609750303402022


def encode(y: int, sign: int = 0) -> bytes:
    return (y | sign << 255).to_bytes(32, "little")


def test_the_base_point_and_its_negative_pass() -> None:
    check_public_key(encode(BASE_Y, BASE_X & 1))
    check_public_key(encode(BASE_Y, 1 - (BASE_X & 1)))


def test_keys_of_the_library_pass() -> None:
    for number in range(20):
        key = Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
        check_public_key(key.public_key().public_bytes_raw())


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_key_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(KeyFileError, match=rf"32 bytes, found {length};"):
        check_public_key(bytes(length))


@pytest.mark.parametrize(
    "raw",
    [
        encode(1),
        encode(PRIME - 1),
        encode(0, 0),
        encode(0, 1),
        encode(ORDER_8_Y, 0),
        encode(ORDER_8_Y, 1),
        encode(PRIME - ORDER_8_Y, 0),
        encode(PRIME - ORDER_8_Y, 1),
    ],
)
def test_each_of_the_eight_small_order_points_is_refused(raw: bytes) -> None:
    with pytest.raises(KeyFileError, match="order is not the prime L"):
        check_public_key(raw)


@pytest.mark.parametrize(
    "raw",
    [
        # B + (0, -1) = (-x, -y), and B + (i, 0) = (i y, i x): a sound key with a small part added.
        encode(PRIME - BASE_Y, (PRIME - BASE_X) & 1),
        encode(SQRT_MINUS_ONE * BASE_X % PRIME, SQRT_MINUS_ONE * BASE_Y % PRIME & 1),
    ],
)
def test_a_point_of_mixed_order_is_refused(raw: bytes) -> None:
    with pytest.raises(KeyFileError, match="order is not the prime L"):
        check_public_key(raw)


@pytest.mark.parametrize("y", range(PRIME, 2**255))
@pytest.mark.parametrize("sign", [0, 1])
def test_a_y_that_is_not_below_p_is_refused(y: int, sign: int) -> None:
    with pytest.raises(KeyFileError, match="y is not below p"):
        check_public_key(encode(y, sign))


@pytest.mark.parametrize("y", [1, PRIME - 1])
def test_a_sign_bit_on_x_zero_is_refused(y: int) -> None:
    with pytest.raises(KeyFileError, match="sign bit set on x = 0"):
        check_public_key(encode(y, 1))


@pytest.mark.parametrize("y", [2, 7, 8])
def test_a_y_without_a_point_is_refused(y: int) -> None:
    with pytest.raises(KeyFileError, match="not a point of the curve"):
        check_public_key(encode(y))


def test_the_message_quotes_no_key_bytes() -> None:
    with pytest.raises(KeyFileError) as caught:
        check_public_key(encode(2))
    assert encode(2).hex()[:8] not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_order_is_that_of_the_rfc() -> None:
    assert ORDER.bit_length() == 253
    assert f"{ORDER:x}".endswith("14def9dea2f79cd65812631a5cf5d3ed")
