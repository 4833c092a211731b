"""Step 12: who judges the attempts, the declared assertions or a scorer of the adapter's own."""

from dataclasses import dataclass

from passfloor.grading import Scorer
from passfloor.models.plan import SYNTHETIC
from passfloor.models.receipt import ReceiptHead
from passfloor.verification.findings import Finding
from passfloor.verification.inputs import Inputs
from passfloor.verification.steps import signature
from passfloor.verification.steps.suite import ChosenSuite


@dataclass(frozen=True)
class Judge:
    """Who it is.

    Attributes:
        judged: There is somebody here who can and may.
        scorer: The scorer; None: the declared assertions.
        findings: Why there is nobody, where the receipt is not to be believed without.
    """

    judged: bool
    scorer: Scorer | None = None
    findings: tuple[Finding, ...] = ()


def choose(head: ReceiptHead, chosen: ChosenSuite, inputs: Inputs) -> Judge:
    """The judge of a receipt over the suite that was ``chosen``."""
    if not chosen.own_scorer or head.completion_only:
        return Judge(chosen.gradable)
    adapter = head.subject.adapter
    test_grade = signature.stub_allowed(head, inputs.trust)
    if adapter in SYNTHETIC and not test_grade:
        return Judge(judged=False)
    scorer = inputs.scorer or inputs.synthetic_scorers.get(adapter)
    if scorer is None or _cannot_have_judged(scorer, test_grade=test_grade):
        detail = (
            f"the attempts were judged by the own scorer of adapter '{adapter}'; "
            "verify it in Python with ReliabilityVerifier(suite=..., adapter=...)"
        )
        return Judge(judged=False, findings=(Finding(12, "scorer", detail, path="subject.adapter"),))
    return Judge(judged=True, scorer=scorer)


def _cannot_have_judged(scorer: Scorer, *, test_grade: bool) -> bool:
    """Whether a scorer is out of place: it asks the declared assertions, or passes whatever it is shown."""
    synthetic = getattr(scorer, "key", None) in SYNTHETIC
    return getattr(scorer, "declared", False) is True or (synthetic and not test_grade)
