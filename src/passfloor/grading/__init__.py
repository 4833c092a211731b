"""Assertions judged over sealed evidence: pure and total, so that any verifier comes to the same verdict."""

from passfloor.grading.evidence import CapturedFile, Evidence, evidence_of
from passfloor.grading.faults import fault_of
from passfloor.grading.grade import Elsewhere, RunGrader, Verdict, grade
from passfloor.grading.registry import evaluate, unsupported, versions_of
from passfloor.grading.scorer import DeclaredScorer, Scorer, ScorerFailed, judge
from passfloor.grading.unjudged import Attested, CannotJudge

__all__ = [
    "Attested",
    "CannotJudge",
    "CapturedFile",
    "DeclaredScorer",
    "Elsewhere",
    "Evidence",
    "RunGrader",
    "Scorer",
    "ScorerFailed",
    "Verdict",
    "evaluate",
    "evidence_of",
    "fault_of",
    "grade",
    "judge",
    "unsupported",
    "versions_of",
]
