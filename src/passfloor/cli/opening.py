"""The flags that put into a run's opening what was said before it: a challenge, a commitment."""

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli.outputs import note
from passfloor.cli.policies import read_challenge, read_evidence
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.journal.run_folder import RunFolder
    from passfloor.models.plan import Plan
    from passfloor.models.precommit import Precommit


@dataclass(frozen=True)
class Said:
    """What was said before a run; None where nothing was.

    Attributes:
        challenge: By the relying party.
        precommit_hash: By the signer: of the commitment to the plan.
    """

    challenge: str | None = None
    precommit_hash: str | None = None


@dataclass(frozen=True)
class OpeningFlags:
    """The flags as given."""

    challenge: Annotated[
        str | None,
        typer.Option(
            "--challenge",
            metavar="NONCE|FILE",
            help="The challenge of whoever will verify the receipt, sealed: the run is no older than that.",
        ),
    ] = None
    commitment: Annotated[
        str | None,
        typer.Option(
            "--commitment",
            metavar="FILE",
            help="The commitment that bench commit wrote, sealed: another plan than that is refused.",
        ),
    ] = None

    def said(self, plan: "Plan", *, stub: bool) -> Said:
        """What the opening of a run of ``plan`` holds; ``stub``: the test stub will sign it.

        Raises:
            UsageError: the challenge is none; or the commitment is none, is to another plan, or is not signed
                so that it can count.
        """
        challenge = None if self.challenge is None else read_challenge(self.challenge)
        if self.commitment is None:
            return Said(challenge)
        try:
            commitment = _fit(read_evidence(self.commitment, "the commitment"), plan, stub=stub)
        except UsageError as error:
            raise UsageError(f"--commitment {self.commitment!a}: {error}") from None
        return Said(challenge, commitment.precommit_hash)


def check_same(said: Said, old: "RunFolder", n: int) -> None:
    """A run that is gone on with was begun under what is said now, where anything is.

    Args:
        said: What is.
        old: The run.
        n: Attempts a task that are asked for now.

    Raises:
        UsageError: it was begun under something else.
    """
    opening, run = old.header.opening, old.header.run
    pairs = (
        ("--challenge", "challenge", said.challenge, opening.challenge),
        ("--commitment", "commitment", said.precommit_hash, opening.precommit_hash),
    )
    for flag, what, now, then in pairs:
        if now is not None and now != then:
            begun = f"without a {what}" if then is None else f"under the {what} {then}"
            raise UsageError(
                f"{flag}: run {run} was begun {begun}, and what a run was begun under cannot change; "
                f"leave --resume and --run out to start a new one, or {flag} to go on"
            )
    if opening.precommit_hash is not None and n > old.header.plan.n:
        note(
            f"warning: run {run} was committed to with n={old.header.plan.n}: with n={n} its receipt no "
            "longer answers to the commitment, since attempts are added once there are results"
        )


def _fit(data: bytes, plan: "Plan", *, stub: bool) -> "Precommit":
    """The commitment, which is to this plan and will count.

    Raises:
        UsageError: it is none, or not; says why.
    """
    from passfloor import commitments
    from passfloor.cli.options import VerifyFlags
    from passfloor.models.precommit import PRECOMMIT_TYP
    from passfloor.verification.steps.session import seconds_of
    from passfloor.verification.steps.signature import check_signed

    commitment = commitments.read(data)
    if found := commitments.differing(commitment.plan, plan):
        raise UsageError(
            f"it is to another plan ({'; '.join(found)}); put that back, or commit to this one "
            "with bench commit"
        )
    at = seconds_of(commitment.committed_at)
    if at is None or at > time.time():
        raise UsageError(
            f"it was made at {commitment.committed_at}, which is not before now: is the clock right?"
        )
    trust = VerifyFlags(allow_stub=stub).trust(os.environ)
    recomputed = commitment.precommit_hash
    signed = check_signed(commitment, recomputed, trust, at=at, typ=PRECOMMIT_TYP, what="commitment")
    for finding in signed.findings:
        if finding.code != "key_unknown":
            raise UsageError(f"it is {finding.code}: {finding.detail}")
        note(
            f"warning: the commitment is signed by {commitment.signer_fingerprint}, a key not known here: "
            "whoever verifies the receipt has to trust it as well"
        )
    return commitment
