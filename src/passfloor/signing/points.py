"""The key gate: which 32 bytes may ever be trusted as an Ed25519 public key.

A key of small order makes one signature fit many messages, and a key outside the prime-order group, or
spelled in a second way, lets two verifiers disagree about the same signature (Chalkias, Garillot, Nikolaenko,
"Taming the many EdDSAs", 2020). Libraries differ in what they refuse, so the rule is applied here, before any
signature is looked at. The arithmetic is that of RFC 8032 section 5.1 in plain integers; public keys are no
secret, so it need not run in constant time.
"""

from passfloor.errors import KeyFileError

KEY_BYTES = 32
PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, PRIME) % PRIME
_SQRT_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)

# Extended homogeneous coordinates (X, Y, Z, T): x = X/Z, y = Y/Z, xy = T/Z (RFC 8032 section 5.1.4).
Point = tuple[int, int, int, int]
_NEUTRAL: Point = (0, 1, 1, 0)


def check_public_key(raw: bytes) -> None:
    """Refuse bytes that are not the canonical encoding of a point of order exactly L.

    Args:
        raw: the public key as it stands on the wire (RFC 8032 section 5.1.2); takes about 2 ms.

    Raises:
        KeyFileError: wrong length, y not below p, sign bit set on x = 0, no such point on the curve, or a
            point of any order but L (small order, or with a small-order part). No key bytes are quoted.
    """
    if len(raw) != KEY_BYTES:
        raise KeyFileError(
            f"an Ed25519 public key is {KEY_BYTES} bytes, found {len(raw)}; give the whole key"
        )
    point = _decompress(raw)
    if _is_neutral(point) or not _is_neutral(_multiply(ORDER, point)):
        raise _weak("its order is not the prime L")


def _decompress(raw: bytes) -> Point:
    """Return the point that ``raw`` encodes (RFC 8032 section 5.1.3), or its negative: their order is one."""
    encoded = int.from_bytes(raw, "little")
    sign, y = encoded >> 255, encoded & (1 << 255) - 1
    if y >= PRIME:
        raise _weak("its encoding is not canonical (y is not below p)")
    x = _recover_x(y)
    if x == 0 and sign:
        raise _weak("its encoding is not canonical (sign bit set on x = 0)")
    return x, y, 1, x * y % PRIME


def _recover_x(y: int) -> int:
    """Return a square root of (y^2 - 1) / (d y^2 + 1), the divisor being never zero."""
    numerator, divisor = y * y - 1, _D * y * y + 1
    square = numerator * pow(divisor, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * _SQRT_MINUS_ONE % PRIME
    if (x * x - square) % PRIME:
        raise _weak("it is not a point of the curve")
    return x


def _add(left: Point, right: Point) -> Point:
    """Return the sum; the formulas are complete, so they hold for doubling and small orders too."""
    x1, y1, z1, t1 = left
    x2, y2, z2, t2 = right
    a, b = (y1 - x1) * (y2 - x2) % PRIME, (y1 + x1) * (y2 + x2) % PRIME
    c, d = 2 * t1 * t2 * _D % PRIME, 2 * z1 * z2 % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def _multiply(scalar: int, point: Point) -> Point:
    total = _NEUTRAL
    while scalar:
        if scalar & 1:
            total = _add(total, point)
        point = _add(point, point)
        scalar >>= 1
    return total


def _is_neutral(point: Point) -> bool:
    # Of the points with y = 1 one alone, that with x = 0, is on the curve.
    _, y, z, _ = point
    return (y - z) % PRIME == 0


def _weak(reason: str) -> KeyFileError:
    return KeyFileError(f"unusable Ed25519 public key: {reason}; use a key made by a sound generator")
