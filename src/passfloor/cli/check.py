"""``bench reliability-check``: run recorded attempts again and compare their coordination."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import agents, options
from passfloor.cli.exits import of_status
from passfloor.cli.outputs import note, print_json, print_text
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.checking.check import Selection
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
        typer.Option("--task", metavar="ID", help="Re-run this task. Repeatable. [default: the first]"),
    ] = None,
    attempt: Annotated[
        int | None, typer.Option("--attempt", metavar="I", help="Re-run this attempt. [default: 0]")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Re-run every attempt of every task, or of those named.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Re-run recorded attempts with your own agent and prove that only the model's output may differ.

    The receipt is verified first. What runs is what your flags name, never what the receipt says.
    """
    from passfloor.checking.check import check as compare
    from passfloor.report import json_document, terminal

    selection = _selection(task, attempt, everything)
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

    def find(suite_version: str) -> "tuple[AnyAdapter, Scrubber]":
        adapter, scrubber = agent_flags.ready(suite_version)
        used.append(adapter)
        return adapter, scrubber

    with options.open_receipt(receipt) as stream:
        outcome = compare(stream, verify_flags.inputs(os.environ), find, selection)
    for each in used:
        agents.say_notes(each, note)
        agents.put_away(each)
    if as_json:
        print_json(json_document.check(outcome))
    else:
        print_text(terminal.check_report(outcome))
    raise typer.Exit(of_status(outcome.status))


def _selection(tasks: list[str] | None, attempt: int | None, everything: bool) -> "Selection":
    from passfloor.checking.check import Selection

    if everything and attempt is not None:
        raise UsageError("--all and --attempt contradict each other: give one of them")
    if everything:
        return Selection(tasks=tuple(tasks or ()), attempt=None)
    return Selection(tasks=tuple(tasks) if tasks else None, attempt=0 if attempt is None else attempt)
