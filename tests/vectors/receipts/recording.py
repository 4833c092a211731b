"""Recorded model calls for the receipts made here, and the rule ``causal`` a second time, pair by pair."""

import hashlib
import json
from collections import Counter

from passfloor.canonical import canonical

TIMING = ("ts", "elapsed_s", "started_at", "finished_at")
CHAT = "/openai/v1/chat/completions"


def digest(value):
    return hashlib.sha256(canonical(value)).hexdigest()


def asked(call, messages, lane="", **more):
    body = {"model": "m", "messages": messages}
    frame = {"lane": lane, "dialect": "openai_chat", "method": "POST", "path": CHAT}
    return {"kind": "model.request", "call": call, **frame, "request": body, **more}


def answered(call, text, said, **more):
    sample = {"status": 200, "said": said, "text": text, "complete": True, **more}
    return {"kind": "model.output", "call": call, "sample": sample}


def says(message, ids, model="m-1", fingerprint="fp-1"):
    """(text, said) of a chat completion: ``ids`` are its own and those of its tool calls, in order."""
    own, *tools = ids
    calls = [{"id": name, "type": "function", "function": message["call"]} for name in tools]
    told = {"role": "assistant", "content": message.get("content"), "tool_calls": calls}
    told = {name: value for name, value in told.items() if value}
    reply = {
        "id": own,
        "object": "chat.completion",
        "created": 1769851801,
        "model": model,
        "system_fingerprint": fingerprint,
        "choices": [{"index": 0, "message": told, "finish_reason": "stop"}],
    }
    numbered = [{**call, "id": f"@{number}"} for number, call in enumerate(calls)]
    message = {**told, **({"tool_calls": numbered} if numbered else {})}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return json.dumps(reply), {"object": "chat.completion", "model": model, "choices": choices}


def request_digest(event):
    counted = projected(event, "seq", "call", "lane")
    return digest(["model.request", event["lane"], counted])


def answer_form(request, event, times=0):
    """What is hashed of an answer to a recorded request, before anything is made the attempt's own."""
    sample, name = event["sample"], request_digest(request)
    reference = name if request["lane"] == "" else [name, times]
    form = ["answer", reference, sample["status"], sample["said"]]
    return form if sample["complete"] else [*form, "incomplete"]


def symbol(request, event, number, times=0):
    return f"@{digest(answer_form(request, event, times))[:16]}/{number}"


def projected(event, *dropped):
    sample = ("sample",) if event["kind"] in ("model.output", "model.artifact") else ()
    return {name: value for name, value in event.items() if name not in (*TIMING, *dropped, *sample)}


def history(receipt):
    """[(heard, digest)] of a run receipt's events, in order."""
    events = list(receipt["events"])
    while receipt["events"][-1]["kind"] == "attempt.errored" and events[-1]["kind"] in (
        "attempt.errored",
        "agent.output",
        "agent.artifact",
    ):
        events.pop()
    acts, places, samples, times, tools, requests = [], Counter(), Counter(), Counter(), {}, {}
    for event in events:
        kind, lane = event["kind"], event.get("lane", "")
        if kind == "model.request":
            name = request_digest(event)
            requests[event["call"]] = (event, times[name])
            times[name] += 1
            acts.append((False, name, None))
        elif kind == "model.output" and event.get("call") in requests:
            request, tries = requests[event["call"]]
            acts.append((True, answer_form(request, event, tries), request))
        elif kind == "model.output":
            acts.append((True, ["answer", [lane, samples[lane]], None, event["sample"]], None))
            samples[lane] += 1
        else:
            place = tools.get((lane, event.get("id"))) if kind == "tool.result" else None
            dropped = ("id",) if place is not None or (kind == "tool.call" and "id" in event) else ()
            if place is None:
                place = places[lane]
                places[lane] += 1
            if kind == "tool.call":
                tools[lane, event.get("id")] = place
            acts.append((False, digest([kind, lane, place, projected(event, "seq", "lane", *dropped)]), None))
    return _private(acts, receipt["attempt_id"])


def _private(acts, attempt):
    answers = {}
    for heard, form, request in acts:
        if heard and request is not None and request["lane"] == "":
            answers.setdefault(request_digest(request), set()).add(digest(form))
    found = []
    for heard, form, request in acts:
        if not heard:
            found.append((False, form))
            continue
        common = request is not None and request["lane"] == ""
        own = common and len(answers[request_digest(request)]) > 1
        found.append((True, digest([*form, attempt] if own else form)))
    return found


def coordination(attempts):
    """(hash or None, identical) of one task's attempts under the rule ``causal``."""
    histories = [history(attempt["receipt"]) for attempt in attempts]
    errored = [attempt["receipt"]["events"][-1]["kind"] == "attempt.errored" for attempt in attempts]
    for a, first in enumerate(histories):
        for b, second in enumerate(histories):
            if a != b and not errored[b] and _parts(first, second):
                return None, False
    digests = []
    for acts in histories:
        did = Counter(name for heard, name in acts if not heard)
        digests.append(digest([[name, times] for name, times in sorted(did.items())]))
    return digest({"rule": "causal", "attempts": digests}), True


def _parts(first, second):
    pools = {heard: Counter(name for h, name in second if h is heard) for heard in (True, False)}
    for heard, name in first:
        if not pools[heard][name]:
            return not heard
        pools[heard][name] -= 1
    return False
