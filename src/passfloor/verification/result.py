"""The outcome of one verification."""

from dataclasses import dataclass
from enum import StrEnum

from passfloor.aggregate import Numbers
from passfloor.models.check import CheckStatement
from passfloor.models.receipt import ReceiptHead
from passfloor.verification.findings import Finding, Status, overall
from passfloor.verification.served import ChangedModel, Served, changed_models


class Assurance(StrEnum):
    """What stands behind the signature: a trusted key, the public test stub, or nothing."""

    SIGNED = "signed"
    TEST = "test"
    NONE = "none"


@dataclass(frozen=True)
class Vouched:
    """What a check statement is worth for a receipt.

    Attributes:
        statement: It, where it is authentic, consistent and about this receipt; None otherwise.
        assurance: What stands behind its signature.
        anchor: Where the decision to trust its signer stands.
        problem: Why it is refused; empty where it is not.
    """

    statement: CheckStatement | None = None
    assurance: Assurance = Assurance.NONE
    anchor: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Verification:
    """What was found, and what was re-derived.

    Attributes:
        findings: In step order; empty for MATCH.
        assurance: What stands behind the signature.
        anchor: Where the decision to trust the signing key stands; empty without one.
        head: The receipt's members but its task results; None where they could not be read.
        receipt_hash: The hash recomputed from the content; None where the content could not be read.
        numbers: Counts and figures re-derived from the embedded attempts; None where they do not allow it.
        suite_source: Which suite it was judged by, for people.
        suite_tasks: How many tasks that suite has; the receipt may be about a selection of them.
        distinct_outputs: Per task id, how many different outputs stand among how many attempts.
        not_established: What no receipt like this can show, from a closed list.
        acts_compared: How many acts of agents were compared with another attempt's that had heard the same
            up to there; None where the rule is another than ``causal``.
        identity_marks: How often something declared by an identity field stands in recorded events.
        served: What providers said that they served, an entry for each attempt with such an answer.
        vouched: What the check statement that was given is worth; None where none was.
    """

    findings: tuple[Finding, ...]
    assurance: Assurance = Assurance.NONE
    anchor: str = ""
    head: ReceiptHead | None = None
    receipt_hash: str | None = None
    numbers: Numbers | None = None
    suite_source: str = ""
    suite_tasks: int = 0
    distinct_outputs: tuple[tuple[str, int, int], ...] = ()
    not_established: tuple[str, ...] = ()
    acts_compared: int | None = None
    identity_marks: int = 0
    served: tuple[Served, ...] = ()
    vouched: Vouched | None = None

    @property
    def changed_models(self) -> tuple[ChangedModel, ...]:
        """Where a provider said that it served another model than before for the same name, in order."""
        return changed_models(self.served)

    @property
    def status(self) -> Status:
        """The overall verdict."""
        return overall(self.findings)

    @property
    def matches(self) -> bool:
        """Whether every claim was re-derived and the signature is one to trust."""
        return self.status is Status.MATCH
