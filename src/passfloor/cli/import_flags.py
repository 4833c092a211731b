"""The flags of an import: what is said of the log, how its attempts are counted, what is sealed of them."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from passfloor.cli.options import RECEIPT_OUT, Force, MaxBytes, ReceiptOut, StubSigner
from passfloor.cli.plan_flags import ClaimFlags
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.importers.interface import Asked


def _column(role: str, words: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(f"--{role}-column", metavar="NAME", help=words)
    return option


@dataclass(frozen=True)
class LogFlags:
    """What is said of the log."""

    scorer: Annotated[
        str | None, typer.Option("--scorer", metavar="NAME", help="Which of the log's scorers decides.")
    ] = None
    threshold: Annotated[
        str | None, typer.Option("--threshold", metavar="X", help="A score of at least X passes.")
    ] = None
    pass_values: Annotated[
        str | None,
        typer.Option("--pass-values", metavar="A,B", help="A score or outcome that is one of these passes."),
    ] = None
    keep: Annotated[
        str | None,
        typer.Option(
            "--keep",
            metavar="first|last",
            help="Which of two records of one attempt counts. [default: refuse]",
        ),
    ] = None
    universe: Annotated[
        Path | None,
        typer.Option(
            "--universe", metavar="FILE", help="All task ids, one a line, where the log names only some."
        ),
    ] = None
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="NAME", help="Which of several agents or models in one log."),
    ] = None
    task_column: Annotated[str | None, _column("task", "Rows: names the task; A,B for both together.")] = None
    attempt_column: Annotated[
        str | None, _column("attempt", "Rows: the attempt's number; '' for the order of the rows.")
    ] = None
    outcome_column: Annotated[str | None, _column("outcome", "Rows: what became of the attempt.")] = None
    score_column: Annotated[str | None, _column("score", "Rows: the score.")] = None
    error_column: Annotated[str | None, _column("error", "Rows: what went wrong; '' for none.")] = None

    def asked(self, max_bytes: int | None) -> "Asked":
        """The same as importers take it.

        Raises:
            UsageError: a value is none that the flag takes.
        """
        from passfloor.importers.interface import Asked
        from passfloor.receipts import MAX_BYTES

        roles = ("task", "attempt", "outcome", "score", "error")
        columns = {role: value for role in roles if (value := getattr(self, f"{role}_column")) is not None}
        return Asked(
            scorer=self.scorer,
            threshold=self._threshold(),
            pass_values=tuple(each.strip() for each in (self.pass_values or "").split(",") if each.strip()),
            keep=self._keep(),
            universe=self.universe,
            columns=columns,
            agent=self.agent,
            max_bytes=MAX_BYTES if max_bytes is None else max_bytes,
        )

    def _keep(self) -> Literal["first", "last"] | None:
        match self.keep:
            case None | "first" | "last":
                return self.keep
            case other:
                raise UsageError(f"--keep {other!a}: say first or last")

    def _threshold(self) -> Fraction | None:
        from passfloor.grading.imported.verdicts import decimal

        if self.threshold is None:
            return None
        exact = decimal(f"0{self.threshold}" if self.threshold.startswith(".") else self.threshold)
        if exact is None:
            raise UsageError(f"--threshold {self.threshold[:40]!a}: give a decimal number, such as 0.65")
        return exact


@dataclass(frozen=True, kw_only=True)
class ImportFlags:
    """The flags as given."""

    log: LogFlags
    reliability: Annotated[
        int | None,
        typer.Option(
            "--reliability", "-k", metavar="K", help="The draw size k. [default: the log's n]", min=1
        ),
    ] = None
    attempts: Annotated[
        int | None,
        typer.Option(
            "--attempts",
            metavar="N",
            help="How many attempts of every task were planned, where the log does not say.",
            min=1,
        ),
    ] = None
    claim: ClaimFlags
    slim: Annotated[
        bool,
        typer.Option("--slim", help="Keep digests in place of records: every verdict is then your word."),
    ] = False
    scrub: Annotated[
        list[str] | None,
        typer.Option("--scrub", metavar="PATTERN", help="Take out of records what this RE2 pattern matches."),
    ] = None
    no_receipt: Annotated[
        bool, typer.Option("--no-receipt", help="Print the figures; seal and write nothing.")
    ] = False
    out: ReceiptOut = RECEIPT_OUT
    force: Force = False
    max_bytes: MaxBytes = None
    stub_signer: StubSigner = False
