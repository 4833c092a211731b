"""``bench reliability-check``: run recorded attempts again and compare their coordination."""

import os
import time
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import agents, driving, options, stating
from passfloor.cli.exits import of_status
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import print_json, print_text
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.checking.check import Selection
    from passfloor.scrubbing import Scrubber


@takes_flags
def check(
    receipt: options.ReceiptPath,
    verify_flags: options.VerifyFlags,
    agent_flags: agents.AgentFlags,
    statement: stating.StatementFlags,
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
    concurrency: stating.Concurrency = None,
    as_json: options.Json = False,
) -> None:
    """Make attempts again with your own agent and prove that only the model's output may differ.

    The receipt is verified first. What runs is what your flags name, never what the receipt says. Where model
    calls were recorded they are answered with what was recorded: no model is asked, no key is needed.
    """
    from passfloor.checking.check import Effort, Mode
    from passfloor.checking.check import check as compare
    from passfloor.checking.statement import state
    from passfloor.executors.local import default_concurrency
    from passfloor.report import json_document, terminal

    selection = _selection(task, attempt, everything)
    statement.check()
    effort = Effort(concurrency or default_concurrency(), repeat)
    inputs = verify_flags.inputs(os.environ)
    with driving.used() as used, options.open_receipt(receipt) as stream:

        def find(suite_version: str, mode: Mode) -> "tuple[AnyAdapter, Scrubber]":
            return used(driving.ready(agent_flags, suite_version, replays=mode is Mode.REPLAY))

        outcome = compare(stream, inputs, find, selection, effort)
    statement.save(
        outcome.verification,
        bool(outcome.attempts),
        lambda head, hashed, signer: state(outcome, head, hashed, signer, time.time()),
    )
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
