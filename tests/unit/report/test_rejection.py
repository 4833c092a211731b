"""Why a receipt was rejected, in a few words."""

from passfloor.report.rejection import deciding, rejection
from passfloor.verification.findings import Finding
from passfloor.verification.result import Verification


def test_the_finding_that_decides_is_named_though_others_come_before_it():
    policy = Finding(9, "coordination_unrecorded", "not recorded")
    unsigned = Finding(5, "key_revoked", "the key was revoked")
    outcome = Verification((policy, unsigned))
    assert deciding(outcome) is unsigned
    assert rejection(outcome) == "UNSIGNED/key_revoked, nobody who is trusted signed it"


def test_a_match_has_nothing_that_decides():
    outcome = Verification(())
    assert deciding(outcome) is None
    assert rejection(outcome).startswith("MATCH, every claim follows")
