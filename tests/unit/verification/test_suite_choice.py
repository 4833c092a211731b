"""Whose suite judges: a built-in one comes before the one that the signer put into the receipt."""

import io

from passfloor import (
    MockReplayAdapter,
    ReliabilityRunner,
    StubReliabilitySigner,
    build_golden_suite_v1,
    receipts,
)
from passfloor.adapters.mock import MockScorer
from passfloor.suites import read_suite
from passfloor.verification.inputs import Inputs, Trust
from passfloor.verification.verifier import verify


def judged(builtin):
    suite = build_golden_suite_v1()
    unsigned = ReliabilityRunner(suite, MockReplayAdapter(), k=1).run()
    signed = StubReliabilitySigner().sign(unsigned)
    inputs = Inputs(
        now=signed.emitted_at,
        trust=Trust(allow_stub=True),
        read_suite=lambda document: read_suite(document, folder=None, source="embedded"),
        builtin=builtin,
        use_embedded_suite=True,
        synthetic_scorers={"mock": MockScorer()},
    )
    return verify(io.BytesIO(b"".join(receipts.write(signed.document()))), inputs)


def test_a_built_in_suite_judges_although_the_embedded_one_is_allowed():
    outcome = judged(lambda _version, _hash: build_golden_suite_v1())
    assert (outcome.matches, outcome.suite_source) == (True, "built in")
    assert "suite_choice" not in outcome.not_established


def test_without_one_the_embedded_suite_judges_and_that_is_said():
    outcome = judged(lambda _version, _hash: None)
    assert outcome.matches
    assert outcome.suite_source.startswith("embedded")
    assert "suite_choice" in outcome.not_established
