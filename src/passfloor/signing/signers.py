"""Signers: what turns a hashed receipt into a signed one."""

import re
from collections.abc import Mapping
from typing import Any, Protocol, Self, TypeVar

from passfloor.errors import UsageError
from passfloor.models.plan import SYNTHETIC
from passfloor.signing.jws import RECEIPT_TYP, sign_detached
from passfloor.signing.private_keys import SigningKey
from passfloor.signing.stub import sign_stub, stub_fingerprint, stub_payload

_RECEIPT_HASH = re.compile(r"[0-9a-f]{64}")


class Sealable(Protocol):
    """A frozen document that carries its own hash and can be copied with members replaced."""

    @property
    def receipt_hash(self) -> str:
        """The hash that a signature covers: 64 lower-case hex characters."""
        ...

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with the members of ``update`` replaced."""
        ...


SealableT = TypeVar("SealableT", bound=Sealable)


class Signer(Protocol):
    """Whatever can sign a receipt."""

    @property
    def fingerprint(self) -> str:
        """What the receipt names as its ``signer_fingerprint``."""
        ...

    def sign_hash(self, receipt_hash: str, *, typ: str = RECEIPT_TYP) -> str:
        """Return the signature over the hash of a receipt, or of another artefact.

        Args:
            receipt_hash: 64 lower-case hex characters.
            typ: The artefact type, which keeps a signature of one kind from passing for another.

        Raises:
            UsageError: it is anything else, for instance the empty text of an unsealed receipt.
        """
        ...

    def sign(self, receipt: SealableT) -> SealableT:
        """Return a signed copy of ``receipt``; the hash is taken as it stands and not recomputed.

        Raises:
            UsageError: the receipt carries no hash yet.
        """
        ...


class StubReliabilitySigner:
    """Signs with the public stub constant: test-grade, names nobody."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the stub, which ends in ``-stub``."""
        return stub_fingerprint()

    def sign_hash(self, receipt_hash: str, *, typ: str = RECEIPT_TYP) -> str:
        """Return the stub signature, 64 hex characters; see ``Signer``."""
        return sign_stub(stub_payload(_payload(receipt_hash), typ))

    def sign(self, receipt: SealableT) -> SealableT:
        """Return a stub-signed copy; see ``Signer``."""
        return _signed(receipt, self)


class Ed25519Signer:
    """Signs with an Ed25519 key as a detached JWS."""

    def __init__(self, key: SigningKey) -> None:
        self._key = key

    @property
    def fingerprint(self) -> str:
        """The RFC 7638 thumbprint of the key, 43 characters."""
        return self._key.public.kid

    def sign_hash(self, receipt_hash: str, *, typ: str = RECEIPT_TYP) -> str:
        """Return the detached JWS ``H..S``; see ``Signer``."""
        return sign_detached(self._key, _payload(receipt_hash), typ=typ)

    def sign_bytes(self, message: bytes) -> bytes:
        """Return the raw signature, 64 bytes. What is signed says itself what it is: see ``signing.dsse``."""
        return self._key.sign(message)

    def sign(self, receipt: SealableT) -> SealableT:
        """Return a copy signed by the key; see ``Signer``.

        Raises:
            UsageError: the receipt carries no hash yet, or no real agent made it.
        """
        adapter = getattr(getattr(receipt, "subject", None), "adapter", None)
        if adapter in SYNTHETIC:
            raise UsageError(
                f"adapter '{adapter}' drives no real agent: only the test stub may sign for it; "
                "use StubReliabilitySigner"
            )
        return _signed(receipt, self)


def _payload(receipt_hash: str) -> bytes:
    if not _RECEIPT_HASH.fullmatch(receipt_hash):
        raise UsageError(
            f"receipt_hash must be 64 lower-case hex characters, found {len(receipt_hash)} of another kind; "
            "seal the receipt before signing it"
        )
    return receipt_hash.encode("ascii")


def _signed(receipt: SealableT, signer: Signer) -> SealableT:
    signature = signer.sign_hash(receipt.receipt_hash)
    return receipt.model_copy(update={"signature": signature, "signer_fingerprint": signer.fingerprint})
