"""The outcome of one verification."""

import itertools
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from passfloor.aggregate import Numbers
from passfloor.models.check import CheckStatement
from passfloor.models.precommit import Precommit
from passfloor.models.receipt import ReceiptHead
from passfloor.models.redaction import Redaction
from passfloor.verification.account import Account
from passfloor.verification.findings import Finding, Status, overall
from passfloor.verification.served import ChangedModel, Served, changed_models

Document = TypeVar("Document")

HISTORY = ("challenge", "commitment", "ledger")
"""What bears on whether a run was the only one, by the name of the flag that asks for it."""


class Assurance(StrEnum):
    """What stands behind the signature: a trusted key, the public test stub, or nothing."""

    SIGNED = "signed"
    TEST = "test"
    NONE = "none"


@dataclass(frozen=True)
class Worth(Generic[Document]):
    """What a signed document that was given beside a receipt is worth for it.

    Attributes:
        document: It, where it is authentic, consistent and about this receipt or its run; None otherwise.
        assurance: What stands behind its signature.
        anchor: Where the decision to trust its signer stands.
        problem: Why it is refused; empty where it is not.
    """

    document: Document | None = None
    assurance: Assurance = Assurance.NONE
    anchor: str = ""
    problem: str = ""


Vouched = Worth[CheckStatement]
"""Of a check statement."""
Committed = Worth[Precommit]
"""Of a commitment."""


@dataclass(frozen=True)
class Redacted:
    """What a redacted receipt was made from.

    Attributes:
        redaction: As it is sealed.
        anchor: Where the decision to trust the original's signer stands; empty where they are not trusted.
    """

    redaction: Redaction
    anchor: str = ""


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
        attested: Task id and index of each attempt whose verdict is in part the signer's word: nobody
            evaluated it here.
        graders_run: How many verdicts of graders with code were derived again, by running them.
        vouched: What the check statement that was given is worth; None where none was.
        redacted: Of a redacted receipt, what it was made from; else None.
        answered: Whether the run answers the challenge that was asked for; None where none was.
        committed: What the commitment that was given is worth; None where none was.
        account: What the ledger that was given says of the run; None where none was.
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
    attested: tuple[tuple[str, int], ...] = ()
    graders_run: int = 0
    vouched: Vouched | None = None
    redacted: Redacted | None = None
    answered: bool | None = None
    committed: Committed | None = None
    account: Account | None = None

    @property
    def established(self) -> tuple[str, ...]:
        """What was asked for to see whether this was the only run, and held: of ``HISTORY``, in its order."""
        committed, account = self.committed, self.account
        held = (
            self.answered is True,
            committed is not None and committed.document is not None,
            account is not None and not account.problems and not account.others,
        )
        return tuple(itertools.compress(HISTORY, held))

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
