"""What is shown of a sealed run, derived once for every renderer."""

from dataclasses import dataclass
from typing import Literal

from passfloor.aggregate import Numbers, TaskCount, numbers
from passfloor.canonical import digest
from passfloor.models.receipt import Attempt, ReliabilityReceipt
from passfloor.projection import SAMPLE, SAMPLED_KINDS, AttemptView, coordination

Pile = Literal["always", "flaky", "never"]


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
        if self.passed == self.n:
            return "always"
        return "flaky" if self.passed else "never"


def figures(receipt: ReliabilityReceipt) -> Numbers:
    """The exact figures behind a receipt's verdicts."""
    counts = (TaskCount.of(attempt.outcome for attempt in result.attempts) for result in receipt.task_results)
    return numbers(counts, receipt.k)


def tallies(receipt: ReliabilityReceipt) -> list[TaskTally]:
    """One entry a task, in suite order."""
    found = []
    for result in receipt.task_results:
        outcomes = [attempt.outcome for attempt in result.attempts]
        counts = (outcomes.count(outcome) for outcome in ("passed", "wrong", "errored"))
        found.append(TaskTally(result.task_id, *counts))
    return found


def divergence(receipt: ReliabilityReceipt) -> str:
    """The first place where coordination was not held fixed: task, attempts, field; empty where it was."""
    for result in receipt.task_results:
        if result.coordination_identical is False:
            views = [
                AttemptView(
                    attempt.receipt.events,
                    attempt.receipt.model_extra or {},
                    attempt_id=attempt.attempt_id,
                    blobs=receipt.blobs,
                )
                for attempt in result.attempts
            ]
            parting = coordination(receipt.coordination_rule, views).divergence
            if parting is not None:
                return f"task {result.task_id}, attempts {parting.left} and {parting.right}: {parting.detail}"
    return ""


def first_error(receipt: ReliabilityReceipt) -> str:
    """Type and detail of the first errored attempt; empty where there is none."""
    for result in receipt.task_results:
        for attempt in result.attempts:
            if attempt.error is not None:
                return f"{attempt.error.type}, {attempt.error.detail}"
    return ""


def last_words(attempt: Attempt) -> str:
    """The last line that is not blank that an attempt wrote to standard error, or empty."""
    for event in reversed(attempt.receipt.events):
        sample = event.get("sample")
        if event["kind"] == "model.output" and isinstance(sample, dict):
            lines = str(sample.get("stderr_tail", "")).split("\n")
            return next((line.strip() for line in reversed(lines) if line.strip()), "")
    return ""


def all_outputs_alike(receipt: ReliabilityReceipt) -> bool:
    """Whether each task was finished more than once, always with the same output.

    Attempts that agree so far may be one attempt copied: by a cache, a fixed seed, or an agent that samples
    nothing. Errored attempts have no output to compare.
    """
    for result in receipt.task_results:
        finished = [attempt for attempt in result.attempts if attempt.outcome != "errored"]
        if len(finished) < 2 or len({_sampled(attempt) for attempt in finished}) > 1:
            return False
    return True


def _sampled(attempt: Attempt) -> str:
    """One digest over all that the model is declared to have sampled."""
    return digest([event[SAMPLE] for event in attempt.receipt.events if event["kind"] in SAMPLED_KINDS])
