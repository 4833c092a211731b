"""Notices a run whose first attempts all error alike."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from passfloor.models.receipt import Attempt

STOP_AFTER = 10
"""A run whose first attempts all errored alike is stopped after this many."""


@dataclass
class Hope:
    """Watches the first attempts of a run: ten that error alike tell of the set-up, not of the agent.

    Attributes:
        off: Nothing is watched for any more.
    """

    off: bool
    _seen: list[tuple[str, Any]] = field(default_factory=list)

    def recall(self, attempts: Sequence[Attempt]) -> None:
        """Take in what an earlier sitting finished; where that was enough to stop it, count anew."""
        for attempt in attempts:
            self._note(attempt)
        if len(self._seen) >= STOP_AFTER:
            self._seen.clear()

    def is_lost(self, attempt: Attempt) -> bool:
        """Take in the next attempt; whether all so far errored alike, and are enough to stop."""
        self._note(attempt)
        return not self.off and len(self._seen) >= STOP_AFTER

    def _note(self, attempt: Attempt) -> None:
        if self.off:
            return
        if attempt.error is not None:
            self._seen.append((attempt.error.type, attempt.receipt.events[-1].get("exit_code")))
        self.off = attempt.error is None or len(set(self._seen)) > 1
