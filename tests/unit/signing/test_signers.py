from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from passfloor.errors import UsageError
from passfloor.signing.jws import RECEIPT_TYP, verify_detached
from passfloor.signing.private_keys import SigningKey
from passfloor.signing.signers import Ed25519Signer, StubReliabilitySigner
from passfloor.signing.stub import stub_fingerprint, stub_payload, verify_stub

HASH = "7bc67da0a840d5b934fc9ae4c1fce166e998677f1dcbd5bf1c6f1cd960b2924c"


class Document(BaseModel):
    model_config = ConfigDict(frozen=True)
    receipt_hash: str
    signature: str = ""
    signer_fingerprint: str = ""
    other: int = 7


def test_the_stub_signs_a_copy_and_says_so() -> None:
    receipt = Document(receipt_hash=HASH)
    signed = StubReliabilitySigner().sign(receipt)
    assert receipt.signature == ""
    assert (signed.receipt_hash, signed.other) == (HASH, 7)
    assert signed.signer_fingerprint == StubReliabilitySigner().fingerprint == stub_fingerprint()
    assert signed.signer_fingerprint.endswith("-stub")
    assert verify_stub(signed.signature, HASH.encode())


def test_a_key_signs_a_copy_under_its_thumbprint(rfc_key: SigningKey, rfc_kid: str) -> None:
    receipt = Document(receipt_hash=HASH)
    signed = Ed25519Signer(rfc_key).sign(receipt)
    assert receipt.signature == ""
    assert (signed.receipt_hash, signed.other) == (HASH, 7)
    assert signed.signer_fingerprint == Ed25519Signer(rfc_key).fingerprint == rfc_kid
    assert verify_detached(signed.signature, HASH.encode(), rfc_key.public) == "ok"
    assert signed.signature == Ed25519Signer(rfc_key).sign_hash(HASH)


def test_a_signature_is_for_one_kind_of_artefact(rfc_key: SigningKey) -> None:
    stub = StubReliabilitySigner().sign_hash(HASH, typ="passfloor-commitment+jws")
    assert not verify_stub(stub, HASH.encode())
    assert verify_stub(stub, stub_payload(HASH.encode(), "passfloor-commitment+jws"))
    assert stub_payload(HASH.encode(), RECEIPT_TYP) == HASH.encode()
    named = Ed25519Signer(rfc_key).sign_hash(HASH, typ="passfloor-commitment+jws")
    assert verify_detached(named, HASH.encode(), rfc_key.public) == "header"
    assert verify_detached(named, HASH.encode(), rfc_key.public, typ="passfloor-commitment+jws") == "ok"


def test_bytes_are_signed_as_they_are(rfc_key: SigningKey) -> None:
    assert rfc_key.public.verify(Ed25519Signer(rfc_key).sign_bytes(b"message"), b"message")


@pytest.mark.parametrize("receipt_hash", ["", HASH.upper(), HASH[:-1], HASH + "\n", HASH + "0", "é" * 64])
def test_a_receipt_that_is_not_sealed_is_not_signed(receipt_hash: str, rfc_key: SigningKey) -> None:
    signer: Any
    for signer in (StubReliabilitySigner(), Ed25519Signer(rfc_key)):
        with pytest.raises(UsageError, match="64 lower-case hex"):
            signer.sign_hash(receipt_hash)
        with pytest.raises(UsageError, match="seal the receipt"):
            signer.sign(Document(receipt_hash=receipt_hash))
