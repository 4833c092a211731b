"""``bench seal``: seal a finished run that was made elsewhere, where the key is."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from passfloor.cli import options
from passfloor.cli.flags import takes_flags
from passfloor.cli.seal_flags import ResealFlags
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.journal.run_folder import RunFolder
    from passfloor.models.suite import Suite


@takes_flags
def seal(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="The id of a run, or the folder it was copied to.", show_default=False
        ),
    ],
    runs_dir: options.RunsDir = options.RUNS_DIR,
    suite: Annotated[
        str | None,
        typer.Option(
            "--suite",
            metavar="SUITE",
            help="The suite that was run. [default: what the run brought along, else the built-in one]",
        ),
    ] = None,
    *,
    flags: ResealFlags,
    as_json: options.Json = False,
) -> None:
    """Seal a run that bench run --no-seal left unsealed: derive everything from its journal, sign, write.

    Every attempt is judged again as a verifier would before anything is signed; a run that does not bear
    itself out is refused with exit 1. Other exit codes as of bench run.
    """
    from passfloor.cli.sealing import Sealing
    from passfloor.journal.handover import read_handover
    from passfloor.models.plan import SYNTHETIC
    from passfloor.running.finished import require_finished
    from passfloor.running.preflight import check_out

    check_out(flags.out, force=flags.force)
    folder = _folder(run, runs_dir)
    state = folder.state()
    if state.sealed is not None and not flags.force:
        raise UsageError(
            f"the run {folder.header.run} was sealed already, as {state.sealed.receipt_hash}; "
            "sign that receipt once more with --force"
        )
    if folder.header.plan.subject.adapter in SYNTHETIC and not flags.stub_signer:
        raise UsageError(
            f"adapter {folder.header.plan.subject.adapter!a} drives no real agent: "
            "only --stub-signer may sign for it"
        )
    handover = read_handover(folder.path, folder.header.run)
    whole = _suite(folder, suite, None if handover is None else handover.suite)
    require_finished(folder, state, whole)
    ended_at = None if handover is None else handover.ended_at
    job = Sealing(whole, folder, state.n, ended_at, flags, as_json)
    if state.sealed is None:
        job.require_first()
    raise typer.Exit(job.perform())


def _folder(run: str, runs_dir: Path) -> "RunFolder":
    from passfloor.journal.run_folder import RunFolder, named_run

    return RunFolder.open(Path(run)) if os.sep in run or Path(run).is_dir() else named_run(runs_dir, run)


def _suite(folder: "RunFolder", named: str | None, brought: dict[str, Any] | None) -> "Suite":
    """The suite that was named, else the one that the run brought along, else the built-in one.

    Raises:
        UsageError: there is none of them.
        SuiteError: it is malformed.
    """
    from passfloor.suites import builtin_matching, load_suite, read_suite

    header = folder.header
    if named is not None:
        return load_suite(named, completion_only=header.plan.completion_only)
    if brought is not None:
        return read_suite(brought, folder=None, source="unsealed.json")
    selection = header.plan.selection
    wanted = header.plan.suite_hash if selection is None else selection.of
    found = builtin_matching(header.suite_version, wanted)
    if found is None:
        raise UsageError(
            f"the run {header.run} brought no suite along, and no built-in one is called "
            f"{header.suite_version!a}; name the suite that was run with --suite"
        )
    return found
