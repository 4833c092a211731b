"""From the agent flags to an adapter that drives the agent, and what becomes of it afterwards."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from passfloor.cli.outputs import hide, note
from passfloor.cli.profiles import kind_of, profile_of
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.adapters.interface import AttemptAdapter
    from passfloor.cli.agents import AgentFlags
    from passfloor.config import Profile
    from passfloor.models.suite import Task
    from passfloor.scrubbing import Scrubber

DEFAULT_AGENT_SUITES = frozenset({"golden-v1", "answers-v1"})
"""The suites that the packaged agent is run on where no agent is named."""


def ready(
    flags: "AgentFlags", suite_version: str, tasks: Iterable["Task"] = (), *, replays: bool = False
) -> "tuple[AnyAdapter, Scrubber]":
    """The adapter, fit for ``tasks`` and with its program found, and what takes its secrets out.

    From here on nothing is said on stderr with one of them in it. With ``replays`` recorded answers are
    all that it gets: something else stands in for keys, and no model is looked for.

    Raises:
        UsageError: as for ``build``; a pattern is not RE2; the program, a variable or the workspace root
            is not there; or a task is none for this kind of agent.
    """
    from passfloor.adapters.interface import is_attempt_adapter

    adapter = build(flags, suite_version, environ=_without_keys() if replays else None)
    scrubber = _scrubber(flags, adapter)
    hide(lambda text: scrubber.scrub_text(text)[0])
    say_notes(adapter, note)
    fits = getattr(adapter, "check_task", None)
    if callable(fits):
        for task in tasks:
            fits(task)
    if is_attempt_adapter(adapter) and not (replays and hasattr(adapter, "base_url")):
        adapter.check()
    return adapter, scrubber


def _scrubber(flags: "AgentFlags", adapter: "AnyAdapter") -> "Scrubber":
    from passfloor.adapters.secrets import scrubber_for

    scrubber = scrubber_for(adapter, tuple(flags.scrub or ()))
    for name in scrubber.unprotected:
        note(
            f"warning: the value of {name} is too short or too plain to be told from ordinary text, so "
            "it is not scrubbed; give it a longer one, or say with --scrub what to replace"
        )
    return scrubber


def build(
    flags: "AgentFlags", suite_version: str, *, environ: Mapping[str, str] | None = None
) -> "AnyAdapter":
    """The adapter the operator's own flags name; for a built-in suite the packaged agent by default.

    Args:
        flags: As given.
        suite_version: Of the suite.
        environ: Where variables are looked up; None: in this process's environment.

    Raises:
        UsageError: none is named, two are, or the one named cannot be used.
    """
    from passfloor.adapters import registry

    flags.check_one()
    common: dict[str, Any] = {} if flags.timeout is None else {"timeout_s": flags.timeout}
    if environ is not None:
        common["environ"] = environ
    if flags.adapter is not None and flags.adapter != "reference":
        flags.check_uses("adapter", f"--adapter {flags.adapter}")
        return registry.named_adapter(flags.adapter)
    if flags.agent_function is not None:
        flags.check_uses("function", "--agent-function")
        return registry.adapter_for_function(flags.agent_function, **common, **flags.process())
    if flags.agent_url is not None:
        flags.check_uses("url", "--agent-url")
        return registry.adapter_for_url(flags.agent_url, **common, **flags.call())
    if flags.model is not None:
        return _bare_model(flags, common)
    if flags.agent is not None and (profile := profile_of(flags.agent)) is not None:
        return _profiled(flags, profile, environ)
    flags.check_uses("command", "--agent")
    if flags.agent is None and flags.adapter is None and suite_version not in DEFAULT_AGENT_SUITES:
        raise UsageError(
            f"suite {suite_version!a} needs an agent: name yours with --agent CMD "
            "(--agent passfloor-reference is the packaged one)"
        )
    command = "passfloor-reference" if flags.agent is None else flags.agent
    return registry.adapter_for_command(command, **common, **flags.process())


def _bare_model(flags: "AgentFlags", common: dict[str, Any]) -> "AttemptAdapter":
    from passfloor.adapters.registry import adapter_for_model

    flags.check_uses("model", "--model")
    if flags.base_url is None:
        raise UsageError(
            f"--model {flags.model!a} needs --base-url URL: where is it? (such as http://127.0.0.1:8000/v1)"
        )
    options = _options(flags.model_option or ())
    return adapter_for_model(flags.model or "", flags.base_url, options=options, **common, **flags.call())


def _profiled(flags: "AgentFlags", profile: "Profile", environ: Mapping[str, str] | None) -> "AttemptAdapter":
    from passfloor.adapters.registry import adapter_for_profile

    kind = kind_of(profile.agent)
    if flags.base_url is not None or flags.model_option:
        raise UsageError(
            f"--base-url and --model-option are for --model: agent {profile.name!a} says its own"
        )
    flags.check_uses(kind, f"agent {profile.name!a}, which is a {kind}")
    process = flags.process() if kind in {"command", "function"} else {}
    if process and profile.agent.env:
        process["env"] = (*profile.agent.env, *process["env"])
    return adapter_for_profile(
        profile, timeout_s=flags.timeout, retries=flags.retries, environ=environ, **process
    )


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


@contextlib.contextmanager
def used() -> Iterator[Callable[["tuple[AnyAdapter, Scrubber]"], "tuple[AnyAdapter, Scrubber]"]]:
    """Lets go of what is passed through it at the end, however that comes: notes are said, adapters ended."""
    adapters: list[AnyAdapter] = []

    def using(made: "tuple[AnyAdapter, Scrubber]") -> "tuple[AnyAdapter, Scrubber]":
        adapters.append(made[0])
        return made

    try:
        yield using
    finally:
        for each in adapters:
            say_notes(each, note)
            put_away(each)


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
