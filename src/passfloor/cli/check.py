"""``bench reliability-check``: run recorded attempts again and compare their coordination."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import agents, options
from passfloor.cli.exits import of_status
from passfloor.cli.outputs import note, print_json, print_text
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.checking.check import Check, Selection
    from passfloor.scrubbing import Scrubber


def check(
    receipt: options.ReceiptPath,
    suite: options.SuiteChoice = None,
    use_embedded_suite: options.UseEmbeddedSuite = False,
    signer_key: options.SignerKey = None,
    jwks: options.Jwks = None,
    allow_stub: options.AllowStub = False,
    allow_unrecorded: options.AllowUnrecorded = False,
    max_bytes: options.MaxBytes = None,
    at: options.At = None,
    agent: agents.Agent = None,
    agent_function: agents.Function = None,
    agent_url: agents.Url = None,
    model: agents.Model = None,
    base_url: agents.BaseUrl = None,
    model_option: agents.ModelOption = None,
    adapter: agents.Adapter = None,
    env: agents.Env = None,
    scrub: agents.Scrub = None,
    timeout: agents.Timeout = None,
    retries: agents.Retries = None,
    workspace_root: agents.WorkspaceRoot = None,
    keep_workspaces: agents.Keep = None,
    task: Annotated[
        list[str] | None,
        typer.Option("--task", metavar="ID", help="Check this task. Repeatable. [default: the first]"),
    ] = None,
    attempt: Annotated[
        int | None, typer.Option("--attempt", metavar="I", help="Check this attempt. [default: 0]")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Check every attempt of every task, or of those named.")
    ] = False,
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat", metavar="R", help="Make each attempt again R times: for races.", min=1, max=1000
        ),
    ] = 1,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            metavar="N",
            help="Attempts side by side. [default: the number of processors]",
            min=1,
            max=1000,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write a signed statement of what came out there."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing --out file.")] = False,
    stub_signer: Annotated[
        bool, typer.Option("--stub-signer", help="Sign with the public test stub: test-grade, needs no key.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Make attempts again with your own agent and prove that only the model's output may differ.

    The receipt is verified first. What runs is what your flags name, never what the receipt says. Where model
    calls were recorded they are answered with what was recorded: no model is asked, no key is needed.
    """
    from passfloor.checking.check import Effort, Mode
    from passfloor.checking.check import check as compare
    from passfloor.executors.local import default_concurrency
    from passfloor.report import json_document, terminal

    selection = _selection(task, attempt, everything)
    if out is not None:
        from passfloor.running.preflight import check_out

        check_out(out, force=force)
    elif force or stub_signer:
        raise UsageError("--force and --stub-signer are about the statement: add --out, or leave them out")
    verify_flags = options.VerifyFlags(
        suite, use_embedded_suite, signer_key, jwks, allow_stub, allow_unrecorded, max_bytes, at
    )
    agent_flags = agents.AgentFlags(
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
    )
    used: list[AnyAdapter] = []

    def find(suite_version: str, mode: Mode) -> "tuple[AnyAdapter, Scrubber]":
        adapter, scrubber = agent_flags.ready(suite_version, replays=mode is Mode.REPLAY)
        used.append(adapter)
        return adapter, scrubber

    with options.open_receipt(receipt) as stream:
        effort = Effort(concurrency or default_concurrency(), repeat)
        outcome = compare(stream, verify_flags.inputs(os.environ), find, selection, effort)
    for each in used:
        agents.say_notes(each, note)
        agents.put_away(each)
    if out is not None:
        _state(outcome, out, force=force, stub=stub_signer)
    if as_json:
        print_json(json_document.check(outcome))
    else:
        print_text(terminal.check_report(outcome))
    raise typer.Exit(of_status(outcome.status))


def _state(outcome: "Check", out: Path, *, force: bool, stub: bool) -> None:
    """Sign what came out and write it down, where anything was made again."""
    from passfloor.checking.statement import save, state
    from passfloor.cli.signing import signer_for

    head, receipt_hash = outcome.verification.head, outcome.verification.receipt_hash
    if not outcome.attempts or head is None or receipt_hash is None:
        note(f"nothing was made again, so that {out} is not written")
        return
    signer, _ = signer_for(stub=stub, runs_dir=options.RUNS_DIR)
    save(state(outcome, head, receipt_hash, signer, time.time()), out, replace=force)
    note(f"the statement stands in {out}, by the word of {signer.fingerprint}")


def _selection(tasks: list[str] | None, attempt: int | None, everything: bool) -> "Selection":
    from passfloor.checking.check import Selection

    if everything and attempt is not None:
        raise UsageError("--all and --attempt contradict each other: give one of them")
    if everything:
        return Selection(tasks=tuple(tasks or ()), attempt=None)
    return Selection(tasks=tuple(tasks) if tasks else None, attempt=0 if attempt is None else attempt)
