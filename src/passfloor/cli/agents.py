"""The flags that say which agent is driven and how, for every verb that runs one."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from passfloor.cli.profiles import profile_of
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.config import Agent as DeclaredAgent

_PROCESS = frozenset({"env", "workspace_root", "keep_workspaces", "timeout"})
_CALL = frozenset({"retries", "timeout"})
_MODEL = frozenset({"base_url", "model_option"})
# Which of the flags that depend on the kind of agent each kind has a use for.
_USES = {
    "command": _PROCESS,
    "function": _PROCESS,
    "url": _CALL,
    "model": _CALL | _MODEL,
    "adapter": frozenset[str](),
}
_REASONS = {
    "env": "only an agent that is a process gets an environment",
    "workspace_root": "only an agent that is a process gets a folder",
    "keep_workspaces": "only an agent that is a process gets a folder",
    "timeout": "no agent is run",
    "retries": "only calls that passfloor makes itself (--agent-url, --model) are made again",
    "base_url": "it says where the model of --model is",
    "model_option": "it is for the model of --model",
}


@dataclass(frozen=True)
class AgentFlags:
    """The agent flags as given."""

    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            metavar="CMD",
            help="Your agent's command, or the name of an agent in passfloor.toml. The words of a command "
            "are split as a shell splits them; no shell runs. "
            "[default: the packaged passfloor-reference, for the built-in suites]",
        ),
    ] = None
    agent_function: Annotated[
        str | None,
        typer.Option(
            "--agent-function",
            metavar="M:F",
            help="Your agent as a Python callable, package.module:name, called with the task and the "
            "attempt.",
        ),
    ] = None
    agent_url: Annotated[
        str | None,
        typer.Option("--agent-url", metavar="URL", help="Your agent as a service: one POST an attempt."),
    ] = None
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="NAME", help="A bare model, one chat completion an attempt; needs --base-url."
        ),
    ] = None
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url",
            metavar="URL",
            help="The OpenAI-compatible endpoint of --model, such as http://127.0.0.1:8000/v1.",
        ),
    ] = None
    model_option: Annotated[
        list[str] | None,
        typer.Option(
            "--model-option",
            metavar="K=V",
            help="A member of the request to --model, such as temperature=0.2: JSON where V is JSON, else "
            "text. Repeatable.",
        ),
    ] = None
    adapter: Annotated[
        str | None,
        typer.Option(
            "--adapter", metavar="NAME", help="An adapter by name: reference, mock or stochastic-mock."
        ),
    ] = None
    env: Annotated[
        list[str] | None,
        typer.Option(
            "--env", metavar="NAME", help="Let this environment variable through to the agent. Repeatable."
        ),
    ] = None
    scrub: Annotated[
        list[str] | None,
        typer.Option(
            "--scrub",
            metavar="PATTERN",
            help="Replace what this pattern (RE2) matches before anything is written, beside the secrets "
            "that are known from --env and by their form. Repeatable.",
        ),
    ] = None
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout",
            metavar="S",
            help="Seconds an attempt may take; a task's timeout_s wins. [default: 300]",
        ),
    ] = None
    retries: Annotated[
        int | None,
        typer.Option(
            "--retries",
            metavar="R",
            help="Further calls within an attempt after a lost connection, 429 or 5xx, for --agent-url and "
            "--model. [default: 2]",
            min=0,
            max=100,
        ),
    ] = None
    workspace_root: Annotated[
        Path | None,
        typer.Option(
            "--workspace-root",
            metavar="DIR",
            help="Where attempts' folders are made. [default: the system's temporary folder]",
        ),
    ] = None
    keep_workspaces: Annotated[
        str | None,
        typer.Option(
            "--keep-workspaces", metavar="failed|all", help="Keep the folders of failed or of all attempts."
        ),
    ] = None

    def declared(self) -> "DeclaredAgent | None":
        """What the settings say of the agent, where it is one of theirs.

        Raises:
            UsageError: the settings are malformed.
        """
        profile = None if self.agent is None else profile_of(self.agent)
        return None if profile is None else profile.agent

    def check_one(self) -> None:
        """See that no two agents are named.

        Raises:
            UsageError: two are, or the command is empty.
        """
        ways = {
            "--agent": self.agent,
            "--agent-function": self.agent_function,
            "--agent-url": self.agent_url,
            "--model": self.model,
            "--adapter": self.adapter,
        }
        given = [flag for flag, value in ways.items() if value is not None]
        if self.agent is not None and not self.agent.strip():
            raise UsageError("--agent is empty: give the command of your agent (is its variable set?)")
        if len(given) > 1:
            raise UsageError(f"{' and '.join(given)} name {len(given)} agents: give one of them")

    def check_uses(self, kind: str, said: str) -> None:
        """See that no flag is given that this kind of agent has no use for.

        Args:
            kind: ``command``, ``function``, ``url``, ``model`` or ``adapter``.
            said: How the agent was named, for people.

        Raises:
            UsageError: one is.
        """
        for name, reason in _REASONS.items():
            if getattr(self, name) not in (None, []) and name not in _USES[kind]:
                flag = "--" + name.replace("_", "-")
                raise UsageError(f"{flag} has no meaning beside {said}: {reason}; leave it out")

    def process(self) -> dict[str, Any]:
        """What an agent that is a process takes: its variables, the root of its folders, which are kept.

        Raises:
            UsageError: neither failed nor all folders are to be kept.
        """
        return {
            "env": tuple(self.env or ()),
            "workspace_root": self.workspace_root,
            "keep_workspaces": self._keep(),
        }

    def call(self) -> dict[str, Any]:
        """What an agent that is called takes: how often it is called again."""
        return {} if self.retries is None else {"retries": self.retries}

    def _keep(self) -> Literal["failed", "all"] | None:
        match self.keep_workspaces:
            case None | "failed" | "all":
                return self.keep_workspaces
            case other:
                raise UsageError(f"--keep-workspaces {other!a}: say 'failed' or 'all'")
