"""``bench commit``: put one's name under a plan before it is run."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import driving, options
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import print_json, print_text
from passfloor.cli.plan_flags import PlanFlags, SuiteArgument

if TYPE_CHECKING:
    from passfloor.models.plan import Plan
    from passfloor.models.precommit import Precommit


@takes_flags
def commit(
    suite: SuiteArgument,
    asked: PlanFlags,
    *,
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where the commitment is written.")
    ] = Path("commitment.json"),
    force: options.Force = False,
    stub_signer: options.StubSigner = False,
    as_json: options.Json = False,
) -> None:
    """Sign a plan before it is run: suite, agent, k, n, gate, everything a receipt seals as fixed beforehand.

    Nothing is run. Hand the file to whoever will verify, then run the same flags with --commitment FILE. The
    time in it is your word until somebody else puts a timestamp under it.
    """
    from passfloor.canonical import canonical
    from passfloor.cli.preparing import check_signer, make_planned
    from passfloor.running.preflight import check_out
    from passfloor.running.saving import save_bytes

    check_out(out, force=force)
    made = make_planned(suite, asked, allow_stub=stub_signer)
    try:
        check_signer(made.plan, stub=stub_signer, runs_dir=options.RUNS_DIR)
        commitment = _signed(made.plan, made.suite.version, stub=stub_signer)
        save_bytes(canonical(commitment.document()) + b"\n", out, replace=force)
    finally:
        driving.put_away(made.adapter)
    if as_json:
        print_json(
            {
                "commitment": str(out),
                "precommit_hash": commitment.precommit_hash,
                "plan_hash": commitment.plan_hash,
                "committed_at": commitment.committed_at,
                "signer_fingerprint": commitment.signer_fingerprint,
            }
        )
        return
    print_text(
        f"commitment  : {out}\n"
        f"hash        : {commitment.precommit_hash}\n"
        f"plan        : k={made.plan.k}, n={made.plan.n}, {commitment.plan_hash}\n"
        f"committed   : {commitment.committed_at}, by your clock\n"
        f"signer      : {commitment.signer_fingerprint}"
    )


def _signed(plan: "Plan", suite_version: str, *, stub: bool) -> "Precommit":
    from passfloor import __version__, commitments
    from passfloor.cli.signing import signer_for
    from passfloor.running.session import timestamp

    signer, _ = signer_for(stub=stub, runs_dir=options.RUNS_DIR)
    tool = {"name": "passfloor", "version": __version__}
    return commitments.commit(plan, suite_version, signer, at=timestamp(time.time()), tool=tool)
