"""Which adapters there are, by name."""

import difflib
from collections.abc import Callable
from typing import Any

from passfloor.adapters.interface import AttemptAdapter, ReplayAdapter
from passfloor.adapters.mock import MockReplayAdapter, MockScorer
from passfloor.adapters.process import ProcessAdapter
from passfloor.adapters.reference import REFERENCE_PROGRAM, reference_adapter
from passfloor.adapters.stochastic import StochasticMockReplayAdapter, StochasticMockScorer
from passfloor.adapters.words import parse_command
from passfloor.errors import UsageError
from passfloor.grading import DeclaredScorer, Scorer
from passfloor.models.plan import SYNTHETIC

__all__ = ["ADAPTERS", "SYNTHETIC", "adapter_for_command", "named_adapter", "scorer_for"]

ADAPTERS: dict[str, Callable[[], ReplayAdapter | AttemptAdapter]] = {
    "mock": MockReplayAdapter,
    "reference": reference_adapter,
    "stochastic-mock": StochasticMockReplayAdapter,
}
"""The adapters that need nothing but their name."""

_SCORERS: dict[str, Callable[[], Scorer]] = {
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
    words = parse_command(text)
    if words[0] == REFERENCE_PROGRAM:
        return reference_adapter(words[1:], **kwargs)
    return ProcessAdapter(words, **kwargs)


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
