"""``bench import``: figures and a receipt out of another tool's log."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from passfloor.cli import options
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import print_json, print_text
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
        if self.keep not in {None, "first", "last"}:
            raise UsageError(f"--keep {self.keep!a}: say first or last")
        return Asked(
            scorer=self.scorer,
            threshold=self._threshold(),
            pass_values=tuple(each.strip() for each in (self.pass_values or "").split(",") if each.strip()),
            keep=cast("Literal['first', 'last'] | None", self.keep),
            universe=self.universe,
            columns=columns,
            agent=self.agent,
            max_bytes=MAX_BYTES if max_bytes is None else max_bytes,
        )

    def _threshold(self) -> Fraction | None:
        from passfloor.grading.imported.verdicts import decimal

        if self.threshold is None:
            return None
        exact = decimal(f"0{self.threshold}" if self.threshold.startswith(".") else self.threshold)
        if exact is None:
            raise UsageError(f"--threshold {self.threshold[:40]!a}: give a decimal number, such as 0.65")
        return exact


@takes_flags
def import_(
    form: Annotated[
        str | None,
        typer.Argument(metavar="FORMAT", help="Whose log it is, or auto. See --list.", show_default=False),
    ] = None,
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="The log: a file or a folder.", show_default=False)
    ] = None,
    *,
    list_: Annotated[bool, typer.Option("--list", help="List the formats and stop.")] = False,
    log: LogFlags,
    reliability: Annotated[
        int | None,
        typer.Option(
            "--reliability", "-k", metavar="K", help="The draw size k. [default: the log's n]", min=1
        ),
    ] = None,
    attempts: Annotated[
        int | None,
        typer.Option(
            "--attempts",
            metavar="N",
            help="How many attempts of every task were planned, where the log does not say.",
            min=1,
        ),
    ] = None,
    claim: ClaimFlags,
    slim: Annotated[
        bool,
        typer.Option("--slim", help="Keep digests in place of records: every verdict is then your word."),
    ] = False,
    scrub: Annotated[
        list[str] | None,
        typer.Option("--scrub", metavar="PATTERN", help="Take out of records what this RE2 pattern matches."),
    ] = None,
    no_receipt: Annotated[
        bool, typer.Option("--no-receipt", help="Print the figures; seal and write nothing.")
    ] = False,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the receipt is written.")] = Path(
        "reliability.json"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing --out file.")] = False,
    max_bytes: Annotated[
        int | None,
        typer.Option("--max-bytes", metavar="N", help="Size cap of the receipt. [default: 67108864]", min=1),
    ] = None,
    stub_signer: Annotated[
        bool, typer.Option("--stub-signer", help="Sign with the public test stub: test-grade, needs no key.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Turn another tool's log into the honest pair, its piles and a signed receipt: imported, not witnessed.

    Planned attempts are the n; what errored, was cancelled or is missing stays in it. Beside every figure
    stands the one that the log's own tool would print, and why it differs.
    """
    if list_:
        _list(as_json=as_json)
        raise typer.Exit
    if form is None or path is None:
        raise UsageError("name a format and a log: bench import FORMAT PATH, or bench import auto PATH")
    from passfloor.cli.importing import Import

    raise typer.Exit(
        Import(
            form=form,
            path=Path(path),
            asked=log.asked(max_bytes),
            k=reliability,
            attempts=attempts,
            claims=claim.claims(),
            slim=slim,
            scrub=tuple(scrub or ()),
            out=None if no_receipt else out,
            force=force,
            stub_signer=stub_signer,
            as_json=as_json,
        ).perform()
    )


def _list(*, as_json: bool) -> None:
    from passfloor.importers.registry import every

    found = sorted(every(), key=lambda each: each.name)
    if as_json:
        print_json({"importers": [{"name": i.name, "title": i.title, "reads": i.reads} for i in found]})
        return
    width = max(len(each.name) for each in found)
    print_text("\n".join(f"{each.name:<{width}}  {each.title}: {each.reads}" for each in found))
