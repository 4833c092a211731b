"""Evidence of which a part was taken out since it was sealed: what can still be said of it."""

from passfloor.grading.evidence import TOOL_KINDS, Evidence
from passfloor.grading.unjudged import Attested
from passfloor.models.assertions import Assertion

WITHHELD = "what it is about was taken out of the receipt"
"""Why the sealed verdict is its signer's word."""

_WITHOUT_CONTENT = frozenset({"file_exists", "file_absent"})
_PYTHON = ".py"


def check_held(assertion: Assertion, evidence: Evidence) -> None:
    """Do nothing where what the assertion is about is at hand.

    Raises:
        Attested: it was taken out, so that nobody here can evaluate the assertion.
    """
    if _is_withheld(assertion, evidence):
        raise Attested(WITHHELD)


def _is_withheld(assertion: Assertion, evidence: Evidence) -> bool:
    if assertion.kind in TOOL_KINDS:
        return evidence.withheld_calls
    if assertion.kind in _WITHOUT_CONTENT:
        return False
    if not hasattr(assertion, "path"):
        return False
    # Of one that was cut no grader would have said anything: that much follows without its content.
    files = [path for path in evidence.withheld_files if not evidence.files[path].cut]
    if assertion.path is None:
        return any(name.endswith(_PYTHON) for name in files)
    return assertion.path in files
