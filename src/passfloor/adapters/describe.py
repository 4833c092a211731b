"""Who an adapter is: the data behind ``subject.adapter``, ``adapter_digest`` and ``config_digest``."""

from dataclasses import dataclass
from typing import Any

from passfloor.adapters.interface import AttemptAdapter, ReplayAdapter, is_attempt_adapter
from passfloor.adapters.stochastic import StochasticMockReplayAdapter
from passfloor.models.plan import SYNTHETIC

AnyAdapter = ReplayAdapter | AttemptAdapter
"""What a run can be given."""

_MAX_SEED = 2**53 - 1


@dataclass(frozen=True)
class About:
    """An adapter as a receipt names it.

    Attributes:
        key: The registry key, or ``custom`` for an adapter object.
        identity: JSON data whose digest is ``adapter_digest``.
        options: JSON data of the options that reach the agent; its digest is ``config_digest``.
        declared: Whether attempts are judged by the task's declared assertions.
    """

    key: str
    identity: dict[str, Any]
    options: dict[str, Any]
    declared: bool


def describe(adapter: AnyAdapter) -> About:
    """Describe any adapter.

    An adapter object is named by its class ``module:qualname`` and its ``seed``, a whole number.
    """
    declared = getattr(adapter, "declared", False) is True
    if is_attempt_adapter(adapter):
        return About(adapter.key, adapter.identity(), adapter.options(), declared)
    kind = type(adapter)
    key = getattr(adapter, "key", None)
    key = key if isinstance(key, str) and key in SYNTHETIC else "custom"
    seed = getattr(adapter, "seed", None)
    seed = seed if type(seed) is int and 0 <= seed <= _MAX_SEED else None
    return About(
        key=key,
        identity={"adapter": key, "class": f"{kind.__module__}:{kind.__qualname__}", "seed": seed},
        options=adapter.options() if isinstance(adapter, StochasticMockReplayAdapter) else {},
        declared=declared,
    )
