"""Step 13: was everything but the declared model output the same in every attempt of a task?"""

from collections.abc import Iterator, Sequence

from passfloor.models.receipt import ReceiptHead, TaskResult
from passfloor.projection import AttemptView, compare
from passfloor.verification.findings import Finding


def check_rule(head: ReceiptHead) -> Iterator[Finding]:
    """Only rules this version can recompute are judged."""
    if head.coordination_rule == "causal":
        detail = "coordination rule 'causal' cannot be recomputed by this version"
        yield Finding(13, "rule", detail, path="coordination_rule")


def check_task(
    head: ReceiptHead, result: TaskResult, views: Sequence[AttemptView], path: str
) -> tuple[bool, list[Finding]]:
    """Recompute one task's coordination from its attempts, in order.

    Returns:
        Whether it was held fixed, and what the receipt claims otherwise.
    """
    if head.coordination_rule != "identical":
        return True, list(_unclaimed(head, result, path))
    shared = compare(views)
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
    return shared.identical, findings


def check_suite(head: ReceiptHead, held: bool) -> Iterator[Finding]:
    """The receipt's overall claim follows from its tasks."""
    expected = None if head.coordination_rule == "unrecorded" else held
    if head.coordination_rule != "causal" and head.coordination_ok is not expected:
        detail = f"claims {head.coordination_ok}, the tasks give {expected}"
        yield Finding(13, "coordination_ok", detail, path="coordination_ok")


def _unclaimed(head: ReceiptHead, result: TaskResult, path: str) -> Iterator[Finding]:
    """Where nothing was recorded, nothing may be claimed."""
    if head.coordination_rule == "unrecorded":
        for member in ("coordination_hash", "coordination_identical"):
            if getattr(result, member) is not None:
                yield _claim(member, "claimed although coordination was not recorded", result.task_id, path)


def _claim(code: str, detail: str, task_id: str, path: str) -> Finding:
    return Finding(13, code, detail, task_id, None, f"{path}.{code}")
