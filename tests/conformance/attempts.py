"""Steps 9 to 11 for one attempt: its ids, its run receipt, the blobs it refers to."""

import base64
import hashlib
import re

from framed import event_faults, frame_faults
from planned import starting
from sealed import redacted
from strict import digest, form


def identity(attempt, run_id, attempt_id):
    """Step 9: an attempt's ids are the only ones possible."""
    inner = attempt["receipt"]
    if not re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{6}/(0|[1-9]\d*)/(0|[1-9]\d*)", inner["run_id"], re.ASCII):
        yield "type", ".receipt.run_id"
    elif inner["run_id"] != run_id:
        yield "attempt_identity", ".receipt.run_id"
    if {attempt["attempt_id"], inner["attempt_id"]} != {attempt_id}:
        yield "attempt_identity", ".attempt_id"


def run_receipt(receipt, attempt, task, hashed, used):
    """Steps 10 and 11 for one attempt; ``used`` gathers the blobs that are referred to."""
    run, blobs = attempt["receipt"], receipt["blobs"]
    if attempt["receipt_hash"] != digest(run):
        yield "attempt_hash", ""
    if len(run) > 5 + 64 + ("adapter_run_id" in run):
        yield "type", ""
    if not run["events"]:
        yield "empty_events", ".events"
        return
    odd = [("type", path) for path in event_faults(run["events"])]
    odd = odd or [("type", path) for path in frame_faults(receipt, run, blobs)]
    yield from odd
    if odd:
        return
    if run["journal_head"] != chain("passfloor/journal/v1", run["attempt_id"], map(form, run["events"])):
        yield "chain", ".journal_head"
    files = next(filter(None, map(captured, reversed(run["events"]))), {})
    out = {path: file["sha256"] for path, file in files.items() if hashes(file)}
    if run["spine_head"] != chain("passfloor/spine/v1", hashed, (form(starting(task)), form(out))):
        yield "chain", ".spine_head"
    first = run["events"][0]
    if first["kind"] == "task.started" and first.get("task_hash", hashed) != hashed:
        yield "task", ".events[0].task_hash"
    gone = set(redacted(receipt)["blobs"]) if redacted(receipt) else set()
    yield from contents(run["events"], blobs, gone, used)


def contents(events, blobs, gone, used):
    """Step 10: every reference has its blob, every kept file its digest and size."""
    for event in events:
        for slot in slots(event):
            if isinstance(slot, dict) and len(slot) == 1 and isinstance(slot.get("blob"), str):
                used.add(slot["blob"])
                if slot["blob"] not in blobs and slot["blob"] not in gone:
                    yield "blob", f".events[{event['seq']}]"
        for file in filter(hashes, (captured(event) or {}).values()):
            kept = held_bytes(file, blobs)
            if kept is not None and (digest(kept), len(kept)) != (file["sha256"], file.get("size")):
                yield "chain", f".events[{event['seq']}]"


def captured(event):
    """The files an event holds by path, None where it is not of that kind."""
    files = event.get({"model.artifact": "sample", "agent.artifact": "value"}.get(event["kind"]))
    return files if isinstance(files, dict) else None


def hashes(file):
    """Whether an entry names its content."""
    return isinstance(file, dict) and isinstance(file.get("sha256"), str)


def held_bytes(file, blobs):
    """The content an entry keeps, None where it keeps none."""
    text = file.get("text")
    if isinstance(text, dict) and set(text) == {"blob"}:
        text = blobs.get(text["blob"]) if isinstance(text["blob"], str) else None
    if isinstance(text, str) or "base64" not in file:
        return text.encode() if isinstance(text, str) else None
    try:
        return base64.b64decode(file["base64"], validate=True)
    except (ValueError, TypeError):
        return b""


def slots(event):
    """The values that can stand as blobs."""
    yield from (
        file["text"] for file in (captured(event) or {}).values() if isinstance(file, dict) and "text" in file
    )
    request = event.get("request") if event["kind"] == "model.request" else None
    if isinstance(request, dict):
        yield from (request[name] for name in ("tools", "system") if name in request)
        for name in ("messages", "input"):
            yield from request[name] if isinstance(request.get(name), list) else ()


def chain(domain, start, items):
    """The head of a chain of hashes."""
    head = hashlib.sha256(f"{domain}\0{start}".encode()).digest()
    for item in items:
        head = hashlib.sha256(head + hashlib.sha256(item).digest()).digest()
    return head.hex()
