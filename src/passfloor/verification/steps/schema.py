"""Steps 2 and 3: is this a reliability receipt of a version we know, and within the limits?"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from passfloor.digests import plan_size
from passfloor.models.receipt import RECEIPT_SCHEMA, ReceiptHead, TaskResult
from passfloor.models.run_receipt import RunReceipt
from passfloor.verification.findings import Finding
from passfloor.verification.inputs import Limits

Model = TypeVar("Model", bound=BaseModel)
_MOST_PER_OBJECT = 20
_MOST_MEMBERS = 64
"""What an object may have, and what an adapter may add to a run receipt: more can only be unknown members."""
_MOST_LISTED = 10_000
_RUN_RECEIPT = len(RunReceipt.model_fields) + 1  # the adapter's own run id is not an addition
_OBJECTS = ("session", "subject", "selection", "tool", "counts", "gate", "graders")
_LISTS = (
    ("session", "stages", "stages"),
    ("session", "interrupted", "attempts"),
    ("selection", "tasks", "tasks"),
    (None, "environment", "stages"),
    (None, "identity_fields", "nodes"),
)
"""Holder, member, and the limit that too many items pass."""


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
    finding = next(_oversized_head(value), None)
    return _validated(ReceiptHead, value, "", None) if finding is None else (None, [finding])


def read_task(value: Any, position: int) -> tuple[TaskResult | None, list[Finding]]:
    """Step 2 over one task result."""
    named = value.get("task_id") if isinstance(value, dict) else None
    task_id = named if isinstance(named, str) else None
    path = f"task_results[{position}]"
    finding = next(_oversized_task(value, path), None)
    if finding is not None:
        return None, [replace(finding, task_id=task_id)]
    return _validated(TaskResult, value, path, task_id)


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
    size = plan_size(head) if stages > 1 else 0
    if stages > limits.max_attempts or (stages - 1) * size > limits.max_bytes:
        detail = f"{stages} stages over a plan of {size} bytes are too many"
        findings.append(Finding(3, "stages", detail, path="session.stages"))
    return findings


def too_many_tasks(limits: Limits) -> Finding:
    """Step 3: the refusal of one task too many."""
    return Finding(3, "tasks", f"more than {limits.max_tasks} task results", path="task_results")


def _oversized_head(value: dict[str, Any]) -> Iterator[Finding]:
    """What would make a fault of every item or member, each costing far more memory than it has bytes."""
    yield from _crowded(value, "", _MOST_MEMBERS)
    for name in _OBJECTS:
        yield from _crowded(value.get(name), name, _MOST_MEMBERS)
    for owner, member, code in _LISTS:
        holder = value.get(owner) if owner else value
        items = holder.get(member) if isinstance(holder, dict) else None
        path = f"{owner}.{member}" if owner else member
        yield from _long(items, path, code)
        for position, item in enumerate(items if isinstance(items, list) else ()):
            yield from _crowded(item, f"{path}[{position}]", _MOST_MEMBERS)


def _oversized_task(value: Any, path: str) -> Iterator[Finding]:
    yield from _crowded(value, path, _MOST_MEMBERS)
    attempts = value.get("attempts") if isinstance(value, dict) else None
    yield from _long(attempts, f"{path}.attempts", "attempts")
    for position, attempt in enumerate(attempts if isinstance(attempts, list) else ()):
        place = f"{path}.attempts[{position}]"
        yield from _crowded(attempt, place, _MOST_MEMBERS)
        inner = attempt if isinstance(attempt, dict) else {}
        yield from _crowded(inner.get("error"), f"{place}.error", _MOST_MEMBERS)
        yield from _crowded(inner.get("receipt"), f"{place}.receipt", _RUN_RECEIPT + _MOST_MEMBERS)


def _crowded(value: Any, path: str, most: int) -> Iterator[Finding]:
    if isinstance(value, dict) and len(value) > most:
        yield Finding(2, "type", f"{len(value)} members, at most {most} are read", path=path)


def _long(items: Any, path: str, code: str) -> Iterator[Finding]:
    if isinstance(items, list) and len(items) > _MOST_LISTED:
        yield Finding(3, code, f"{len(items)} items, the limit is {_MOST_LISTED}", path=path)


def _validated(
    model: type[Model], value: Any, path: str, task_id: str | None
) -> tuple[Model | None, list[Finding]]:
    try:
        return model.model_validate(value), []
    except ValidationError as error:
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
