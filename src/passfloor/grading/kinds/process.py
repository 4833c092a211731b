"""How the attempt ended."""

from passfloor.grading.evidence import Evidence
from passfloor.models.assertions import Completed, ExitCode


def completed(_assertion: Completed, _evidence: Evidence) -> bool:
    """True: graders are asked about finished attempts only."""
    return True


def exit_code(assertion: ExitCode, evidence: Evidence) -> bool:
    """Whether the exit status is the expected one; an attempt without one has not got it."""
    return evidence.exit_code == assertion.expected
