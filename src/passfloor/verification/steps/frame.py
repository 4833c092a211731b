"""Step 10 where the harness itself framed an attempt: what it always writes, each once and in its place.

Graders read the framed events and nothing else, so that a second output, or an entry that a grader would
overlook, could change a verdict behind the back of the digests.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from passfloor.verification.findings import MOST_ALIKE

_STREAM_NOTES = {"replaced", "cut", "scrubbed", "retries"}
_FILE_NOTES = {"cut", "scrubbed"}
# What graders read and what the projection drops from, each with one place. Any other kind is coordination,
# also one that merely looks like these.
_RESERVED = frozenset(
    {"task.started", "task.completed", "attempt.errored"}
    | {"model.output", "model.artifact", "agent.output", "agent.artifact"}
)


def problems(events: Sequence[Mapping[str, Any]], blobs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Where well-formed ``events`` are not framed: the place below ``events`` and the reason."""
    started, last = events[0], events[-1]
    end = len(events) - 1
    if started["kind"] != "task.started" or not _whole(started.get("seed")) or "task_hash" not in started:
        yield "[0]", "expected task.started with task_hash and seed"
    if last["kind"] not in {"task.completed", "attempt.errored"}:
        yield f"[{end}].kind", "expected task.completed or attempt.errored"
    if last["kind"] == "attempt.errored" and not _is_error(last.get("error")):
        yield f"[{end}].error", "expected {type, detail}"
    kinds = [event["kind"] for event in events]
    if kinds[-3:-1] != ["model.output", "model.artifact"]:
        yield f"[{end}]", "expected model.output and model.artifact right before the last event"
        return
    reserved = [at for at, kind in enumerate(kinds[1:-3], 1) if kind in _RESERVED]
    for position in reserved[:MOST_ALIKE]:
        yield f"[{position}].kind", f"{kinds[position]} is the harness's to write, in the frame alone"
    if not _is_output(events[-3]["sample"]):
        yield f"[{end - 2}].sample", "expected {stdout, exit_code, stderr_tail}"
    if not _is_artifact(events[-2]["sample"], blobs):
        yield f"[{end - 1}].sample", "expected {path: {sha256, size, text or base64}}"


def _is_error(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"type", "detail"}
        and all(isinstance(text, str) for text in value.values())
    )


def _is_output(sample: Any) -> bool:
    if not isinstance(sample, dict):
        return False
    exit_code = sample.get("exit_code", "")
    return (
        isinstance(sample.get("stdout"), str)
        and isinstance(sample.get("stderr_tail"), str)
        and (exit_code is None or _whole(exit_code))
        and set(sample) <= {"stdout", "exit_code", "stderr_tail"} | _STREAM_NOTES
        and ("cut" not in sample or _positive(sample["cut"]))
        and isinstance(sample.get("retries", []), list)
    )


def _is_artifact(sample: Any, blobs: Mapping[str, Any]) -> bool:
    return isinstance(sample, dict) and all(_is_file(entry, blobs) for entry in sample.values())


def _is_file(entry: Any, blobs: Mapping[str, Any]) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("sha256"), str)
        and _whole(entry.get("size"))
        and ("text" in entry) != ("base64" in entry)
        and (_is_text(entry["text"], blobs) if "text" in entry else _is_base64(entry["base64"]))
        and set(entry) <= {"sha256", "size", "text", "base64"} | _FILE_NOTES
        and ("cut" not in entry or _positive(entry["cut"]))
    )


def _is_text(value: Any, blobs: Mapping[str, Any]) -> bool:
    """Text, or a reference to text; a blob that is absent is found elsewhere."""
    if isinstance(value, dict) and set(value) == {"blob"} and isinstance(value["blob"], str):
        value = blobs.get(value["blob"], "")
    return isinstance(value, str)


def _is_base64(value: Any) -> bool:
    """RFC 4648 section 4 in its one canonical spelling."""
    if not isinstance(value, str):
        return False
    try:
        return base64.b64encode(base64.b64decode(value, validate=True)).decode() == value
    except (binascii.Error, ValueError):
        return False


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _positive(value: Any) -> bool:
    return _whole(value) and value > 0
