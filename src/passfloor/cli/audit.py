"""``bench audit``: fresh attempts against a claim."""

import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import agents, driving, options, stating
from passfloor.cli.exits import of_status
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import print_json, print_text
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.checking.audit import Audit, Sampling
    from passfloor.models.suite import Task
    from passfloor.scrubbing import Scrubber

_MOST = 1_000_000
_LEVEL = re.compile(r"[0-9.]{1,40}([eE]-?[0-9]{1,2})?|[0-9]{1,40}/[0-9]{1,40}", re.ASCII)


@dataclass(frozen=True)
class SamplingFlags:
    """How fresh attempts are drawn and tested, as given."""

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
    ]
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="S",
            help="Draws which tasks get the odd attempts, and seeds them. [default: drawn anew]",
            min=0,
            max=2**53 - 1,
        ),
    ] = None
    alpha: Annotated[
        str,
        typer.Option(
            "--alpha", metavar="X", help="The chance to find an honest claim inconsistent, at most."
        ),
    ] = "0.05"
    tasks: Annotated[
        str | None,
        typer.Option(
            "--tasks",
            metavar="SUITE",
            help="Run the tasks of this suite instead, by id: for a receipt that was imported.",
        ),
    ] = None
    concurrency: stating.Concurrency = None

    def sampling(self) -> "Sampling":
        """The same as an audit takes it; a seed is drawn where none was given.

        Raises:
            UsageError: ``alpha`` is no number between 0 and 1, or the suite cannot be read.
        """
        import secrets

        from passfloor.checking.audit import Sampling
        from passfloor.executors.local import default_concurrency
        from passfloor.suites import load_suite

        return Sampling(
            budget=self.budget,
            seed=secrets.randbits(53) if self.seed is None else self.seed,
            alpha=_level(self.alpha),
            suite=None if self.tasks is None else load_suite(self.tasks),
            concurrency=self.concurrency or default_concurrency(),
        )


@takes_flags
def audit(
    receipt: options.ReceiptPath,
    verify_flags: options.VerifyFlags,
    agent_flags: agents.AgentFlags,
    statement: stating.StatementFlags,
    drawn: SamplingFlags,
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
    outcome = _audited(receipt, verify_flags, agent_flags, drawn.sampling(), quiet=quiet)
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


def _level(text: str) -> Fraction:
    try:
        # A long exponent would be worked out in full before it is found to be out of range.
        level = Fraction(text) if _LEVEL.fullmatch(text) else Fraction(0)
    except ZeroDivisionError:
        level = Fraction(0)
    if not 0 < level < 1:
        raise UsageError(f"--alpha {text[:80]!a}: give a number above 0 and below 1, such as 0.05")
    return level


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

    inputs = verify_flags.inputs(os.environ)
    finished = counted_lines(sampling.budget, quiet=quiet)
    with driving.used() as used, options.open_receipt(receipt) as stream:

        def find(suite_version: str, tasks: "Sequence[Task]") -> "tuple[AnyAdapter, Scrubber]":
            return used(driving.ready(agent_flags, suite_version, tasks))

        return compare(stream, inputs, find, sampling, finished=finished, run_grader=inputs.run_grader)
