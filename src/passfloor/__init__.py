"""passfloor: can this agent be left alone? pass@k and pass^k in a receipt that anyone can verify offline.

The public names are loaded when they are first used, so that importing the package costs nothing.
"""

from typing import Any

__version__ = "0.1.0"

_WHERE = {
    "Ed25519Signer": "passfloor.signing.signers",
    "MockReplayAdapter": "passfloor.adapters.mock",
    "PassfloorError": "passfloor.errors",
    "ProcessAdapter": "passfloor.adapters.process",
    "ReliabilityReceipt": "passfloor.models.receipt",
    "ReliabilityRunner": "passfloor.api",
    "ReliabilityVerifier": "passfloor.api",
    "ReplayAdapter": "passfloor.adapters.interface",
    "Scorer": "passfloor.grading",
    "StochasticMockReplayAdapter": "passfloor.adapters.stochastic",
    "StubReliabilitySigner": "passfloor.signing.signers",
    "Suite": "passfloor.models.suite",
    "Task": "passfloor.models.suite",
    "build_answers_suite_v1": "passfloor.suites",
    "build_golden_suite_v1": "passfloor.suites",
    "load_receipt": "passfloor.api",
    "load_suite": "passfloor.suites",
    "pass_at_k": "passfloor.stats",
    "pass_hat_k": "passfloor.stats",
    "reliability_check": "passfloor.api",
    "write_receipt": "passfloor.api",
}

__all__ = ["__version__", *sorted(_WHERE)]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'passfloor' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
