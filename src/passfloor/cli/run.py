"""``bench run``: run every task of a suite n times and seal a receipt."""

from typing import Annotated

import typer

from passfloor.cli import driving, options
from passfloor.cli.flags import takes_flags
from passfloor.cli.opening import OpeningFlags
from passfloor.cli.plan_flags import PlanFlags, SuiteArgument
from passfloor.cli.seal_flags import SealFlags
from passfloor.cli.spreading import SpreadFlags


@takes_flags
def run(
    suite: SuiteArgument,
    asked: PlanFlags,
    *,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="S",
            help="The coordination seed, the same in every attempt.",
            min=0,
            max=2**53 - 1,
        ),
    ] = 0,
    opening: OpeningFlags,
    spread: SpreadFlags,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on with the newest unfinished run of this plan; start one where there is none.",
        ),
    ] = False,
    run_id: Annotated[
        str | None, typer.Option("--run", metavar="ID", help="Go on with this run. See 'bench runs list'.")
    ] = None,
    runs_dir: options.RunsDir = options.RUNS_DIR,
    run_graders: Annotated[
        bool,
        typer.Option("--run-graders", help="Run the suite's graders with code, with your rights."),
    ] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Do not stop when the first ten attempts all error alike.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Check everything, print the plan and the bill in runs, and stop."),
    ] = False,
    seal: SealFlags,
    no_seal: Annotated[
        bool,
        typer.Option(
            "--no-seal", help="Look for no key and seal nothing: bench seal does, on a machine that has one."
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")] = False,
    as_json: options.Json = False,
) -> None:
    """Run every task n times under fixed coordination and seal both figures in a signed receipt.

    Exit 0 once a receipt is sealed, whatever the verdicts; 1 where coordination diverged; 4 where every
    attempt errored. With gate flags, which are sealed in the plan: 1 where the gate failed and 4 where it is
    undecided, sealed all the same.
    """
    from passfloor.cli.job import Request
    from passfloor.cli.preparing import prepare

    job = prepare(
        Request(
            suite=suite,
            asked=asked,
            seed=seed,
            run_graders=run_graders,
            keep_going=keep_going,
            seal=seal,
            opening=opening,
            spread=spread,
            runs_dir=runs_dir,
            resume=resume,
            run=run_id,
            no_seal=no_seal,
            quiet=quiet,
            as_json=as_json,
        )
    )
    try:
        code = job.describe() if dry_run else job.perform()
    finally:
        job.spread.close()
        driving.put_away(job.adapter)
    raise typer.Exit(code)
