"""``bench audit``: fresh attempts against a claim."""

import os
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import agents, options, stating
from passfloor.cli.exits import of_status
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import note, print_json, print_text
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.checking.audit import Audit, Sampling
    from passfloor.models.suite import Task
    from passfloor.scrubbing import Scrubber

_MOST = 1_000_000


@takes_flags
def audit(
    receipt: options.ReceiptPath,
    verify_flags: options.VerifyFlags,
    agent_flags: agents.AgentFlags,
    statement: stating.StatementFlags,
    budget: Annotated[
        int,
        typer.Option(
            "--budget",
            metavar="RUNS",
            help="Fresh attempts in all, shared out evenly over the tasks.",
            min=1,
            max=_MOST,
            show_default=False,
        ),
    ],
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="S",
            help="Draws which tasks get the odd attempts, and seeds them. [default: drawn anew]",
            min=0,
            max=2**53 - 1,
        ),
    ] = None,
    alpha: Annotated[
        str,
        typer.Option(
            "--alpha", metavar="X", help="The chance to find an honest claim inconsistent, at most."
        ),
    ] = "0.05",
    tasks: Annotated[
        str | None,
        typer.Option(
            "--tasks",
            metavar="SUITE",
            help="Run the tasks of this suite instead, by id: for a receipt that was imported.",
        ),
    ] = None,
    concurrency: stating.Concurrency = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing while attempts are made.")] = False,
    as_json: options.Json = False,
) -> None:
    """Audit a receipt: make fresh attempts with your own agent, and test the claimed counts by them.

    The receipt is verified first. What runs is what your flags name, never what the receipt says. Exit 0:
    consistent; 1: inconsistent; 4: too little to tell.
    """
    from passfloor.checking.statement import state_audit
    from passfloor.report import json_document
    from passfloor.report.auditing import audit_report

    statement.check()
    sampling = _sampling(budget, seed, alpha, tasks, concurrency)
    outcome = _audited(receipt, verify_flags, agent_flags, sampling, quiet=quiet)
    statement.save(
        outcome.verification,
        outcome.comparison is not None,
        lambda head, hashed, signer: state_audit(outcome, head, hashed, signer, time.time()),
    )
    if as_json:
        print_json(json_document.audit(outcome))
    else:
        print_text(audit_report(outcome))
    refused = outcome.comparison is None
    raise typer.Exit(of_status(str(outcome.verification.status) if refused else outcome.decision))


def _sampling(
    budget: int, seed: int | None, alpha: str, tasks: str | None, concurrency: int | None
) -> "Sampling":
    import secrets

    from passfloor.checking.audit import Sampling
    from passfloor.executors.local import default_concurrency
    from passfloor.suites import load_suite

    try:
        level = Fraction(alpha)
    except (ValueError, ZeroDivisionError):
        level = Fraction(0)
    if not 0 < level < 1:
        raise UsageError(f"--alpha {alpha!a}: give a number above 0 and below 1, such as 0.05")
    return Sampling(
        budget=budget,
        seed=secrets.randbits(53) if seed is None else seed,
        alpha=level,
        suite=None if tasks is None else load_suite(tasks),
        concurrency=concurrency or default_concurrency(),
    )


def _audited(
    receipt: str,
    verify_flags: options.VerifyFlags,
    agent_flags: agents.AgentFlags,
    sampling: "Sampling",
    *,
    quiet: bool,
) -> "Audit":
    from passfloor.checking.audit import audit as compare
    from passfloor.cli.progress import counted_lines

    used: list[AnyAdapter] = []

    def find(suite_version: str, tasks: "Sequence[Task]") -> "tuple[AnyAdapter, Scrubber]":
        adapter, scrubber = agent_flags.ready(suite_version, tasks)
        used.append(adapter)
        return adapter, scrubber

    inputs = verify_flags.inputs(os.environ)
    finished = counted_lines(sampling.budget, quiet=quiet)
    try:
        with options.open_receipt(receipt) as stream:
            return compare(stream, inputs, find, sampling, finished=finished, run_grader=inputs.run_grader)
    finally:
        for each in used:
            agents.say_notes(each, note)
            agents.put_away(each)
