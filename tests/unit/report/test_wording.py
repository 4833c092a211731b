"""The closed lists are complete."""

from passfloor.checking.check import CheckStatus
from passfloor.report.wording import CHECKS, NOT_COVERED, VERDICTS
from passfloor.verification.findings import Status
from passfloor.verification.limits_of_proof import NOT_ESTABLISHED, WHERE_IT_APPLIES


def test_every_status_has_one_sentence():
    assert set(VERDICTS) == set(Status)
    assert set(CHECKS) == set(CheckStatus)
    assert set(NOT_COVERED) == {*NOT_ESTABLISHED, *WHERE_IT_APPLIES}


def test_no_sentence_of_a_rejection_reads_like_a_match():
    assert len(set(VERDICTS.values())) == len(VERDICTS)
    assert all("trusted key signed" not in text for status, text in VERDICTS.items() if status != "MATCH")
