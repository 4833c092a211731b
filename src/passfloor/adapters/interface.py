"""What an adapter promises."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard, runtime_checkable

from passfloor.grading import Scorer
from passfloor.models.suite import Task


@dataclass(frozen=True)
class AttemptSpec:
    """Which attempt it is.

    Attributes:
        index: Position among the attempts of its task, from 0.
        attempt_id: 64 lower-case hex digits, never shared by two attempts.
        run_id: The run receipt's ``run_id``.
        seed: The run's seed, the same in every attempt.
        attempt_seed: 53 bits that differ from attempt to attempt; see ``passfloor.digests.attempt_seed``.
    """

    index: int
    attempt_id: str
    run_id: str
    seed: int
    attempt_seed: int


@runtime_checkable
class ReplayAdapter(Scorer, Protocol):
    """Runs a task and judges what came of it. Call i on a fresh instance is attempt i of that task."""

    def run_task(self, task: Task, scheduler_config: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run the task once.

        Returns:
            A run receipt: ``events`` (first ``task.started``, last ``task.completed`` or ``attempt.errored``)
            and any further members, which count as coordination.
        """
        ...


@runtime_checkable
class AttemptAdapter(Scorer, Protocol):
    """Runs a named attempt of a task, in any order and side by side with others."""

    key: str
    """The adapter's name in the registry, such as ``process``."""

    def run_attempt(
        self, task: Task, attempt: AttemptSpec, scheduler_config: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Run one attempt; what the agent does wrong is recorded in it and never raised.

        Returns:
            A run receipt with at least ``events``; run_id, attempt_id and heads are the runner's to add.

        Raises:
            EnvironmentFault: The machine, not the agent, is at fault.
        """
        ...

    def identity(self) -> dict[str, Any]:
        """How the agent is invoked, as JSON data: the SHA-256 of its RFC 8785 form is ``adapter_digest``."""
        ...

    def options(self) -> dict[str, Any]:
        """The options that reach the agent, as JSON data, the seed apart: ``config_digest`` is over these."""
        ...

    def check(self) -> None:
        """Look, before the first attempt, whether attempts can be made.

        Raises:
            UsageError: They cannot; the message says what to change.
        """
        ...


def is_attempt_adapter(adapter: object) -> TypeGuard[AttemptAdapter]:
    """Say whether an object runs named attempts, rather than call i being attempt i."""
    return isinstance(adapter, AttemptAdapter)
