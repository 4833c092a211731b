"""Steps 2 and 3: is this a reliability receipt of a version we know, and within the limits?"""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from passfloor.digests import plan_size
from passfloor.models.receipt import RECEIPT_SCHEMA, ReceiptHead, TaskResult
from passfloor.verification.findings import Finding
from passfloor.verification.inputs import Limits

Model = TypeVar("Model", bound=BaseModel)
_MOST_PER_OBJECT = 20
_MOST_FAULTS = 1000


def read_head(value: Any) -> tuple[ReceiptHead | None, list[Finding]]:
    """Step 2 over every member but the task results."""
    if not isinstance(value, dict):
        return None, [Finding(2, "schema", f"a receipt is a JSON object, found {_kind(value)}")]
    schema = value.get("schema")
    if isinstance(schema, str) and schema != RECEIPT_SCHEMA:
        code = "version" if schema.startswith("passfloor/reliability-receipt/") else "schema"
        return None, [
            Finding(2, code, f"schema is '{schema}', this version reads '{RECEIPT_SCHEMA}'", path="schema")
        ]
    return _validated(ReceiptHead, value, "", None)


def read_task(value: Any, position: int) -> tuple[TaskResult | None, list[Finding]]:
    """Step 2 over one task result."""
    task_id = value.get("task_id") if isinstance(value, dict) else None
    path = f"task_results[{position}]"
    return _validated(TaskResult, value, path, task_id if isinstance(task_id, str) else None)


def check_limits(head: ReceiptHead, limits: Limits) -> list[Finding]:
    """Step 3: 1 <= k <= n, and n within the limit. The number of tasks is counted as they are read.

    Every stage hashes the plan anew, so that a long plan with many stages would cost the product of both.
    """
    findings = []
    if not head.k >= 1:
        findings.append(Finding(3, "type", f"k is {head.k}, expected at least 1", path="k"))
    if head.n < head.k:
        detail = f"k={head.k} > n={head.n}: the figures are not estimable"
        findings.append(Finding(3, "type", detail, path="n"))
    if head.n > limits.max_attempts:
        detail = f"n is {head.n}, the limit is {limits.max_attempts}"
        findings.append(Finding(3, "attempts", detail, path="n"))
    stages = len(head.session.stages)
    if stages > limits.max_attempts or (stages - 1) * plan_size(head) > limits.max_bytes:
        detail = f"{stages} stages over a plan of {plan_size(head)} bytes are too many"
        findings.append(Finding(3, "stages", detail, path="session.stages"))
    return findings


def too_many_tasks(limits: Limits) -> Finding:
    """Step 3: the refusal of one task too many."""
    return Finding(3, "tasks", f"more than {limits.max_tasks} task results", path="task_results")


def _validated(
    model: type[Model], value: Any, path: str, task_id: str | None
) -> tuple[Model | None, list[Finding]]:
    try:
        return model.model_validate(value), []
    except ValidationError as error:
        if error.error_count() > _MOST_FAULTS:
            # Listing them would cost far more memory than the receipt itself.
            detail = f"{error.error_count()} members are missing, unknown or of a wrong type"
            return None, [Finding(2, "type", detail, task_id=task_id, path=path)]
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        return None, [
            Finding(2, "type", fault["msg"], task_id=task_id, path=_path(path, fault["loc"]))
            for fault in faults[:_MOST_PER_OBJECT]
        ]


def _path(base: str, location: tuple[int | str, ...]) -> str:
    path = base
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")
