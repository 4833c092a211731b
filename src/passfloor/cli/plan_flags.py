"""The flags that make a plan: everything that is fixed before the first attempt and sealed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli.agents import AgentFlags
from passfloor.cli.gating import GateFlags
from passfloor.cli.recording import RecordFlags
from passfloor.cli.selecting import SelectionFlags
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.running.plan import Claims

SuiteArgument = Annotated[str, typer.Argument(metavar="SUITE", help="A built-in name, a file or a folder.")]

_NO_K = (
    "how often must a task pass? --reliability 5 asks whether each task passes five times out of five "
    "(--reliability 1 is the plain success rate)"
)


@dataclass(frozen=True)
class ClaimFlags:
    """What the signer says about the agent and the choice of k."""

    agent_name: Annotated[
        str | None, typer.Option("--agent-name", metavar="T", help="The agent's name, your claim, sealed.")
    ] = None
    agent_version: Annotated[
        str | None, typer.Option("--agent-version", metavar="T", help="Its version, your claim, sealed.")
    ] = None
    model_name: Annotated[
        str | None, typer.Option("--model-name", metavar="T", help="Its model, your claim, sealed.")
    ] = None
    k_reason: Annotated[
        str | None, typer.Option("--k-reason", metavar="T", help="Why this k; sealed and reported.")
    ] = None

    def claims(self) -> "Claims":
        """The same as the plan takes it."""
        from passfloor.running.plan import Claims

        return Claims(self.agent_name, self.agent_version, self.model_name, self.k_reason)


@dataclass(frozen=True, kw_only=True)
class PlanFlags:
    """The flags as given."""

    reliability: Annotated[
        int | None,
        typer.Option("--reliability", metavar="K", help="The draw size k of pass@k and pass^k. Required."),
    ] = None
    attempts: Annotated[
        int | None, typer.Option("--attempts", metavar="N", help="Attempts a task, n >= k. [default: K]")
    ] = None
    agent: AgentFlags
    claim: ClaimFlags
    scheduler: Annotated[
        str, typer.Option("--scheduler", metavar="NAME", help="The agent's scheduler, sealed in the plan.")
    ] = "default"
    completion_only: Annotated[
        bool,
        typer.Option(
            "--completion-only", help="Measure only whether attempts finish; assertions are not consulted."
        ),
    ] = False
    record: RecordFlags
    selection: SelectionFlags
    gate: GateFlags

    @property
    def k(self) -> int:
        """The draw size.

        Raises:
            UsageError: none was given.
        """
        if self.reliability is None:
            raise UsageError(_NO_K)
        return self.reliability
