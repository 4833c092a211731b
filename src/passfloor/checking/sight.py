"""What is seen of an agent in two attempts of one task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from passfloor.models.receipt import Attempt
from passfloor.models.suite import Task
from passfloor.projection import OWN_PREFIXES, SAMPLED_KINDS

Kind = Literal["process", "function", "endpoint"]
"""What is driven: a program, a callable, or something that is called."""


@dataclass(frozen=True)
class Observed:
    """One attempt, and what its receipt does not say.

    Attributes:
        attempt: As it would be sealed, large values in their places.
        elapsed_s: How long it took.
        unread: Bytes of the prompt it left on its standard input; None where that cannot be seen.
        left_behind: Processes it left running; None where that cannot be seen.
        gone: Whether its folder is gone; None where it had none, or it was to be kept.
    """

    attempt: Attempt
    elapsed_s: float
    unread: int | None = None
    left_behind: int | None = None
    gone: bool | None = None

    @property
    def error(self) -> str | None:
        """The type of its error, None where it finished."""
        return None if self.attempt.error is None else self.attempt.error.type

    @property
    def detail(self) -> str:
        """Its error in words, empty where it finished."""
        return "" if self.attempt.error is None else self.attempt.error.detail

    @property
    def said(self) -> Mapping[str, Any]:
        """The sample of its output."""
        return self._sample("model.output")

    @property
    def files(self) -> Mapping[str, Any]:
        """The sample of its files."""
        return self._sample("model.artifact")

    @property
    def lines(self) -> int:
        """How many journal lines it wrote."""
        kinds = [event["kind"] for event in self.attempt.receipt.events]
        return sum(kind not in SAMPLED_KINDS and not kind.startswith(OWN_PREFIXES) for kind in kinds)

    def _sample(self, kind: str) -> Mapping[str, Any]:
        for event in self.attempt.receipt.events:
            if event["kind"] == kind and isinstance(event.get("sample"), Mapping):
                sample: Mapping[str, Any] = event["sample"]
                return sample
        return {}


@dataclass(frozen=True)
class Sight:
    """All that was seen of the agent.

    Attributes:
        kind: What it is.
        task: What it was asked.
        pair: Its two attempts, in order.
        rule: How coordination is compared.
        timeout_s: Seconds an attempt had.
        withheld: Names of variables that are set here and were not let through.
        appeared: Places outside of the attempts' folders that changed meanwhile; None where nobody looked.
    """

    kind: Kind
    task: Task
    pair: tuple[Observed, Observed]
    rule: str
    timeout_s: float
    withheld: frozenset[str] = frozenset()
    appeared: Sequence[str] | None = None

    @property
    def errors(self) -> list[str]:
        """The types of the errors there were."""
        return [each.error for each in self.pair if each.error is not None]

    def first(self, *types: str) -> Observed | None:
        """The first attempt that errored in one of these ways."""
        return next((each for each in self.pair if each.error in types), None)
