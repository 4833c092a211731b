"""Why a receipt was rejected, in a few words: for a line that says no more."""

from passfloor.report.wording import VERDICTS
from passfloor.verification.findings import Finding
from passfloor.verification.result import Verification


def deciding(outcome: Verification) -> Finding | None:
    """The first finding that the overall status is that of; None for MATCH."""
    return next((finding for finding in outcome.findings if finding.status is outcome.status), None)


def rejection(outcome: Verification) -> str:
    """``UNSIGNED/key_unknown, nobody who is trusted signed it``: status, code and what it means."""
    first = deciding(outcome)
    code = "" if first is None else f"/{first.code}"
    return f"{outcome.status}{code}, {VERDICTS[outcome.status]}"
