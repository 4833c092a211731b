"""Steps 10 and 11: is each run receipt whole, chained, and the one its attempt was sealed with?"""

import hashlib
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from passfloor import blobs
from passfloor.canonical import digest
from passfloor.digests import files_out, journal_head, spine_end
from passfloor.models.plan import ADAPTER_OBJECTS, IMPORTED
from passfloor.models.receipt import Attempt, ReceiptHead
from passfloor.models.suite import Task
from passfloor.projection import ADAPTER_RUN_ID, ERRORED_KIND, event_problem
from passfloor.verification.findings import MOST_ALIKE, Finding
from passfloor.verification.steps import frame, imported, recorded

_LONGEST_RUN_ID = 200


class BlobShelf:
    """The receipt's blobs: every reference is honoured, every blob is referred to.

    Attributes:
        values: Digest -> value.
        removed: The digests of blobs that were taken out, as a redacted receipt declares.
    """

    def __init__(self, values: Mapping[str, Any], removed: Iterable[str] = ()) -> None:
        """Hash every blob once."""
        self.values = values
        self.removed = frozenset(removed)
        self._wrong = [name for name, value in values.items() if digest(value) != name]
        self._unused = {*values, *self.removed}

    def check_digests(self) -> Iterator[Finding]:
        """Each blob stands under the SHA-256 of its RFC 8785 form."""
        for name in self._wrong[:MOST_ALIKE]:
            yield Finding(10, "blob", "the value does not hash to its name", path=f"blobs.{name}")

    def check_event(self, event: Mapping[str, Any]) -> Iterator[str]:
        """The digests an event refers to and the receipt does not hold."""
        for _, name in blobs.references(event):
            self._unused.discard(name)
            if name not in self.values and name not in self.removed:
                yield name

    def check_unused(self) -> Iterator[Finding]:
        """What nothing referred to; call it after the last attempt."""
        for name in sorted(self._unused)[:MOST_ALIKE]:
            yield Finding(10, "blob_unused", "no event refers to this blob", path=f"blobs.{name}")


def check_schema(
    head: ReceiptHead, attempt: Attempt, task: Task, shelf: "BlobShelf", path: str
) -> list[Finding]:
    """Step 10, the events' schema. An attempt with such a finding is not judged any further."""
    where = f"{path}.receipt.events"
    events = attempt.receipt.events
    if not events:
        detail = "an attempt without events proves nothing"
        return [Finding(10, "empty_events", detail, task.id, attempt.index, where)]
    findings: list[Finding] = []
    for position, event in enumerate(events):
        problem = event_problem(event, position)
        if problem is not None and len(findings) < MOST_ALIKE:
            suffix, reason = problem
            findings.append(
                Finding(10, "type", reason, task.id, attempt.index, f"{where}[{position}]{suffix}")
            )
    if not findings:
        found: list[tuple[str, str]] = []
        if head.subject.adapter in ADAPTER_OBJECTS:
            found += _made_by_an_object(attempt)
        elif head.subject.adapter.startswith(IMPORTED):
            found += _imported(attempt)
        else:
            found += _made_by_the_harness(attempt, shelf, recorded=is_recorded(head, attempt))
        if is_recorded(head, attempt):
            found += [(f"events{suffix}", reason) for suffix, reason in recorded.problems(events)]
        findings = [
            Finding(10, "type", reason, task.id, attempt.index, f"{path}.receipt.{suffix}")
            for suffix, reason in found
        ]
    return findings


def is_recorded(head: ReceiptHead, attempt: Attempt) -> bool:
    """Whether the attempt's model calls are recorded: as the rule asks, or by how the harness framed it."""
    framed = head.subject.adapter not in ADAPTER_OBJECTS and not head.subject.adapter.startswith(IMPORTED)
    return head.coordination_rule == "causal" or (framed and frame.is_recorded(attempt.receipt.events))


def _made_by_the_harness(
    attempt: Attempt, shelf: "BlobShelf", *, recorded: bool
) -> Iterator[tuple[str, str]]:
    for suffix, reason in frame.problems(attempt.receipt.events, shelf.values, recorded=recorded):
        yield f"events{suffix}", reason
    if ADAPTER_RUN_ID in (attempt.receipt.model_extra or {}):
        yield (
            ADAPTER_RUN_ID,
            "only a run receipt made by an adapter object can carry the adapter's own run id",
        )


def _imported(attempt: Attempt) -> Iterator[tuple[str, str]]:
    for suffix, reason in imported.problems(attempt.receipt.events):
        yield f"events{suffix}", reason
    for name in sorted(attempt.receipt.model_extra or {})[:MOST_ALIKE]:
        yield name, "the run receipt of an imported attempt has no further members"


def _made_by_an_object(attempt: Attempt) -> Iterator[tuple[str, str]]:
    own = (attempt.receipt.model_extra or {}).get(ADAPTER_RUN_ID, "")
    if not isinstance(own, str) or len(own) > _LONGEST_RUN_ID:
        yield ADAPTER_RUN_ID, f"expected text of at most {_LONGEST_RUN_ID} characters"
    early = [
        position
        for position, event in enumerate(attempt.receipt.events[:-1])
        if event["kind"] == ERRORED_KIND
    ]
    for position in early[:MOST_ALIKE]:
        yield f"events[{position}].kind", f"{ERRORED_KIND} can only be the last event"


def check_chain(
    attempt: Attempt, task: Task, spine: bytes, encoded: Sequence[bytes], shelf: BlobShelf, path: str
) -> Iterator[Finding]:
    """Step 10, heads, starting hash, captured digests and blobs.

    ``spine`` is the task's ``spine_start``, ``encoded`` the events' canonical bytes.
    """

    def finding(code: str, detail: str, suffix: str) -> Finding:
        return Finding(10, code, detail, task.id, attempt.index, f"{path}.receipt.{suffix}")

    receipt = attempt.receipt
    if journal_head(receipt.attempt_id, encoded) != receipt.journal_head:
        yield finding("chain", "the events do not chain to this head", "journal_head")
    if spine_end(spine, files_out(receipt.events)) != receipt.spine_head:
        yield finding("chain", "task, files before and files after do not chain to this head", "spine_head")
    started = receipt.events[0]
    if started["kind"] == "task.started" and started.get("task_hash", task.task_hash) != task.task_hash:
        yield finding("task", "the attempt was started on another task", "events[0].task_hash")
    for position, event in enumerate(receipt.events):
        if blobs.may_hold(event):
            for name in shelf.check_event(event):
                yield finding("blob", f"refers to blob {name}, which is absent", f"events[{position}]")
            for suffix in _untrue_files(event, shelf.values):
                yield finding(
                    "chain", "the kept content has another size or SHA-256", f"events[{position}].{suffix}"
                )


def check_hash(attempt: Attempt, run_receipt: bytes, task: Task, path: str) -> Iterator[Finding]:
    """Step 11: the attempt was sealed with exactly this run receipt (given in canonical form)."""
    recomputed = hashlib.sha256(run_receipt).hexdigest()
    if attempt.receipt_hash != recomputed:
        detail = f"claims {attempt.receipt_hash}, the run receipt gives {recomputed}"
        yield Finding(11, "attempt_hash", detail, task.id, attempt.index, f"{path}.receipt_hash")


def check_task(attempt: Attempt, task: Task, path: str) -> Iterator[Finding]:
    """The attempt belongs to the task it stands under."""
    if attempt.task_id != task.id:
        detail = f"stands under task '{task.id}' and names '{attempt.task_id}'"
        yield Finding(10, "task", detail, task.id, attempt.index, f"{path}.task_id")
    if attempt.task_hash != task.task_hash:
        detail = f"claims task_hash {attempt.task_hash}, the suite's task hashes to {task.task_hash}"
        yield Finding(10, "task", detail, task.id, attempt.index, f"{path}.task_hash")


def _untrue_files(event: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[str]:
    """Captured files whose kept content is not the content their digest and size name."""
    member = "sample" if event["kind"] == "model.artifact" else "value"
    captured = event.get(member)
    if not isinstance(captured, dict) or event["kind"] == "model.request":
        return
    for path, entry in captured.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("sha256"), str):
            continue
        content = _content(entry, values)
        if content is not None and (
            hashlib.sha256(content).hexdigest() != entry["sha256"] or len(content) != entry.get("size")
        ):
            yield f"{member}.{path}"


def _content(entry: Mapping[str, Any], values: Mapping[str, Any]) -> bytes | None:
    """The bytes an entry keeps; None where a blob is missing, or where the entry keeps nothing readable."""
    text = entry.get("text")
    if blobs.is_reference(text):
        text = values.get(text["blob"])
    if isinstance(text, str):
        return text.encode()
    if "base64" not in entry:
        return None
    try:
        return b64decode(entry["base64"], validate=True)
    except (Base64Error, ValueError, TypeError):
        return b""
