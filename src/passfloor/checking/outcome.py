"""What a check found."""

from dataclasses import dataclass
from enum import StrEnum

from passfloor.verification.result import Verification

_JUDGEMENT_STEPS = frozenset({12, 13, 14, 16})
"""Findings of these steps are told and do not stop a check: the evidence itself is authentic and whole."""


class CheckStatus(StrEnum):
    """The verdict of a check that could be made."""

    PASS = "PASS"  # noqa: S105
    FAIL = "FAIL"
    UNDECIDED = "UNDECIDED"


class Mode(StrEnum):
    """How an attempt is made again."""

    RERUN = "rerun"
    REPLAY = "replay"


@dataclass(frozen=True)
class AttemptCheck:
    """One attempt, as recorded against as it went again.

    Attributes:
        coordination_identical: The same was done; an attempt recorded as errored was reproduced as far as it
            went.
        byte_identical: All events are equal but for timing, the model's output included; in a replay also
            but for their order and the numbers of calls.
        divergent_field: The first field that differs, such as ``events[3].route``, or None.
        detail: That field with both values, or why nothing can be told, or how far a recorded attempt that
            errored was reproduced, or an empty text.
        inconclusive: Nothing can be told: it errored earlier than the recorded attempt ended, alike up to
            there, or as ``detail`` says.
    """

    task_id: str
    attempt: int
    coordination_identical: bool
    byte_identical: bool
    divergent_field: str | None
    detail: str
    inconclusive: bool = False


@dataclass(frozen=True)
class Check:
    """The outcome of a check.

    Attributes:
        verification: What the receipt itself gave.
        attempts: What each attempt gave, in the order of the receipt.
        undecided: Why nothing was run although the receipt is authentic and whole; empty otherwise.
        mode: How attempts were made again.
        repeated: How often each was.
    """

    verification: Verification
    attempts: tuple[AttemptCheck, ...] = ()
    undecided: str = ""
    mode: Mode = Mode.RERUN
    repeated: int = 1

    @property
    def refused(self) -> bool:
        """Whether the receipt was not authentic and whole, so that nothing was run."""
        return any(finding.step not in _JUDGEMENT_STEPS for finding in self.verification.findings)

    @property
    def status(self) -> str:
        """PASS, FAIL or UNDECIDED; the receipt's own status where it was refused.

        It speaks of coordination alone: a false score or figure over authentic evidence is told beside it,
        and is the verifier's to reject. Attempts that part from each other in the receipt were not
        coordinated, however faithfully each is run again.
        """
        if self.refused:
            return str(self.verification.status)
        if any(finding.code == "diverged" for finding in self.verification.findings):
            return str(CheckStatus.FAIL)
        if any(not each.coordination_identical and not each.inconclusive for each in self.attempts):
            return str(CheckStatus.FAIL)
        if not self.attempts or any(each.inconclusive for each in self.attempts):
            return str(CheckStatus.UNDECIDED)
        return str(CheckStatus.PASS)

    @property
    def passed(self) -> bool:
        """Whether every compared attempt was coordinated as recorded."""
        return self.status == CheckStatus.PASS


def worst(rounds: list[AttemptCheck]) -> AttemptCheck:
    """Of several goes at one attempt the one that counts: a divergence, else what is undecided."""
    return min(rounds, key=lambda each: (each.coordination_identical, each.inconclusive, each.byte_identical))
