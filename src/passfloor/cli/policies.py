"""The policy flags: what a relying party asks of a receipt beyond that it is authentic and consistent."""

import os
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.verification.demands import Demands, ExpectedSubject

_HASH = re.compile(r"[0-9a-f]{64}")
_DURATION = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_DIGEST = "sha256:"
_MOST_CHALLENGE_BYTES = 1024


@dataclass(frozen=True)
class PolicyFlags:
    """The policy flags as given; what is not met is POLICY_FAILED."""

    min_floor: Annotated[
        str | None,
        typer.Option("--min-floor", metavar="X", help="Demand a pass^k of X or more, a decimal from 0 to 1."),
    ] = None
    min_k: Annotated[
        int | None,
        typer.Option("--min-k", metavar="K", help="Demand a draw size k of K or more.", min=1),
    ] = None
    expect_suite_hash: Annotated[
        str | None,
        typer.Option(
            "--expect-suite-hash", metavar="H", help="Demand that the tasks run have this suite hash, 64 hex."
        ),
    ] = None
    expect_subject: Annotated[
        str | None,
        typer.Option(
            "--expect-subject",
            metavar="NAME[@VERSION]",
            help="Demand that the signer names this agent; or sha256:DIGEST, of its adapter and command.",
        ),
    ] = None
    max_age: Annotated[
        str | None,
        typer.Option(
            "--max-age",
            metavar="DURATION",
            help="Demand that the run began at most so long ago, by its signer's clock: 90s, 15m, 12h, 30d, "
            "2w.",
        ),
    ] = None
    require_distinct_outputs: Annotated[
        bool,
        typer.Option(
            "--require-distinct-outputs", help="Demand that no two attempts of a task have the same output."
        ),
    ] = False
    challenge: Annotated[
        str | None,
        typer.Option(
            "--challenge", metavar="NONCE|FILE", help="Demand that the run was begun under this challenge."
        ),
    ] = None
    commitment: Annotated[
        str | None,
        typer.Option(
            "--commitment", metavar="FILE", help="Demand that the run was begun under this commitment."
        ),
    ] = None
    ledger: Annotated[
        str | None,
        typer.Option(
            "--ledger",
            metavar="FILE",
            help="Demand that this ledger, which its signer keeps, holds the run and no other of the same "
            "suite and agent.",
        ),
    ] = None
    allow_other_runs: Annotated[
        bool,
        typer.Option("--allow-other-runs", help="Accept such other runs in the ledger; they are listed."),
    ] = False

    def demands(self) -> "Demands":
        """The same as verification takes it; reads the files that are named.

        Raises:
            UsageError: a value is malformed, or a file cannot be read.
        """
        from passfloor.comparison.thresholds import share
        from passfloor.verification.demands import Demands

        if self.allow_other_runs and self.ledger is None:
            raise UsageError("--allow-other-runs is about the ledger: add --ledger FILE, or leave it out")
        floor = self.min_floor
        return Demands(
            min_floor=None if floor is None else Fraction(share(floor, "--min-floor")),
            min_k=self.min_k,
            suite_hash=None if self.expect_suite_hash is None else _suite_hash(self.expect_suite_hash),
            subject=None if self.expect_subject is None else _subject(self.expect_subject),
            max_age=None if self.max_age is None else _seconds(self.max_age),
            distinct_outputs=self.require_distinct_outputs,
            challenge=None if self.challenge is None else read_challenge(self.challenge),
            commitment=None if self.commitment is None else read_evidence(self.commitment, "the commitment"),
            ledger=None if self.ledger is None else read_evidence(self.ledger, "the ledger"),
            other_runs=self.allow_other_runs,
        )


def read_challenge(given: str) -> str:
    """The challenge that is given as itself, or in a file.

    Raises:
        UsageError: the file cannot be read, or it is none.
    """
    from passfloor.commitments import check_challenge

    if not os.path.exists(given):  # noqa: PTH110  # a challenge may be no valid path
        return check_challenge(given)
    try:
        with Path(given).open("rb") as stream:
            content = stream.read(_MOST_CHALLENGE_BYTES)
    except OSError as error:
        raise UsageError(f"cannot read the challenge {given!a}: {error.strerror}") from error
    return check_challenge(content.decode("ascii", "replace").strip())


def read_evidence(path: str, what: str) -> bytes:
    """The content of a file that is held against a receipt; of one that is too long its start.

    Raises:
        UsageError: it is missing, unreadable or a folder.
    """
    from passfloor.receipts import MAX_BYTES

    try:
        with Path(path).open("rb") as stream:
            return stream.read(MAX_BYTES)
    except OSError as error:
        raise UsageError(f"cannot read {what} {path!a}: {error.strerror}") from error


def _suite_hash(text: str) -> str:
    if not _HASH.fullmatch(text):
        raise UsageError(
            f"--expect-suite-hash {text[:80]!a}: give all 64 lower-case hex digits, "
            "as passfloor suite hash prints them"
        )
    return text


def _subject(text: str) -> "ExpectedSubject":
    from passfloor.verification.demands import ExpectedSubject

    if text.startswith(_DIGEST):
        if not _HASH.fullmatch(digest := text.removeprefix(_DIGEST)):
            raise UsageError(f"--expect-subject {text[:80]!a}: give 64 lower-case hex digits after {_DIGEST}")
        return ExpectedSubject(adapter_digest=digest)
    # The first letter may be an @, as in the name of a package of a scope.
    name, sign, version = text[1:].rpartition("@")
    name = text[:1] + name if sign else text
    if not name.strip() or (sign and not version.strip()):
        raise UsageError(f"--expect-subject {text[:80]!a}: give NAME, or NAME@VERSION with both of them")
    return ExpectedSubject(name=name, version=version if sign else None)


def _seconds(text: str) -> float:
    found = _DURATION.fullmatch(text)
    if found is None or not int(found[1]):
        raise UsageError(f"--max-age {text[:80]!a}: give a whole number and a unit: 90s, 15m, 12h, 30d or 2w")
    return float(int(found[1]) * _UNITS[found[2]])
