"""``bench regrade``: grade sealed outputs again, to tell grader noise from agent noise."""

import os
from pathlib import Path
from typing import Annotated

import typer

from passfloor.cli import options
from passfloor.cli.exits import of_status
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import note, print_json, print_text
from passfloor.errors import UsageError


@takes_flags
def regrade(
    receipt: options.ReceiptPath,
    flags: options.VerifyFlags,
    times: Annotated[
        int, typer.Option("--times", metavar="M", help="Grade each sealed output M times, at least 2.")
    ] = 5,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write what --json prints there as well.")
    ] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Grade sealed outputs again and tell grader noise from agent noise.

    The receipt is verified first. Declared assertions are pure and cannot flip; graders with code are run
    with --run-graders alone. Exit 0 where every verdict came out as sealed every time, 1 where the receipt
    does not hold, 4 where a grader was not run or did not keep to one answer.
    """
    from passfloor.checking.regrade import regrade as grade_again
    from passfloor.report.regrading import regrading_document, regrading_report

    if out is not None:
        from passfloor.running.preflight import check_out

        check_out(out, force=force)
    elif force:
        raise UsageError("--force is about the file: add --out, or leave it out")
    ask = options.code_graders().once if flags.run_graders else None
    with options.open_receipt(receipt) as stream:
        outcome = grade_again(stream, flags.inputs(os.environ), ask, times)
    document = regrading_document(outcome)
    if out is not None:
        from passfloor.canonical import text
        from passfloor.running.saving import save_bytes

        save_bytes(text(document) + b"\n", out, replace=force)
        note(f"the figures stand in {out}")
    if as_json:
        print_json(document)
    else:
        print_text(regrading_report(outcome))
    raise typer.Exit(of_status(outcome.status))
