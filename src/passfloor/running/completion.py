"""From what an adapter gave back to a run receipt: checked, without secrets, completed by the harness."""

import copy
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from passfloor import blobs
from passfloor.adapters.interface import AttemptSpec
from passfloor.canonical import MAX_DEPTH, canonical, depth, splice
from passfloor.digests import files_out, journal_head, spine_head
from passfloor.errors import JsonError, MalformedRunReceiptError, PassfloorError
from passfloor.models.suite import Task
from passfloor.projection import ERRORED_KIND, event_problem
from passfloor.scrubbing import Scrubber, scrub_run_receipt

_OWN = ("run_id", "attempt_id", "journal_head", "spine_head")
_LONGEST_DETAIL = 300
_LONGEST_RUN_ID = 200
# A run receipt stands five containers deep in a reliability receipt, which may be 64 deep in all.
_MOST_DEPTH = MAX_DEPTH - 5


def scrubbed(given: Any, task: Task, index: int, scrubber: Scrubber) -> dict[str, Any]:
    """The run receipt an adapter gave, as JSON data without secrets; doing it twice changes nothing.

    Raises:
        MalformedRunReceiptError: its events break the schema; names task, attempt and field.
    """
    where = _where(task, index)
    members = _members(given, where)
    return scrub_run_receipt({**members, "events": _checked_events(members, where)}, scrubber)


def _where(task: Task, index: int) -> str:
    return f"task {task.id!a}, attempt {index}"


def complete(
    given: Any, task: Task, spec: AttemptSpec, scrubber: Scrubber
) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """Fill in what is the harness's to say: run_id, attempt_id and heads, over events moved to sealed form.

    A ``run_id`` of the adapter's own is kept as ``adapter_run_id``; its own heads are replaced. Secrets are
    taken out first, so that nothing is hashed, judged or written with one in it.

    Returns:
        The run receipt; the large values that were moved out of it, sha256 -> value; and its RFC 8785 form.

    Raises:
        MalformedRunReceiptError: ``given`` breaks the schema; names task, attempt and field.
    """
    where = _where(task, spec.index)
    members = scrubbed(given, task, spec.index, scrubber)
    events, moved = blobs.externalise(members["events"])
    if "run_id" in members:
        members["adapter_run_id"] = members["run_id"]
    rest = {name: value for name, value in members.items() if name not in _OWN and name != "events"}
    forms = [canonical(event) for event in events]
    receipt: dict[str, Any] = {
        **rest,
        "run_id": spec.run_id,
        "attempt_id": spec.attempt_id,
        "journal_head": journal_head(spec.attempt_id, forms),
        "spine_head": spine_head(task.task_hash, task.file_hashes, files_out(events)),
        "events": events,
    }
    own = receipt.get("adapter_run_id", "")
    if not isinstance(own, str) or len(own) > _LONGEST_RUN_ID:
        raise MalformedRunReceiptError(
            f"{where}: run_id must be text of at most {_LONGEST_RUN_ID} characters"
        )
    try:
        encoded = splice(receipt, {"events": b"[" + b",".join(forms) + b"]"})
    except JsonError as error:
        raise MalformedRunReceiptError(f"{where}: the run receipt has no canonical form: {error}") from error
    if depth(receipt) > _MOST_DEPTH:
        raise MalformedRunReceiptError(f"{where}: the run receipt is nested deeper than {_MOST_DEPTH} levels")
    return receipt, moved, encoded


def _members(given: Any, where: str) -> dict[str, Any]:
    if not isinstance(given, BaseModel | Mapping):
        kind = type(given).__name__
        raise MalformedRunReceiptError(f"{where}: run_task returned {kind}, expected a mapping")
    try:
        members = dict(given)
        _check_list(members.get("events"), where)
        return given.model_dump() if isinstance(given, BaseModel) else copy.deepcopy(members)
    except PassfloorError:
        raise
    except Exception as error:
        raise MalformedRunReceiptError(
            f"{where}: the run receipt cannot be copied ({one_line(error)}); give plain JSON data"
        ) from error


def _check_list(events: object, where: str) -> None:
    if not isinstance(events, list):
        kind = type(events).__name__
        raise MalformedRunReceiptError(f"{where}: events is {kind}, expected a list of events")
    if not events:
        raise MalformedRunReceiptError(f"{where}: events is an empty list, expected at least one event")


def _checked_events(members: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = members["events"]
    for position, event in enumerate(events):
        problem = event_problem(event, position)
        if problem is not None:
            suffix, reason = problem
            raise MalformedRunReceiptError(f"{where}: events[{position}]{suffix}: {reason}")
        if event["kind"] == ERRORED_KIND and position != len(events) - 1:
            reason = f"{ERRORED_KIND} can only be the last event"
            raise MalformedRunReceiptError(f"{where}: events[{position}].kind: {reason}")
        try:
            canonical(event)
        except JsonError as error:
            raise MalformedRunReceiptError(f"{where}: events[{position}]: {error}") from error
    return events


def one_line(error: Exception) -> str:
    """``ValueError: message``: what is not printable ASCII is escaped, what is past 300 characters is cut."""
    try:
        message = str(error)
    except Exception:
        message = ""
    name = type(error).__name__
    whole = f"{name}: {message}"[:_LONGEST_DETAIL] if message else name
    shown = (c if " " <= c <= "~" else c.encode("unicode_escape").decode("ascii") for c in whole)
    return "".join(shown)[:_LONGEST_DETAIL]
