"""``bench compare``: two verified receipts against each other, paired by task."""

import os
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import options
from passfloor.cli.exits import Exit, of_status
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import print_json, print_text

if TYPE_CHECKING:
    from passfloor.comparison.evidence import Evidence
    from passfloor.verification.inputs import Inputs


@takes_flags
def compare(
    base: Annotated[str, typer.Argument(metavar="BASE", help="The receipt of what was.", show_default=False)],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The receipt of what is.", show_default=False)],
    *,
    max_drop: Annotated[
        str | None,
        typer.Option(
            "--max-drop",
            metavar="X",
            help="Fail where pass^k dropped by more than X, a decimal from 0 to 1, and only there.",
        ),
    ] = None,
    require_power: Annotated[
        str | None,
        typer.Option(
            "--require-power", metavar="X", help="Undecided where a drop of X could not have been seen."
        ),
    ] = None,
    allow_different_suite: Annotated[
        bool,
        typer.Option(
            "--allow-different-suite", help="Compare the tasks that both have, where the suites differ."
        ),
    ] = False,
    flags: options.VerifyFlags,
    as_json: options.Json = False,
) -> None:
    """Verify two receipts over the same suite and k, and say whether the floor improved or regressed.

    Exit 1 where it regressed, or with --max-drop where it dropped by more; 4 where --require-power is not
    met. A receipt that does not verify decides nothing and exits as bench reliability-verify does.
    """
    from passfloor.comparison.compare import compare as judge

    drop, power = _share(max_drop, "--max-drop"), _share(require_power, "--require-power")
    inputs = flags.inputs(os.environ)
    was, now = _gather(base, inputs), _gather(new, inputs)
    if not (was.verification.matches and now.verification.matches):
        raise typer.Exit(_refuse(was, now, as_json=as_json))
    result = judge(was, now, max_drop=drop, require_power=power, allow_different_suite=allow_different_suite)
    if as_json:
        from passfloor.report.decision_document import comparison

        print_json(comparison(was, now, result))
    else:
        from passfloor.report.comparing import compare_report

        print_text(compare_report(was, now, result))
    raise typer.Exit(of_status(str(result.decision)))


def _gather(path: str, inputs: "Inputs") -> "Evidence":
    from passfloor.comparison.evidence import gather

    with options.open_receipt(path) as stream:
        return gather(stream, inputs)


def _refuse(was: "Evidence", now: "Evidence", *, as_json: bool) -> Exit:
    """Say which of the two was rejected; the first one's status decides the exit code."""
    from passfloor.report.decision import refusal
    from passfloor.report.decision_document import refused

    named = (("the base", was.verification), ("the new receipt", now.verification))
    rejected = [(what, outcome) for what, outcome in named if not outcome.matches]
    if as_json:
        print_json(refused(*(outcome for _, outcome in rejected)))
    else:
        print_text("\n".join(refusal("compare", outcome, what) for what, outcome in rejected))
    return of_status(str(rejected[0][1].status))


def _share(text: str | None, flag: str) -> Fraction | None:
    if text is None:
        return None
    from passfloor.comparison.thresholds import share

    return Fraction(share(text, flag))
