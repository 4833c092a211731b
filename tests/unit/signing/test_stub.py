import pytest

from passfloor.signing.stub import sign_stub, stub_fingerprint, verify_stub

PAYLOAD = b"7bc67da0a840d5b934fc9ae4c1fce166e998677f1dcbd5bf1c6f1cd960b2924c"


def test_the_fingerprint_says_that_it_is_a_stub() -> None:
    assert stub_fingerprint() == "578f80bd0f4fa5b4-stub"


def test_the_signature_is_the_same_everywhere() -> None:
    assert sign_stub(PAYLOAD) == "c4f4a20e7c70791a8e049816b02a4ede5778e84c2f36ca7bd42f218048848729"


def test_the_stub_verifies_what_it_signed_and_nothing_else() -> None:
    assert verify_stub(sign_stub(PAYLOAD), PAYLOAD)
    assert not verify_stub(sign_stub(PAYLOAD), PAYLOAD[:-1] + b"d")


@pytest.mark.parametrize("signature", ["", "é", "\ud800", "0" * 64, "a" * 100_000])
def test_any_text_gets_a_verdict(signature: str) -> None:
    assert not verify_stub(signature, PAYLOAD)


def test_another_spelling_of_the_signature_is_refused() -> None:
    assert not verify_stub(sign_stub(PAYLOAD).upper(), PAYLOAD)
    assert not verify_stub(sign_stub(PAYLOAD) + "\n", PAYLOAD)
