"""The bytes by which a secret is found, where decoding does not already bring it to light."""

import base64

from passfloor.scrubbing.readings import joined

_STANDARD = b"+/"
_ADDRESS_SAFE = b"-_"


def forms(secret: str) -> set[bytes]:
    """The secret itself, without its line ends, with ``+`` for blanks, in hexadecimal and in base64.

    Percent signs, backslashes and wrapped rows are decoded by ``readings`` and not listed here.
    """
    data = secret.encode(errors="surrogateescape")
    shown = data.decode(errors="replace").encode()
    found = {data, shown, joined(data), joined(shown), data.replace(b" ", b"+")}
    # A text file on another system, and an output that went through one.
    found.add(data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    found |= {data.hex().encode(), data.hex().upper().encode()}
    for offset in range(3):
        inner = stable_base64(data, offset)
        found |= {inner, inner.translate(bytes.maketrans(_STANDARD, _ADDRESS_SAFE))}
    return found


def stable_base64(data: bytes, offset: int) -> bytes:
    """What the base64 text (RFC 4648 section 4) of anything that holds ``data`` has in common.

    Args:
        data: The bytes.
        offset: How many bytes stand before them, modulo 3.

    Returns:
        The characters that ``data`` alone decides: each stands for 6 bits, and the first and the last may
        share theirs with a neighbour.
    """
    encoded = base64.b64encode(bytes(offset) + data)
    first = -(-8 * offset // 6)
    last = 8 * (offset + len(data)) // 6
    return encoded[first:last]
