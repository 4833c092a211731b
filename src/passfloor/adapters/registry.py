"""Which adapters there are, by name."""

import difflib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from passfloor.adapters.interface import AttemptAdapter, ReplayAdapter
from passfloor.adapters.mock import MockReplayAdapter, MockScorer
from passfloor.adapters.process import ProcessAdapter
from passfloor.adapters.reference import REFERENCE_PROGRAM, reference_adapter
from passfloor.adapters.stochastic import StochasticMockReplayAdapter, StochasticMockScorer
from passfloor.adapters.words import parse_command
from passfloor.errors import UsageError
from passfloor.grading import DeclaredScorer, Scorer
from passfloor.models.plan import SYNTHETIC

if TYPE_CHECKING:
    from passfloor.adapters.chat import ChatAdapter
    from passfloor.adapters.function import FunctionAdapter
    from passfloor.adapters.http import HttpAdapter
    from passfloor.config import Profile

__all__ = [
    "ADAPTERS",
    "SYNTHETIC",
    "adapter_for_command",
    "adapter_for_function",
    "adapter_for_model",
    "adapter_for_profile",
    "adapter_for_url",
    "named_adapter",
    "scorer_for",
]

ADAPTERS: dict[str, Callable[[], ReplayAdapter | AttemptAdapter]] = {
    "mock": MockReplayAdapter,
    "reference": reference_adapter,
    "stochastic-mock": StochasticMockReplayAdapter,
}
"""The adapters that need nothing but their name."""

_SCORERS: dict[str, Callable[[], Scorer]] = {
    "chat": DeclaredScorer,
    "function": DeclaredScorer,
    "http": DeclaredScorer,
    "mock": MockScorer,
    "process": DeclaredScorer,
    "reference": DeclaredScorer,
    "stochastic-mock": StochasticMockScorer,
}


def adapter_for_command(text: str, **kwargs: Any) -> ProcessAdapter:
    """The adapter for ``--agent TEXT``: the packaged agent where it is named, else any program.

    Args:
        text: The command, split as a shell splits words.
        **kwargs: As ``ProcessAdapter`` takes them.

    Raises:
        UsageError: The command cannot be split, or as ``ProcessAdapter`` does.
    """
    return _for_words(parse_command(text), **kwargs)


def _for_words(words: Sequence[str], **kwargs: Any) -> ProcessAdapter:
    if words[0] == REFERENCE_PROGRAM:
        return reference_adapter(words[1:], **kwargs)
    return ProcessAdapter(words, **kwargs)


def adapter_for_function(target: str, **kwargs: Any) -> "FunctionAdapter":
    """The adapter for ``--agent-function``; arguments and errors as ``FunctionAdapter`` has them."""
    from passfloor.adapters.function import FunctionAdapter

    return FunctionAdapter(target, **kwargs)


def adapter_for_url(url: str, **kwargs: Any) -> "HttpAdapter":
    """The adapter for ``--agent-url``; arguments and errors as ``HttpAdapter`` has them."""
    from passfloor.adapters.http import HttpAdapter

    return HttpAdapter(url, **kwargs)


def adapter_for_model(model: str, base_url: str, **kwargs: Any) -> "ChatAdapter":
    """The adapter for ``--model``; arguments and errors as ``ChatAdapter`` has them."""
    from passfloor.adapters.chat import ChatAdapter

    return ChatAdapter(model, base_url, **kwargs)


def adapter_for_profile(profile: "Profile", **overrides: Any) -> AttemptAdapter:
    """The adapter for an agent of the settings file; paths are seen from that file's folder.

    Args:
        profile: Which agent.
        **overrides: Arguments of its adapter that stand in for those of the profile; None stands in for none.

    Raises:
        UsageError: As the adapter does.
    """
    agent = profile.agent
    declared = agent.model_dump(exclude_unset=True)
    given = {name: value for name, value in overrides.items() if value is not None}
    for name in ("command", "function", "url", "model", "base_url", "record", "coordination"):
        declared.pop(name, None)
    arguments = {**declared, **given}
    if agent.command is not None:
        return _for_words(agent.command, **{"start_folder": profile.folder, **arguments})
    if agent.function is not None:
        return adapter_for_function(agent.function, **{"start_folder": profile.folder, **arguments})
    if agent.url is not None:
        return adapter_for_url(agent.url, **arguments)
    return adapter_for_model(agent.model or "", agent.base_url or "", **arguments)


def named_adapter(name: str) -> ReplayAdapter | AttemptAdapter:
    """A fresh adapter by its name.

    Raises:
        UsageError: There is none of that name; the nearest is named.
    """
    if name not in ADAPTERS:
        near = difflib.get_close_matches(name, ADAPTERS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(ADAPTERS))}"
        raise UsageError(f"there is no adapter {name!r}; {hint}")
    return ADAPTERS[name]()


def scorer_for(key: str) -> Scorer | None:
    """What judges an adapter's receipts, without anything that could run an agent; None where unknown."""
    return _SCORERS[key]() if key in _SCORERS else None
