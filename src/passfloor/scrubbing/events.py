"""A finished attempt's events without secrets. What the harness itself decides is left as it is."""

import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from passfloor.canonical import sha256_hex
from passfloor.projection.vocabulary import TIMING
from passfloor.scrubbing.scrubber import Scrubber

FULL_TAIL = 4 * 1024 - 3
"""A standard error of so many bytes may have lost its start (a character cut in two is left out whole)."""

_KINDS = frozenset(
    {
        "agent.artifact",
        "agent.output",
        "attempt.errored",
        "model.artifact",
        "model.output",
        "model.request",
        "task.completed",
        "task.started",
        "tool.call",
        "tool.result",
    }
)
# Members of those kinds keep their names, whatever a pattern finds in them.
_MEMBERS = frozenset(
    {
        "call",
        "dialect",
        "error",
        "exit_code",
        "kind",
        "lane",
        "method",
        "path",
        "request",
        "request_base64",
        "request_text",
        "sample",
        "seq",
        "tool",
        "value",
    }
)
_FIXED: Mapping[str, frozenset[str]] = {
    "task.started": frozenset({"task_hash", "seed"}),
    "attempt.errored": frozenset({"exit_code"}),
}
_DIGEST = re.compile(r"[0-9a-f]{64}")
_STREAMS = {"stdout": "stdout", "stderr_tail": "stderr"}


def scrub_events(events: Sequence[Mapping[str, Any]], scrubber: Scrubber) -> list[dict[str, Any]]:
    """Well-formed events without secrets, to be called before anything of them is hashed, written or judged.

    Strings, numbers and names everywhere are scrubbed. A stream or a file that was says ``scrubbed: n``, and
    its digest and size are those of what is kept; the digest of the raw bytes of a scrubbed stream goes.
    ``seq``, kinds of the vocabulary, the task's hash, exit status and error type never change; a kind that an
    agent made up does where it holds a secret. A time that would change is dropped, since it would be none.
    """
    return [_event(event, scrubber) for event in events]


def scrub_run_receipt(receipt: Mapping[str, Any], scrubber: Scrubber) -> dict[str, Any]:
    """The run receipt an adapter gave, its events well-formed, without secrets in any member."""
    rest = {name: value for name, value in receipt.items() if name != "events"}
    scrubbed, _ = scrubber.scrub_json(rest)
    return {**scrubbed, "events": scrub_events(receipt["events"], scrubber)}


def _event(event: Mapping[str, Any], scrubber: Scrubber) -> dict[str, Any]:
    kind = event["kind"]
    fixed = _FIXED.get(kind, frozenset()) | {"seq"}
    names = scrubber.scrub_names(event.keys() - fixed - _MEMBERS - TIMING)
    new: dict[str, Any] = {}
    for name, value in event.items():
        if name in fixed or (name == "kind" and value in _KINDS):
            new[name] = value
        elif name in TIMING:
            if not scrubber.scrub_json(value)[1]:
                new[name] = value
        else:
            special = _SPECIAL.get((kind, name), Scrubber.scrub_json)
            new[names.get(name, (name, 0))[0]] = special(scrubber, value)[0]
    return new


def _output(scrubber: Scrubber, sample: Any) -> tuple[Any, int]:
    """What a process said: each stream by itself."""
    if not isinstance(sample, dict) or not any(isinstance(sample.get(name), str) for name in _STREAMS):
        return scrubber.scrub_json(sample)
    own = {name: sample[name] for name in ("cut", "scrubbed") if _is_count(sample.get(name))}
    if "exit_code" in sample and (sample["exit_code"] is None or _is_count(sample["exit_code"])):
        own["exit_code"] = sample["exit_code"]
    rest = {name: value for name, value in sample.items() if name not in {*own, *_STREAMS, "replaced"}}
    scrubbed, count = scrubber.scrub_json(rest)
    streams: dict[str, str] = {}
    changed: set[str] = set()
    for name, stream in _STREAMS.items():
        text = sample.get(name)
        if isinstance(text, str):
            cut = name == "stdout" and _is_count(sample.get("cut"))
            tail = name == "stderr_tail" and len(text.encode(errors="surrogatepass")) >= FULL_TAIL
            streams[name], n = scrubber.scrub_text(text, cut=cut, cut_start=tail)
            count += n
            changed |= {stream} if n else set()
        elif name in sample:
            streams[name], n = scrubber.scrub_json(text)
            count += n
    new = {**own, **streams, **scrubbed}
    if "replaced" in sample:
        replaced, n = _replaced(scrubber, sample["replaced"], changed)
        count += n
        new |= {"replaced": replaced} if replaced else {}
    return (_noted(new, count) if count else sample), count


def _replaced(scrubber: Scrubber, replaced: Any, changed: set[str]) -> tuple[Any, int]:
    """Digests of raw streams, but for those that were scrubbed: they would let a guess be confirmed."""
    if isinstance(replaced, dict) and all(
        isinstance(digest, str) and _DIGEST.fullmatch(digest) for digest in replaced.values()
    ):
        return {stream: digest for stream, digest in replaced.items() if stream not in changed}, 0
    return scrubber.scrub_json(replaced)


def _files(scrubber: Scrubber, sample: Any) -> tuple[Any, int]:
    """The files an attempt left, by path."""
    if not isinstance(sample, dict):
        return scrubber.scrub_json(sample)
    paths = scrubber.scrub_names(path for path in sample if isinstance(path, str))
    count, new = 0, {}
    for path, entry in sample.items():
        kept, in_path = paths.get(path, (path, 0))
        new[kept], n = _file(scrubber, entry, in_path)
        count += n
    return (new if count else sample), count


def _file(scrubber: Scrubber, entry: Any, in_path: int) -> tuple[Any, int]:
    content = _content(entry)
    if content is None:
        scrubbed, count = scrubber.scrub_json(entry)
        return scrubbed, count + in_path
    member, data = content
    rest = {name: value for name, value in entry.items() if name not in {member, "sha256", "size", "cut"}}
    own = {"scrubbed": rest.pop("scrubbed")} if _is_count(rest.get("scrubbed")) else {}
    scrubbed, count = scrubber.scrub_json(rest)
    cut = _is_count(entry.get("cut"))
    if member == "text":
        kept, n = scrubber.scrub_text(entry["text"], cut=cut)
        data = kept.encode()
    else:
        data, n = scrubber.scrub_bytes(data, cut=cut)
        kept = base64.b64encode(data).decode()
    count += n + in_path
    if not count:
        return entry, 0
    own |= {name: entry[name] for name in ("sha256", "size", "cut") if name in entry}
    if n:
        own |= {"sha256": sha256_hex(data), "size": len(data)}
    return _noted({**own, **scrubbed, member: kept}, count), count


def _content(entry: Any) -> tuple[str, bytes] | None:
    """Where a captured file keeps its content, and the content; None where the entry is no such file."""
    if not isinstance(entry, dict) or not isinstance(entry.get("sha256"), str):
        return None
    if ("text" in entry) == ("base64" in entry):
        return None
    member = "text" if "text" in entry else "base64"
    if not isinstance(entry[member], str):
        return None
    try:
        data = entry["text"].encode() if member == "text" else _decoded(entry["base64"])
    except UnicodeEncodeError:
        return None
    return None if data is None else (member, data)


def _encoded(scrubber: Scrubber, value: Any) -> tuple[Any, int]:
    """The base64 text of bytes that are no text."""
    data = _decoded(value) if isinstance(value, str) else None
    if data is None:
        return scrubber.scrub_json(value)
    kept, count = scrubber.scrub_bytes(data)
    return (base64.b64encode(kept).decode() if count else value), count


def _error(scrubber: Scrubber, error: Any) -> tuple[Any, int]:
    """Why an attempt errored; what an agent chose stands in it cut after some characters, with dots."""
    if not isinstance(error, dict) or not isinstance(error.get("type"), str):
        return scrubber.scrub_json(error)
    rest = {name: value for name, value in error.items() if name not in {"type", "detail"}}
    scrubbed, count = scrubber.scrub_json(rest)
    new = {"type": error["type"], **scrubbed}
    if "detail" in error:
        new["detail"], n = scrubber.scrub_json(error["detail"])
        count += n
        if isinstance(new["detail"], str):
            head, dots, tail = new["detail"].rpartition("...")
            kept, n = scrubber.scrub_text(head, cut=True) if dots else (head, 0)
            new["detail"] = kept + dots + tail
            count += n
    return (new if count else error), count


def _call(scrubber: Scrubber, call: Any) -> tuple[Any, int]:
    """The number of a call, by which requests and outputs belong together."""
    return (call, 0) if type(call) is int else scrubber.scrub_json(call)


_SPECIAL: Mapping[tuple[str, str], Callable[[Scrubber, Any], tuple[Any, int]]] = {
    ("model.output", "sample"): _output,
    ("agent.output", "value"): _output,
    ("model.artifact", "sample"): _files,
    ("agent.artifact", "value"): _files,
    ("model.request", "request_base64"): _encoded,
    ("model.request", "call"): _call,
    ("model.output", "call"): _call,
    ("attempt.errored", "error"): _error,
}


def _noted(entry: dict[str, Any], count: int) -> dict[str, Any]:
    before = entry.get("scrubbed")
    return {**entry, "scrubbed": count + (before if type(before) is int else 0)}


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _is_count(value: Any) -> bool:
    return type(value) is int
