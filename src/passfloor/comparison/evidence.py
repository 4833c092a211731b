"""What a decision is made from: a verified receipt, and what became of each task's attempts."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, BinaryIO

from passfloor.aggregate import Pile, pile_of
from passfloor.stats import pass_at_k, pass_hat_k
from passfloor.verification.inputs import Inputs, VerifiedTask
from passfloor.verification.result import Verification
from passfloor.verification.verifier import verify

_MOST_MODELS = 20
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class TaskRow:
    """What became of one task's attempts.

    Attributes:
        task_id: As in the suite; untrusted text.
        task_hash: Of the task's content, 64 hex digits.
        cluster: The family the task belongs to, or None.
        n: Attempts recorded, 1 or more.
        passed: How many passed, 0 to n.
        errored: How many did not finish or could not be judged, 0 to n - passed.
    """

    task_id: str
    task_hash: str
    cluster: str | None
    n: int
    passed: int
    errored: int

    @property
    def pile(self) -> Pile:
        """Whether every attempt passed, some did, or none."""
        return pile_of(self.n, self.passed)

    def ceiling(self, k: int) -> Fraction:
        """pass@k of this task, 0 to 1; errored attempts do not pass."""
        return pass_at_k(self.n, self.passed, k)

    def floor(self, k: int) -> Fraction:
        """pass^k of this task, 0 to 1; errored attempts do not pass."""
        return pass_hat_k(self.n, self.passed, k)

    def at_best(self) -> "TaskRow":
        """The same task, were its errored attempts all passes."""
        return replace(self, passed=self.passed + self.errored, errored=0)


@dataclass(frozen=True)
class Evidence:
    """One receipt as a decision reads it; ``rows`` say something only where the verification matches.

    Attributes:
        verification: What was found and re-derived.
        rows: One a task, in suite order.
        served: The models that recorded answers say they come from, sorted, at most twenty.
    """

    verification: Verification
    rows: tuple[TaskRow, ...]
    served: tuple[str, ...] = ()


def gather(stream: BinaryIO, inputs: Inputs) -> Evidence:
    """Verify the receipt in ``stream`` and keep a row a task.

    Task results are judged one by one and forgotten: what is held does not grow with the attempts.

    Raises:
        UsageError: no suite was named and none is known for this receipt.
        OSError: the stream cannot be read.
    """
    told = _Told(inputs.observe)
    outcome = verify(stream, replace(inputs, observe=told.observe))
    return Evidence(outcome, tuple(told.rows), tuple(sorted(told.served)))


class _Told:
    """Boils down what verification tells, task by task."""

    def __init__(self, also: Callable[[VerifiedTask], None] | None) -> None:
        self.rows: list[TaskRow] = []
        self.served: set[str] = set()
        self._also = also

    def observe(self, verified: VerifiedTask) -> None:
        task, attempts = verified.task, verified.result["attempts"]
        self.rows.append(_row(task.id, task.task_hash, task.cluster, map(_outcome, attempts)))
        for attempt in attempts:
            for event in attempt["receipt"]["events"]:
                if (model := _model(event.get("sample"))) and len(self.served) < _MOST_MODELS:
                    self.served.add(model[:_LONGEST_NAME])
        if self._also is not None:
            self._also(verified)


def _model(sample: object) -> str:
    """The model an answer says it comes from, or empty."""
    if not isinstance(sample, Mapping):
        return ""
    said = sample.get("said")
    named = said.get("model") if isinstance(said, Mapping) else sample.get("model")
    return named if isinstance(named, str) else ""


def _outcome(attempt: Mapping[str, Any]) -> str:
    outcome: str = attempt["outcome"]
    return outcome


def _row(task_id: str, task_hash: str, cluster: str | None, outcomes: Iterable[str]) -> TaskRow:
    tally = Counter(outcomes)
    return TaskRow(task_id, task_hash, cluster, tally.total(), tally["passed"], tally["errored"])
