"""Counts in, exact numbers out: the statistics of repeated attempts, useful by themselves.

A suite is a sequence of ``(n, c)`` pairs, one a task: attempts recorded, errored ones included, and how many
passed. Figures are ``fractions.Fraction``, exact; chances, standard deviations and intervals of one task's
rate are floats. Nothing here draws at random, and numpy is imported only by what needs it.
As in the package itself, a name is loaded when it is first used: verifying a receipt needs few of them.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passfloor.stats.assumed import (
        Bounds,
        assumed_pass_at_k,
        assumed_pass_hat_k,
        batch,
        bounds,
        estimate_sd,
        plug_in,
        pooled,
    )
    from passfloor.stats.auditing import Comparison, Detection, Spot, compare_spots, deal
    from passfloor.stats.consistency import (
        NeverSplit,
        Trend,
        agreement,
        distinct,
        icc,
        modal_share,
        never_split,
        outcome_consistency,
        trend,
        variance_shares,
    )
    from passfloor.stats.curves import Piles, Point, curve, piles, success_rate
    from passfloor.stats.estimators import at_least, mean, pass_at_k, pass_hat_k, percent, ruled_out
    from passfloor.stats.intervals import (
        Interval,
        IntervalPair,
        Noise,
        attempt_noise,
        bootstrap_all,
        bootstrap_over_tasks,
        clopper_pearson,
    )
    from passfloor.stats.judging import Disagreement, disagreement
    from passfloor.stats.pairing import (
        Detectable,
        best_attainable_p,
        difference_sd,
        mcnemar_p,
        sign_flip_p,
        smallest_detectable,
    )
    from passfloor.stats.planning import (
        WORKED_MIX,
        Bill,
        Distinction,
        GateChance,
        Mix,
        Width,
        attempts_for_width,
        attempts_to_tell,
        bill,
        expected_width,
        gate_pass_chance,
        mix_of,
        rule_of_thumb,
        tasks_for_width,
        tell_apart,
    )

__all__ = [
    "WORKED_MIX",
    "Bill",
    "Bounds",
    "Comparison",
    "Detectable",
    "Detection",
    "Disagreement",
    "Distinction",
    "GateChance",
    "Interval",
    "IntervalPair",
    "Mix",
    "NeverSplit",
    "Noise",
    "Piles",
    "Point",
    "Spot",
    "Trend",
    "Width",
    "agreement",
    "assumed_pass_at_k",
    "assumed_pass_hat_k",
    "at_least",
    "attempt_noise",
    "attempts_for_width",
    "attempts_to_tell",
    "batch",
    "best_attainable_p",
    "bill",
    "bootstrap_all",
    "bootstrap_over_tasks",
    "bounds",
    "clopper_pearson",
    "compare_spots",
    "curve",
    "deal",
    "difference_sd",
    "disagreement",
    "distinct",
    "estimate_sd",
    "expected_width",
    "gate_pass_chance",
    "icc",
    "mcnemar_p",
    "mean",
    "mix_of",
    "modal_share",
    "never_split",
    "outcome_consistency",
    "pass_at_k",
    "pass_hat_k",
    "percent",
    "piles",
    "plug_in",
    "pooled",
    "rule_of_thumb",
    "ruled_out",
    "sign_flip_p",
    "smallest_detectable",
    "success_rate",
    "tasks_for_width",
    "tell_apart",
    "trend",
    "variance_shares",
]

_MODULES = {
    "assumed": (
        "Bounds",
        "assumed_pass_at_k",
        "assumed_pass_hat_k",
        "batch",
        "bounds",
        "estimate_sd",
        "plug_in",
        "pooled",
    ),
    "auditing": ("Comparison", "Detection", "Spot", "compare_spots", "deal"),
    "consistency": (
        "NeverSplit",
        "Trend",
        "agreement",
        "distinct",
        "icc",
        "modal_share",
        "never_split",
        "outcome_consistency",
        "trend",
        "variance_shares",
    ),
    "curves": ("Piles", "Point", "curve", "piles", "success_rate"),
    "estimators": ("at_least", "mean", "pass_at_k", "pass_hat_k", "percent", "ruled_out"),
    "intervals": (
        "Interval",
        "IntervalPair",
        "Noise",
        "attempt_noise",
        "bootstrap_all",
        "bootstrap_over_tasks",
        "clopper_pearson",
    ),
    "judging": ("Disagreement", "disagreement"),
    "pairing": (
        "Detectable",
        "best_attainable_p",
        "difference_sd",
        "mcnemar_p",
        "sign_flip_p",
        "smallest_detectable",
    ),
    "planning": (
        "Bill",
        "Distinction",
        "GateChance",
        "Mix",
        "WORKED_MIX",
        "Width",
        "attempts_for_width",
        "attempts_to_tell",
        "bill",
        "expected_width",
        "gate_pass_chance",
        "mix_of",
        "rule_of_thumb",
        "tasks_for_width",
        "tell_apart",
    ),
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
