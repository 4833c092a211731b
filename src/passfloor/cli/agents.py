"""The flags that say which agent is driven and how, for every verb that runs one."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from passfloor.cli.outputs import hide, note
from passfloor.cli.profiles import kind_of, profile_of
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.adapters.interface import AttemptAdapter
    from passfloor.config import Agent as DeclaredAgent
    from passfloor.config import Profile
    from passfloor.models.suite import Task
    from passfloor.scrubbing import Scrubber

DEFAULT_AGENT_SUITES = frozenset({"golden-v1", "answers-v1"})

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

    def ready(
        self, suite_version: str, tasks: Iterable["Task"] = (), *, replays: bool = False
    ) -> "tuple[AnyAdapter, Scrubber]":
        """The adapter, fit for ``tasks`` and with its program found, and what takes its secrets out.

        From here on nothing is said on stderr with one of them in it. With ``replays`` recorded answers are
        all that it gets: something else stands in for keys, and no model is looked for.

        Raises:
            UsageError: as for ``build``; a pattern is not RE2; the program, a variable or the workspace root
                is not there; or a task is none for this kind of agent.
        """
        from passfloor.adapters.interface import is_attempt_adapter

        adapter = self.build(suite_version, environ=_without_keys() if replays else None)
        scrubber = self._scrubber(adapter)
        hide(lambda text: scrubber.scrub_text(text)[0])
        say_notes(adapter, note)
        fits = getattr(adapter, "check_task", None)
        if callable(fits):
            for task in tasks:
                fits(task)
        if is_attempt_adapter(adapter) and not (replays and hasattr(adapter, "base_url")):
            adapter.check()
        return adapter, scrubber

    def _scrubber(self, adapter: "AnyAdapter") -> "Scrubber":
        from passfloor.adapters.secrets import scrubber_for

        scrubber = scrubber_for(adapter, tuple(self.scrub or ()))
        for name in scrubber.unprotected:
            note(
                f"warning: the value of {name} is too short or too plain to be told from ordinary text, so "
                "it is not scrubbed; give it a longer one, or say with --scrub what to replace"
            )
        return scrubber

    def build(self, suite_version: str, *, environ: Mapping[str, str] | None = None) -> "AnyAdapter":
        """The adapter the operator's own flags name; for a built-in suite the packaged agent by default.

        Args:
            suite_version: Of the suite.
            environ: Where variables are looked up; None: in this process's environment.

        Raises:
            UsageError: none is named, two are, or the one named cannot be used.
        """
        from passfloor.adapters import registry

        self._check_one()
        common: dict[str, Any] = {} if self.timeout is None else {"timeout_s": self.timeout}
        if environ is not None:
            common["environ"] = environ
        if self.adapter is not None and self.adapter != "reference":
            self._check_uses("adapter", f"--adapter {self.adapter}")
            return registry.named_adapter(self.adapter)
        if self.agent_function is not None:
            self._check_uses("function", "--agent-function")
            return registry.adapter_for_function(self.agent_function, **common, **self._process())
        if self.agent_url is not None:
            self._check_uses("url", "--agent-url")
            return registry.adapter_for_url(self.agent_url, **common, **self._call())
        if self.model is not None:
            return self._bare_model(common)
        if self.agent is not None and (profile := profile_of(self.agent)) is not None:
            return self._profiled(profile, environ)
        self._check_uses("command", "--agent")
        if self.agent is None and self.adapter is None and suite_version not in DEFAULT_AGENT_SUITES:
            raise UsageError(
                f"suite {suite_version!a} needs an agent: name yours with --agent CMD "
                "(--agent passfloor-reference is the packaged one)"
            )
        command = "passfloor-reference" if self.agent is None else self.agent
        return registry.adapter_for_command(command, **common, **self._process())

    def _check_one(self) -> None:
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

    def _check_uses(self, kind: str, said: str) -> None:
        """Refuse flags that this kind of agent has no use for."""
        for name, reason in _REASONS.items():
            if getattr(self, name) not in (None, []) and name not in _USES[kind]:
                flag = "--" + name.replace("_", "-")
                raise UsageError(f"{flag} has no meaning beside {said}: {reason}; leave it out")

    def _bare_model(self, common: dict[str, Any]) -> "AttemptAdapter":
        from passfloor.adapters.registry import adapter_for_model

        self._check_uses("model", "--model")
        if self.base_url is None:
            raise UsageError(
                f"--model {self.model!a} needs --base-url URL: where is it? (such as http://127.0.0.1:8000/v1)"
            )
        options = _options(self.model_option or ())
        return adapter_for_model(self.model or "", self.base_url, options=options, **common, **self._call())

    def _profiled(self, profile: "Profile", environ: Mapping[str, str] | None) -> "AttemptAdapter":
        from passfloor.adapters.registry import adapter_for_profile

        kind = kind_of(profile.agent)
        if self.base_url is not None or self.model_option:
            raise UsageError(
                f"--base-url and --model-option are for --model: agent {profile.name!a} says its own"
            )
        self._check_uses(kind, f"agent {profile.name!a}, which is a {kind}")
        process = self._process() if kind in {"command", "function"} else {}
        if process and profile.agent.env:
            process["env"] = (*profile.agent.env, *process["env"])
        return adapter_for_profile(
            profile, timeout_s=self.timeout, retries=self.retries, environ=environ, **process
        )

    def _process(self) -> dict[str, Any]:
        return {
            "env": tuple(self.env or ()),
            "workspace_root": self.workspace_root,
            "keep_workspaces": self._keep(),
        }

    def _call(self) -> dict[str, Any]:
        return {} if self.retries is None else {"retries": self.retries}

    def _keep(self) -> Literal["failed", "all"] | None:
        match self.keep_workspaces:
            case None | "failed" | "all":
                return self.keep_workspaces
            case other:
                raise UsageError(f"--keep-workspaces {other!a}: say 'failed' or 'all'")


def _without_keys() -> Mapping[str, str]:
    """This process's environment with something else in place of the keys of providers."""
    from passfloor.recording.replayer import REPLAY_KEYS

    return {**os.environ, **REPLAY_KEYS}


def say_notes(adapter: object, say: Callable[[str], None]) -> None:
    """Say what an adapter has noted, once: words passed as paths, folders that were kept."""
    notes = getattr(adapter, "notes", None)
    while isinstance(notes, list) and notes:
        say(str(notes.pop(0)))


def put_away(adapter: object) -> None:
    """End what an adapter keeps ready for further attempts."""
    close = getattr(adapter, "close", None)
    if callable(close):
        close()


def _options(given: Sequence[str]) -> dict[str, Any]:
    """``temperature=0.2`` and the like, as members of the request.

    Raises:
        UsageError: one is not of that form, or a name is given twice.
    """
    from passfloor.canonical import parse
    from passfloor.errors import JsonError

    options: dict[str, Any] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not name or not sign:
            raise UsageError(f"--model-option {text!a}: write it as NAME=VALUE, such as temperature=0.2")
        if name in options:
            raise UsageError(f"--model-option {name!a} is given twice: keep one of them")
        try:
            options[name] = parse(value.encode()).value
        except (JsonError, UnicodeEncodeError):
            options[name] = value
    return options
