"""What is shown of a sealed run, derived once for every renderer."""

from passfloor.aggregate import Numbers, TaskCount, numbers
from passfloor.models.receipt import ReliabilityReceipt
from passfloor.projection import AttemptView, coordination


def figures(receipt: ReliabilityReceipt) -> Numbers:
    """The exact figures behind a receipt's verdicts."""
    counts = (TaskCount.of(attempt.outcome for attempt in result.attempts) for result in receipt.task_results)
    return numbers(counts, receipt.k)


def divergence(receipt: ReliabilityReceipt) -> str:
    """The first place where coordination was not held fixed: task, attempts, field; empty where it was."""
    for result in receipt.task_results:
        if result.coordination_identical is False:
            views = [
                AttemptView(attempt.receipt.events, attempt.receipt.model_extra or {})
                for attempt in result.attempts
            ]
            parting = coordination(receipt.coordination_rule, views).divergence
            if parting is not None:
                return f"task {result.task_id}, attempts {parting.left} and {parting.right}: {parting.detail}"
    return ""
