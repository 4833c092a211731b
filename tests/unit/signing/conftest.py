"""The key of RFC 8037 appendix A.1, which every format test starts from."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from passfloor.signing.private_keys import SigningKey


@pytest.fixture(scope="session")
def rfc_d() -> str:
    return "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"


@pytest.fixture(scope="session")
def rfc_x() -> str:
    return "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"


@pytest.fixture(scope="session")
def rfc_kid() -> str:
    return "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


@pytest.fixture(scope="session")
def raw_rfc_key(rfc_d: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(rfc_d + "="))


@pytest.fixture(scope="session")
def rfc_key(raw_rfc_key: Ed25519PrivateKey) -> SigningKey:
    return SigningKey(raw_rfc_key)
