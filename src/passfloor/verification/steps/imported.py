"""What is asked of a receipt that was made of another tool's log: nothing was witnessed, and it says so.

Its attempts hold the source's raw record in place of an output, or its digest; a missing one holds nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from passfloor.grading.imported import READERS
from passfloor.models.plan import IMPORTED
from passfloor.models.receipt import ReceiptHead
from passfloor.models.suite import Task
from passfloor.verification.findings import Finding

_HASH = re.compile(r"[0-9a-f]{64}")
_STARTED = {"seq", "kind", "task_hash", "seed"}
_SAID = frozenset({"source", "cancelled"})


def check(head: ReceiptHead, tasks: Sequence[Task]) -> Iterator[Finding]:
    """Step 7: an import claims no coordination, and every task is judged by its record and nothing else.

    One rule holds for all tasks. No other receipt has such a task: under another adapter it would pass for
    witnessed.
    """
    if not head.subject.adapter.startswith(IMPORTED):
        yield from _posing(head, tasks)
        return
    name = head.subject.adapter.removeprefix(IMPORTED)
    if name not in READERS:
        detail = f"imported by '{name[:80]}', which is unknown to this version"
        yield Finding(7, "grader", detail, path="subject.adapter")
    if head.coordination_rule != "unrecorded" or head.completion_only:
        detail = "what was imported has the coordination rule 'unrecorded', and its records are consulted"
        yield Finding(7, "type", detail, path="coordination_rule")
    for task in tasks:
        if [(each.kind, getattr(each, "importer", None)) for each in task.assertions] != [("imported", name)]:
            detail = f"a task imported by '{name[:80]}' has that one assertion alone"
            yield Finding(7, "type", detail, task_id=task.id, path="subject.adapter")
            return
    for task in tasks:
        if task.assertions != tasks[0].assertions:
            detail = "all records of an import are read by one rule, and this task has another"
            yield Finding(7, "type", detail, task_id=task.id, path="subject.adapter")
            return


def _posing(head: ReceiptHead, tasks: Sequence[Task]) -> Iterator[Finding]:
    for task in tasks:
        if any(each.kind == "imported" for each in task.assertions):
            detail = f"judged by an imported record, and adapter '{head.subject.adapter[:80]}' imports none"
            yield Finding(7, "type", detail, task_id=task.id, path="subject.adapter")
            return


def readable(head: ReceiptHead) -> bool:
    """Whether the records can be read here, where there are any."""
    adapter = head.subject.adapter
    return not adapter.startswith(IMPORTED) or adapter.removeprefix(IMPORTED) in READERS


def problems(events: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Step 10: where well-formed ``events`` are not an imported attempt's; the place below ``events``, why.

    They are ``task.started``, one ``model.output`` and ``task.completed``; where the record is a digest and
    says that the attempt did not finish, ``attempt.errored`` is last; a missing attempt has no output.
    """
    started, last = events[0], events[-1]
    if started["kind"] != "task.started" or set(started) != _STARTED or not _is_whole(started["seed"]):
        yield "[0]", "expected task.started with task_hash and seed"
    if len(events) == 2:
        if not _is_end(last, {"missing"}):
            yield "[1]", "expected attempt.errored of type missing: the attempt has no record"
        return
    if len(events) != 3:
        yield "", f"{len(events)} events, expected task.started, one model.output and the end"
        return
    output = events[1]
    slim = _is_digest(output.get("sample"))
    if set(output) != {"seq", "kind", "sample"} or output["kind"] != "model.output":
        yield "[1]", "expected model.output with its sample alone"
    elif not slim and not (isinstance(output["sample"], str) and output["sample"]):
        yield "[1].sample", "expected the raw record as text, or {sha256, size}"
    completed = last["kind"] == "task.completed" and set(last) == {"seq", "kind"}
    if not completed and not (slim and _is_end(last, _SAID)):
        yield "[2]", "expected a bare task.completed, or attempt.errored where the record is kept as a digest"


def _is_end(event: Mapping[str, Any], types: frozenset[str] | set[str]) -> bool:
    error = event.get("error")
    return (
        event["kind"] == "attempt.errored"
        and set(event) == {"seq", "kind", "error"}
        and isinstance(error, dict)
        and set(error) == {"type", "detail"}
        and isinstance(error["type"], str)
        and error["type"] in types
        and isinstance(error["detail"], str)
    )


def _is_digest(sample: Any) -> bool:
    return (
        isinstance(sample, dict)
        and set(sample) == {"sha256", "size"}
        and isinstance(sample["sha256"], str)
        and _HASH.fullmatch(sample["sha256"]) is not None
        and _is_whole(sample["size"])
        and sample["size"] > 0
    )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
