"""What is shown of a sealed run, derived once for every renderer."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from passfloor.aggregate import Numbers, Pile, TaskCount, numbers, pile_of
from passfloor.canonical import digest
from passfloor.models.receipt import Attempt, ReliabilityReceipt
from passfloor.projection import (
    ANSWER,
    CALL_NOTES,
    SAMPLE,
    SAMPLED_KINDS,
    AttemptView,
    Coordination,
    coordination,
)


@dataclass(frozen=True)
class TaskTally:
    """What became of one task's attempts: how many passed, were wrong, errored; n in all."""

    task_id: str
    passed: int
    wrong: int
    errored: int

    @property
    def n(self) -> int:
        """Attempts recorded."""
        return self.passed + self.wrong + self.errored

    @property
    def pile(self) -> Pile:
        """Whether every attempt passed, some did, or none."""
        return pile_of(self.n, self.passed)


class RunView:
    """What is shown of a run, collected as its attempts are sealed; of a task it keeps a few words.

    Attributes:
        tallies: One entry a task, in suite order.
        divergence: The first place where coordination was not held fixed: task, attempts, field; empty where
            it was.
        first_error: Type and detail of the first errored attempt; empty where there is none.
        alike_tasks: The tasks that were finished more than once, always with the same output.
    """

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.tallies: list[TaskTally] = []
        self.divergence = ""
        self.first_error = ""
        self.alike_tasks: list[str] = []
        self._outcomes = Counter[str]()
        self._outputs = set[str]()
        self._alike = True
        self._cached = 0
        self._said = set[str]()

    @classmethod
    def of(cls, receipt: ReliabilityReceipt) -> Self:
        """The view of a receipt that is held whole."""
        view = cls()
        for result in receipt.task_results:
            views = []
            for attempt in result.attempts:
                view.attempt(attempt)
                views.append(
                    AttemptView(
                        attempt.receipt.events,
                        attempt.receipt.model_extra or {},
                        attempt_id=attempt.attempt_id,
                        blobs=receipt.blobs,
                    )
                )
            rule = receipt.coordination_rule
            view.task(result.task_id, None if rule == "unrecorded" else coordination(rule, views))
        return view

    def attempt(self, attempt: Attempt) -> None:
        """Take in the next attempt, in plan order."""
        self._outcomes[attempt.outcome] += 1
        if attempt.error is not None and not self.first_error:
            self.first_error = f"{attempt.error.type}, {attempt.error.detail}"
        if attempt.outcome != "errored" and len(self._outputs) < 2:
            self._outputs.add(_sampled(attempt))
        for event in attempt.receipt.events:
            sample = event.get(SAMPLE)
            said = sample.get("cached") if event["kind"] == ANSWER and isinstance(sample, dict) else None
            # An adapter object may call anything so.
            if said and isinstance(said, list):
                self._cached += 1
                self._said.update(map(str, said))

    def task(self, task_id: str, shared: Coordination | None) -> None:
        """The attempts since the task before were this one's; None: what they share was not recorded."""
        passed, wrong, errored = (self._outcomes[outcome] for outcome in ("passed", "wrong", "errored"))
        self.tallies.append(TaskTally(task_id, passed, wrong, errored))
        alike = passed + wrong > 1 and len(self._outputs) == 1
        if alike:
            self.alike_tasks.append(task_id)
        self._alike &= alike
        parting = None if shared is None else shared.divergence
        if parting is not None and not self.divergence:
            where = f"task {task_id}, attempts {parting.left} and {parting.right}"
            self.divergence = f"{where}: {parting.detail}"
        self._outcomes.clear()
        self._outputs.clear()

    @property
    def outputs_alike(self) -> bool:
        """Whether each task was finished more than once, always with the same output.

        Attempts that agree so far may be one attempt copied: by a cache, a fixed seed, or an agent that
        samples nothing. Errored attempts have no output to compare.
        """
        return self._alike

    @property
    def cached(self) -> tuple[int, list[str]]:
        """How many attempts were answered from a cache, as the answers said, and by what they said so."""
        return self._cached, sorted(self._said)

    def figures(self, k: int) -> Numbers:
        """The exact figures behind the sealed ones, for draws of ``k``."""
        return numbers((TaskCount(tally.n, tally.passed, tally.errored) for tally in self.tallies), k)


def last_words(attempt: Attempt) -> str:
    """The last line that is not blank that an attempt wrote to standard error, or empty."""
    for event in reversed(attempt.receipt.events):
        sample = event.get("sample")
        if event["kind"] == "model.output" and isinstance(sample, dict):
            lines = str(sample.get("stderr_tail", "")).split("\n")
            return next((line.strip() for line in reversed(lines) if line.strip()), "")
    return ""


def _sampled(attempt: Attempt) -> str:
    """One digest over all that the model is declared to have sampled, but for how it was fetched."""
    return digest([_said(event) for event in attempt.receipt.events if event["kind"] in SAMPLED_KINDS])


def _said(event: Mapping[str, Any]) -> Any:
    sample = event[SAMPLE]
    if event["kind"] != ANSWER or not isinstance(sample, dict):
        return sample
    return {name: value for name, value in sample.items() if name not in CALL_NOTES}
