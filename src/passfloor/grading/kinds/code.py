"""Graders with code: nothing here runs any, so nothing here can say whether they hold."""

from typing import NoReturn

from passfloor.grading.evidence import Evidence
from passfloor.grading.unjudged import Attested
from passfloor.models.assertions import Command, Python

NOT_RUN = "its grader is code, which was not run"
"""Why the sealed verdict is its signer's word."""


def command(_assertion: Command, _evidence: Evidence) -> NoReturn:
    """Raise ``Attested``."""
    raise Attested(NOT_RUN)


def python(_assertion: Python, _evidence: Evidence) -> NoReturn:
    """Raise ``Attested``."""
    raise Attested(NOT_RUN)
