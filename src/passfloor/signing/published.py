"""Keys that everybody holds: published test vectors, and seeds that anybody would try.

They pass the key gate, for nothing is wrong with the points. A signature by one of them names nobody.
"""

from passfloor.errors import KeyFileError
from passfloor.signing.private_keys import SigningKey
from passfloor.signing.public_keys import PublicKey

_PUBLISHED = frozenset(
    bytes.fromhex(text)
    for text in (
        # RFC 8032 section 7.1, TEST 1 (also RFC 8037 appendix A.1), TEST 2, TEST 3, TEST 1024, TEST SHA(abc)
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        # RFC 8032 section 7.2, foo and bar (the curve and the private key are those of Ed25519)
        "dfc9425e4f968f7f0c29f0259cf5f9aed6851c2bb4ad8bfb860cfee0ab248292",
        "0f1d1274943b91415889152e893d80e93275a1fc0b65fd71b4b0dda10ad7d772",
        # The seeds of 32 bytes 0, of 32 bytes 255, and of the bytes 0 to 31
        "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29",
        "76a1592044a6e4f511265bca73a604d90b0529d1df602be30a19a9257660d1f5",
        "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8",
    )
)

_HINT = "anybody can sign with it; make one with `key generate`"


def is_published(key: PublicKey) -> bool:
    """Whether the private half of ``key`` is known to everybody."""
    return key.raw in _PUBLISHED


def check_private(key: SigningKey, *, source: str) -> None:
    """Refuse to sign with a key that everybody holds, or whose seed is no secret.

    Args:
        key: The key.
        source: What to call it in a message.

    Raises:
        KeyFileError: It is a published test key, or its seed is one byte over and over, or counts up.
    """
    if is_published(key.public):
        raise KeyFileError(f"{source}: a published test key, {key.public.kid}: {_HINT}")
    if key.has_trivial_seed:
        raise KeyFileError(f"{source}: the seed of the key is no secret (it follows a pattern): {_HINT}")
