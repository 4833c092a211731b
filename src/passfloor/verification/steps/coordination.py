"""Step 13: was everything but the declared model output the same in every attempt of a task?"""

from collections.abc import Iterator, Sequence

from passfloor.models.receipt import ReceiptHead, TaskResult
from passfloor.projection import AttemptView, Coordination, coordination
from passfloor.verification.findings import Finding


def check_task(
    head: ReceiptHead, result: TaskResult, views: Sequence[AttemptView], path: str
) -> tuple[Coordination | None, list[Finding]]:
    """Recompute one task's coordination from its attempts, in order.

    Returns:
        What they have in common, None where nothing may be claimed; and what the receipt claims otherwise.
    """
    if head.coordination_rule == "unrecorded":
        return None, list(_unclaimed(result, path))
    shared = coordination(head.coordination_rule, views)
    findings = []
    if shared.divergence is not None:
        parting = shared.divergence
        detail = f"attempts {parting.left} and {parting.right}: {parting.detail}"
        findings.append(Finding(13, "diverged", detail, result.task_id, parting.right, parting.path))
    if result.coordination_hash != shared.hash:
        detail = f"claims {result.coordination_hash}, the attempts give {shared.hash}"
        findings.append(_claim("coordination_hash", detail, result.task_id, path))
    if result.coordination_identical is not shared.identical:
        detail = f"claims {result.coordination_identical}, the attempts give {shared.identical}"
        findings.append(_claim("coordination_identical", detail, result.task_id, path))
    return shared, findings


def check_suite(head: ReceiptHead, held: bool | None) -> Iterator[Finding]:
    """The receipt's overall claim follows from its tasks; ``held`` None: one of them does not say."""
    if held is None:
        return
    expected = None if head.coordination_rule == "unrecorded" else held
    if head.coordination_ok is not expected:
        detail = f"claims {head.coordination_ok}, the tasks give {expected}"
        yield Finding(13, "coordination_ok", detail, path="coordination_ok")


def _unclaimed(result: TaskResult, path: str) -> Iterator[Finding]:
    """Where nothing was recorded, nothing may be claimed."""
    for member in ("coordination_hash", "coordination_identical"):
        if getattr(result, member) is not None:
            yield _claim(member, "claimed although coordination was not recorded", result.task_id, path)


def _claim(code: str, detail: str, task_id: str, path: str) -> Finding:
    return Finding(13, code, detail, task_id, None, f"{path}.{code}")
