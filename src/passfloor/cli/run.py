"""``bench run``: run every task of a suite n times and seal a receipt."""

from pathlib import Path
from typing import Annotated

import typer

from passfloor.cli import agents, gating, options, recording, selecting, spreading
from passfloor.errors import UsageError

_NO_K = (
    "how often must a task pass? --reliability 5 asks whether each task passes five times out of five "
    "(--reliability 1 is the plain success rate)"
)


def run(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A built-in name, a file or a folder.")],
    reliability: Annotated[
        int | None,
        typer.Option("--reliability", metavar="K", help="The draw size k of pass@k and pass^k. Required."),
    ] = None,
    attempts: Annotated[
        int | None, typer.Option("--attempts", metavar="N", help="Attempts a task, n >= k. [default: K]")
    ] = None,
    agent: agents.Agent = None,
    agent_function: agents.Function = None,
    agent_url: agents.Url = None,
    model: agents.Model = None,
    base_url: agents.BaseUrl = None,
    model_option: agents.ModelOption = None,
    adapter: agents.Adapter = None,
    agent_name: Annotated[
        str | None, typer.Option("--agent-name", metavar="T", help="The agent's name, your claim, sealed.")
    ] = None,
    agent_version: Annotated[
        str | None, typer.Option("--agent-version", metavar="T", help="Its version, your claim, sealed.")
    ] = None,
    model_name: Annotated[
        str | None, typer.Option("--model-name", metavar="T", help="Its model, your claim, sealed.")
    ] = None,
    k_reason: Annotated[
        str | None, typer.Option("--k-reason", metavar="T", help="Why this k; sealed and reported.")
    ] = None,
    scheduler: Annotated[
        str, typer.Option("--scheduler", metavar="NAME", help="The agent's scheduler, sealed in the plan.")
    ] = "default",
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
    completion_only: Annotated[
        bool,
        typer.Option(
            "--completion-only", help="Measure only whether attempts finish; assertions are not consulted."
        ),
    ] = False,
    env: agents.Env = None,
    scrub: agents.Scrub = None,
    record: recording.Record = False,
    upstream: recording.UpstreamUrls = None,
    coordination: recording.CoordinationChoice = None,
    identity_field: recording.IdentityField = None,
    timeout: agents.Timeout = None,
    retries: agents.Retries = None,
    task: selecting.Task = None,
    tag: selecting.Tag = None,
    only: selecting.Only = None,
    of: selecting.Of = None,
    workspace_root: agents.WorkspaceRoot = None,
    keep_workspaces: agents.Keep = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            metavar="N",
            help="Attempts side by side; 1 for agents that share a database or a port. "
            "[default: the number of processors]",
            min=1,
            max=1000,
        ),
    ] = None,
    executor: spreading.Executor = None,
    cluster: spreading.ClusterAddress = None,
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
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Do not stop when the first ten attempts all error alike.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Check everything, print the plan and the bill in runs, and stop."),
    ] = False,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the receipt is written.")] = Path(
        "reliability.json"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing --out file.")] = False,
    embed_suite: Annotated[
        bool | None,
        typer.Option(
            "--embed-suite/--no-embed-suite",
            help="Put the suite into the receipt. [default: when it is at most 256 KiB]",
            show_default=False,
        ),
    ] = None,
    stub_signer: Annotated[
        bool, typer.Option("--stub-signer", help="Sign with the public test stub: test-grade, needs no key.")
    ] = False,
    require: gating.Require = None,
    require_floor: gating.RequireFloor = None,
    require_task_floor: gating.RequireTaskFloor = None,
    must_pass: gating.MustPass = None,
    max_errored: gating.MaxErrored = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")] = False,
    as_json: options.Json = False,
) -> None:
    """Run every task n times under fixed coordination and seal both figures in a signed receipt.

    Exit 0 once a receipt is sealed, whatever the verdicts; 1 where coordination diverged; 4 where every
    attempt errored. With gate flags, which are sealed in the plan: 1 where the gate failed and 4 where it is
    undecided, sealed all the same.
    """
    if reliability is None:
        raise UsageError(_NO_K)
    from passfloor.cli.job import Request
    from passfloor.cli.preparing import prepare
    from passfloor.running.plan import Claims

    job = prepare(
        Request(
            suite=suite,
            k=reliability,
            n=attempts,
            agent=agents.AgentFlags(
                agent=agent,
                agent_function=agent_function,
                agent_url=agent_url,
                model=model,
                base_url=base_url,
                model_option=model_option,
                adapter=adapter,
                env=env,
                scrub=scrub,
                timeout=timeout,
                retries=retries,
                workspace_root=workspace_root,
                keep_workspaces=keep_workspaces,
            ),
            selection=selecting.SelectionFlags(task, tag, only, of),
            claims=Claims(agent_name, agent_version, model_name, k_reason),
            scheduler=scheduler,
            seed=seed,
            completion_only=completion_only,
            keep_going=keep_going,
            out=out,
            force=force,
            spread=spreading.SpreadFlags(executor, cluster, concurrency),
            runs_dir=runs_dir,
            resume=resume,
            run=run_id,
            embed_suite=embed_suite,
            gate=gating.GateFlags(require, require_floor, require_task_floor, must_pass, max_errored),
            record=recording.RecordFlags(record, upstream, coordination, identity_field),
            stub_signer=stub_signer,
            quiet=quiet,
            as_json=as_json,
        )
    )
    try:
        code = job.describe() if dry_run else job.perform()
    finally:
        job.spread.close()
        agents.put_away(job.adapter)
    raise typer.Exit(code)
