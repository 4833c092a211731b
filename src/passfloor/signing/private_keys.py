"""Private keys: read from the common wrappings, made anew, written as PKCS#8."""

import itertools
from typing import Any, NoReturn

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    load_ssh_private_key,
)

from passfloor.errors import KeyFileError
from passfloor.signing import base64url
from passfloor.signing.names import PASSWORD_VARIABLE
from passfloor.signing.points import KEY_BYTES
from passfloor.signing.public_keys import PublicKey
from passfloor.signing.wrappings import Wrapping, describe_jwk, describe_key, read_json_object, unwrap

ACCEPTED = "accepted: an Ed25519 private key as PKCS#8 PEM, as an OpenSSH private key or as a JWK"


class SigningKey:
    """An Ed25519 private key. Its repr shows the fingerprint alone."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self._public = PublicKey(key.public_key().public_bytes_raw())

    @property
    def public(self) -> PublicKey:
        """The public half."""
        return self._public

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte signature of ``message``; the same message gives the same bytes (RFC 8032)."""
        return self._key.sign(message)

    def pem(self, password: bytes | None = None) -> bytes:
        """Return the key as PKCS#8 PEM.

        Args:
            password: encrypts the key when given.

        Raises:
            KeyFileError: the passphrase is empty, which would look like protection and be none.
        """
        encryption: KeySerializationEncryption = NoEncryption()
        if password is not None:
            if not password:
                raise KeyFileError(f"the passphrase is empty; set {PASSWORD_VARIABLE} to one, or unset it")
            encryption = BestAvailableEncryption(password)
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)

    @property
    def has_trivial_seed(self) -> bool:
        """Whether each byte of the seed is the one before plus the same number: all zero, or counting."""
        seed = self._key.private_bytes_raw()
        steps = {(after - before) % 256 for before, after in itertools.pairwise(seed)}
        return len(steps) == 1

    def __repr__(self) -> str:
        return f"SigningKey(kid={self.public.kid!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SigningKey is not pickled: it must not travel to another process by accident")


def generate() -> SigningKey:
    """Return a new key from the operating system's generator."""
    return SigningKey(Ed25519PrivateKey.generate())


def read_private_key(data: bytes, *, password: bytes | None, source: str) -> SigningKey:
    """Read one private key in any accepted wrapping.

    Args:
        data: PKCS#8 PEM (encrypted or not), an OpenSSH private key, or a private JWK.
        password: the passphrase; not looked at when the key is not encrypted.
        source: what to call the key in a message.

    Raises:
        KeyFileError: another kind of key, a damaged one, or a passphrase that is missing or wrong. The
            message quotes no part of the key or the passphrase.
    """
    wrapping = unwrap(data, source=source)
    if wrapping.kind == "json":
        return _from_jwk(read_json_object(wrapping.text, source=source), source)
    if wrapping.is_private:
        return _from_pem(wrapping, password, source)
    raise KeyFileError(f"{source}: found {wrapping.found}; {ACCEPTED}")


def _from_jwk(jwk: dict[str, Any], source: str) -> SigningKey:
    if jwk.get("kty") != "OKP" or jwk.get("crv") != "Ed25519":
        raise KeyFileError(f"{source}: found {describe_jwk(jwk)}; {ACCEPTED}")
    if "d" not in jwk:
        raise KeyFileError(
            f"{source}: found a public JWK (it has no d) where a private key is wanted; {ACCEPTED}"
        )
    seed = base64url.decode(jwk["d"]) if isinstance(jwk["d"], str) else None
    if seed is None or len(seed) != KEY_BYTES:
        raise KeyFileError(
            f"{source}: d of the JWK is not the base64url of {KEY_BYTES} bytes; export it again"
        )
    key = SigningKey(Ed25519PrivateKey.from_private_bytes(seed))
    if jwk.get("x") != key.public.x:
        raise KeyFileError(f"{source}: x of the JWK does not belong to its d; export the key again")
    return key


def _from_pem(wrapping: Wrapping, password: bytes | None, source: str) -> SigningKey:
    data = wrapping.text.encode("utf-8")
    try:
        try:
            key = _load(wrapping, data, None)
        except TypeError:
            # The library's word for "encrypted, and no passphrase given".
            key = _load_encrypted(wrapping, data, password, source)
    except UnsupportedAlgorithm as error:
        if "bcrypt" in str(error):
            raise KeyFileError(
                f"{source}: an encrypted OpenSSH key needs the bcrypt package; "
                "install it, or convert a copy with `ssh-keygen -p -m PKCS8`"
            ) from None
        raise KeyFileError(f"{source}: found a private key of an unsupported type; {ACCEPTED}") from None
    except ValueError:
        raise KeyFileError(f"{source}: found {wrapping.found} that is damaged; {ACCEPTED}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(f"{source}: found a private key of type {describe_key(key)}; {ACCEPTED}")
    return SigningKey(key)


def _load_encrypted(wrapping: Wrapping, data: bytes, password: bytes | None, source: str) -> object:
    if not password:
        raise KeyFileError(
            f"{source}: the key is encrypted; set its passphrase in {PASSWORD_VARIABLE}"
        ) from None
    try:
        return _load(wrapping, data, password)
    except ValueError:
        raise KeyFileError(
            f"{source}: the key does not open with the passphrase in {PASSWORD_VARIABLE}; correct it"
        ) from None


def _load(wrapping: Wrapping, data: bytes, password: bytes | None) -> object:
    load = load_ssh_private_key if wrapping.label == "OPENSSH PRIVATE KEY" else load_pem_private_key
    return load(data, password)
