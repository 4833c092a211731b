"""A test double that models sampling: fixed coordination, a verdict that follows from the sampled value."""

from collections.abc import Mapping
from typing import Any

from passfloor.adapters.calls import CallCounter
from passfloor.adapters.mock import drawn, schedule
from passfloor.errors import UsageError
from passfloor.models.suite import Task

_PASS = "PASS "  # noqa: S105  # a word of the sampled answer
_FAIL = "FAIL "


class StochasticMockScorer:
    """Reads the verdict off the sampled answer, so that it needs to know neither seed nor rate."""

    def score_task(self, task: Task, receipt: Mapping[str, Any]) -> tuple[bool, float, dict[str, Any]]:  # noqa: ARG002
        """Passed where the last ``model.output`` says so; ``(passed, 1.0 or 0.0, {})``."""
        outputs = [event for event in receipt["events"] if event["kind"] == "model.output"]
        passed = bool(outputs) and str(outputs[-1]["sample"]["stdout"]).startswith(_PASS)
        return passed, 1.0 if passed else 0.0, {}


class StochasticMockReplayAdapter(StochasticMockScorer):
    """A hermetic adapter whose attempts pass with probability ``pass_rate``, by hash and not by chance.

    Call i on a fresh instance is attempt i; seed, task and i decide its value on every machine.
    """

    key = "stochastic-mock"

    def __init__(self, seed: int = 0, pass_rate: float = 0.7) -> None:
        """Make a fresh instance.

        Raises:
            UsageError: ``pass_rate`` is not between 0 and 1.
        """
        if not 0 <= pass_rate <= 1:
            raise UsageError(f"pass_rate is {pass_rate}; give a probability from 0 to 1")
        self.seed = seed
        self.pass_rate = pass_rate
        self._calls = CallCounter()

    def options(self) -> dict[str, Any]:
        """The pass rate, which is sealed in ``config_digest``."""
        return {"pass_rate": self.pass_rate}

    def run_task(self, task: Task, scheduler_config: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """The fixed schedule with the value sampled by this call."""
        value = drawn(self.seed, task.task_hash, self._calls.take(task.task_hash))
        word = _PASS if value < self.pass_rate * 2**53 else _FAIL
        return schedule(task, self.seed, f"{word}{value:014x}\n")
