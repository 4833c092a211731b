"""Step 10 where the harness itself framed an attempt: what it always writes, each once and in its place.

Graders read the framed events and nothing else, so that a second output, or an entry that a grader would
overlook, could change a verdict behind the back of the digests.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from passfloor import blobs as shelf
from passfloor.models.receipt import ErrorType
from passfloor.projection import ANSWER, ARTIFACT, ERRORED_KIND, OUTPUT, SAMPLE, SAMPLED_KINDS, TIMING
from passfloor.verification.findings import MOST_ALIKE

FILE_CAP = 1024 * 1024
"""Bytes kept of one file."""

ATTEMPT_CAP = 8 * FILE_CAP
"""Bytes kept of all files of an attempt."""

MAX_FILES = 10_000
"""Files kept of an attempt."""

STDOUT_CAP = 1024 * 1024
"""Characters kept of standard output."""

STDERR_CAP = 4 * 1024
"""Characters kept of standard error."""

_STREAM_NOTES = {"replaced", "cut", "scrubbed", "retries", "cached"}
_FILE_NOTES = {"cut", "scrubbed"}
# What graders read and what the projection drops from, each with one place. Any other kind is coordination,
# also one that merely looks like these.
_OWN_PREFIXES = ("task.", "attempt.", "agent.")
_ERRORS = frozenset(get_args(ErrorType)) - {"grader", "source", "cancelled"}
_CLOSINGS = {
    False: (["model.output", "model.artifact"], SAMPLE),
    True: ([OUTPUT, ARTIFACT], "value"),
}
_HASH = re.compile(r"[0-9a-f]{64}")


def is_recorded(events: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an attempt ends as one does whose model calls were recorded."""
    return [event["kind"] for event in events[-3:-1]] == [OUTPUT, ARTIFACT]


def problems(
    events: Sequence[Mapping[str, Any]], blobs: Mapping[str, Any], *, recorded: bool = False
) -> Iterator[tuple[str, str]]:
    """Where well-formed ``events`` are not framed: the place below ``events`` and the reason.

    ``recorded``: model calls were, so that the agent's output and files are its own doing.
    """
    started, last = events[0], events[-1]
    end = len(events) - 1
    if started["kind"] != "task.started" or not _whole(started.get("seed")) or "task_hash" not in started:
        yield "[0]", "expected task.started with task_hash and seed"
    if last["kind"] not in {"task.completed", ERRORED_KIND}:
        yield f"[{end}].kind", "expected task.completed or attempt.errored"
    kinds = [event["kind"] for event in events]
    closing, member = _CLOSINGS[recorded]
    if kinds[-3:-1] != closing:
        yield f"[{end}]", f"expected {closing[0]} and {closing[1]} right before the last event"
        return
    reserved = [at for at, kind in enumerate(kinds[1:-3], 1) if _is_reserved(kind, recorded=recorded)]
    for position in reserved[:MOST_ALIKE]:
        yield f"[{position}].kind", f"{kinds[position]} is the harness's to write, in the frame alone"
    if not _is_output(events[-3].get(member), recorded=recorded):
        yield f"[{end - 2}].{member}", "expected {stdout, exit_code, stderr_tail} within their ranges"
    if not _is_artifact(events[-2].get(member), blobs, recorded=recorded):
        yield f"[{end - 1}].{member}", "expected {path: {sha256, size, text or base64}} within the caps"
    if last["kind"] == ERRORED_KIND:
        yield from _errored(events, end, member)
    elif recorded:
        yield from _bare(events, range(end - 2, end), {member})


def _errored(events: Sequence[Mapping[str, Any]], end: int, member: str) -> Iterator[tuple[str, str]]:
    """The closing events of an attempt that errored are not compared, and so may carry nothing else."""
    last, output = events[-1], events[-3].get(member)
    if not _is_error(last.get("error")):
        yield f"[{end}].error", "expected {type, detail} with the type of an attempt that did not finish"
    exit_code = last.get("exit_code", "")
    same = not isinstance(output, dict) or exit_code == output.get("exit_code", "")
    if not _is_exit_code(exit_code) or not same:
        yield f"[{end}].exit_code", "expected that of the output: null or 0 to 255"
    yield from _bare(events, range(end - 2, end), {member})
    yield from _bare(events, range(end, end + 1), {"error", "exit_code"})


def _bare(events: Sequence[Mapping[str, Any]], positions: range, own: set[str]) -> Iterator[tuple[str, str]]:
    for position in positions:
        if events[position].keys() - TIMING - own != {"seq", "kind"}:
            yield f"[{position}]", "an event that closes an attempt like this one has no further members"


def _is_reserved(kind: str, *, recorded: bool) -> bool:
    return (kind in SAMPLED_KINDS and not (recorded and kind == ANSWER)) or kind.startswith(_OWN_PREFIXES)


def _is_error(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"type", "detail"}
        and all(isinstance(text, str) for text in value.values())
        and value["type"] in _ERRORS
    )


def _is_output(sample: Any, *, recorded: bool) -> bool:
    return (
        isinstance(sample, dict)
        and _is_short(sample.get("stdout"), STDOUT_CAP * _growth(sample, recorded=recorded))
        and _is_short(sample.get("stderr_tail"), STDERR_CAP * _growth(sample, recorded=recorded))
        and _is_exit_code(sample.get("exit_code", ""))
        and set(sample) <= {"stdout", "exit_code", "stderr_tail"} | _STREAM_NOTES
        and ("replaced" not in sample or _is_replaced(sample["replaced"]))
        and isinstance(sample.get("retries", []), list)
        and ("cached" not in sample or _are_names(sample["cached"]))
        and _are_counts(sample)
    )


def _growth(entry: Mapping[str, Any], *, recorded: bool) -> int:
    """By how much marks, ten letters for four of a secret or a symbol for an id, lengthen what was kept."""
    return 3 if recorded or "scrubbed" in entry else 1


def _is_replaced(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) <= {"stdout", "stderr"}
        and all(isinstance(digest, str) and _HASH.fullmatch(digest) for digest in value.values())
    )


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)


def _is_artifact(sample: Any, blobs: Mapping[str, Any], *, recorded: bool) -> bool:
    return (
        isinstance(sample, dict)
        and len(sample) <= MAX_FILES
        and all(
            _is_path(path) and _is_file(entry, blobs, recorded=recorded) for path, entry in sample.items()
        )
        and sum(entry["size"] for entry in sample.values())
        <= ATTEMPT_CAP * max((_growth(entry, recorded=recorded) for entry in sample.values()), default=1)
    )


def _is_path(path: str) -> bool:
    """A name below a folder. Agents may choose odd ones, but no file has a name that leads elsewhere."""
    return "\0" not in path and not {"", ".", ".."} & set(path.split("/"))


def _is_file(entry: Any, blobs: Mapping[str, Any], *, recorded: bool) -> bool:
    """One kept file; that its size is the content's is found elsewhere."""
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("sha256"), str)
        and _whole(entry.get("size"))
        and 0 <= entry["size"] <= FILE_CAP * _growth(entry, recorded=recorded)
        and ("text" in entry) != ("base64" in entry)
        and (_is_text(entry["text"], blobs) if "text" in entry else _is_base64(entry["base64"]))
        and set(entry) <= {"sha256", "size", "text", "base64"} | _FILE_NOTES
        and _are_counts(entry)
    )


def _is_text(value: Any, blobs: Mapping[str, Any]) -> bool:
    """Text, or a reference to text; a blob that is absent is found elsewhere."""
    if shelf.is_reference(value):
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


def _is_short(value: Any, cap: int) -> bool:
    return isinstance(value, str) and len(value) <= cap


def _is_exit_code(value: Any) -> bool:
    return value is None or (_whole(value) and 0 <= value <= 255)


def _are_counts(entry: Mapping[str, Any]) -> bool:
    """``cut`` and ``scrubbed``, where they are there."""
    return all(_whole(entry[name]) and entry[name] > 0 for name in ("cut", "scrubbed") if name in entry)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
