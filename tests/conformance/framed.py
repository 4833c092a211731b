"""The schema of events, the frame that the harness makes, and recorded calls: docs/format.md, section 3."""

import base64
import calendar
import re

TIMING = {"ts", "elapsed_s", "started_at", "finished_at"}
FRAMED, RECORDED = ["model.output", "model.artifact"], ["agent.output", "agent.artifact"]
ERRORS = {
    "exit",
    "signal",
    "timeout",
    "spawn",
    "worker",
    "provider",
    "stream",
    "capture",
    "journal",
    "missing",
}
TIME = re.compile(
    r"(\d{4})-(0[1-9]|1[0-2])-(\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?"
    r"([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
ASKED = {"seq", "kind", "call", "lane", "dialect", "method", "path"}
DIALECTS = {"/chat/completions": "openai_chat", "/responses": "openai_responses", "/messages": "anthropic"}
MIB = 2**20


def event_faults(events):
    """Where an event breaks the schema that holds for every receipt."""
    for position, event in enumerate(events):
        whole = (
            is_int(event.get("seq"), position, position)
            and isinstance(event.get("kind"), str)
            and event["kind"]
        )
        numbers = all(is_number(event[name]) for name in ("ts", "elapsed_s") if name in event)
        times = all(is_time(event[name]) for name in ("started_at", "finished_at") if name in event)
        if not (whole and numbers and times) or (event["kind"] in FRAMED and "sample" not in event):
            yield f".events[{position}]"


def frame_faults(receipt, run, blobs):
    """Where a run receipt is not framed as one of its adapter is, or its calls are not whole."""
    events, own = run["events"], run.get("adapter_run_id", "")
    by_object = receipt["subject"]["adapter"] in {"mock", "stochastic-mock", "custom"}
    kinds = [event["kind"] for event in events]
    if receipt["subject"]["adapter"].startswith("import:"):
        yield from [] if _is_imported(events, kinds, run) else [".events"]
        return
    recorded = receipt["coordination_rule"] == "causal" or (not by_object and kinds[-3:-1] == RECORDED)
    if by_object:
        if not isinstance(own, str) or len(own) > 200:
            yield ".adapter_run_id"
        if "attempt.errored" in kinds[:-1]:
            yield ".events"
    else:
        if "adapter_run_id" in run:
            yield ".adapter_run_id"
        yield from (f".events {what}" for what in _frame(events, kinds, blobs, recorded))
    if recorded:
        yield from (f".events {what}" for what in _calls(events))


def _is_imported(events, kinds, run):
    """Whether these are the events of an attempt that another tool's log records, and no others."""
    sample = events[1].get("sample") if kinds[1:2] == ["model.output"] else None
    middle = kinds[1:-1] == (["model.output"] if sample is not None else [])
    whole = isinstance(sample, str) and sample != ""
    slim = isinstance(sample, dict) and set(sample) == {"sha256", "size"} and is_int(sample["size"], 0)
    slim = slim and isinstance(sample["sha256"], str) and bool(re.fullmatch("[0-9a-f]{64}", sample["sha256"]))
    names = [{"task_hash", "seed"}, *[{"sample"}] * len(events[1:-1])]
    error = events[-1].get("error")
    if kinds[-1] == "attempt.errored" and isinstance(error, dict) and set(error) == {"type", "detail"}:
        ends = error["type"] in ({"source", "cancelled"} if slim else {"missing"}) and not whole
        names.append({"error", "exit_code"} if "exit_code" in events[-1] else {"error"})
    else:
        ends = kinds[-1] == "task.completed" and (whole or slim)
        names.append(set())
    bare = len(run) == 5 and [set(event) - {"seq", "kind"} for event in events] == names
    return kinds[0] == "task.started" and is_int(events[0].get("seed"), 0, 0) and middle and ends and bare


def _frame(events, kinds, blobs, recorded):
    started, last, member = events[0], events[-1], "value" if recorded else "sample"
    if kinds[0] != "task.started" or not is_int(started.get("seed")) or "task_hash" not in started:
        yield "start"
    if kinds[-1] not in {"task.completed", "attempt.errored"} or kinds[-3:-1] != (
        RECORDED if recorded else FRAMED
    ):
        yield "end"
        return
    ours = {"model.artifact"} if recorded else set(FRAMED)
    if any(kind in ours or kind.startswith(("task.", "attempt.", "agent.")) for kind in kinds[1:-3]):
        yield "a kind of the frame inside it"
    output, files = events[-3].get(member), events[-2].get(member)
    if not _is_output(output, recorded):
        yield "output"
    if not _is_artifact(files, blobs, recorded):
        yield "artifact"
    bare = [set(event) - TIMING == {"seq", "kind", member} for event in events[-3:-1]]
    if kinds[-1] == "attempt.errored":
        error, code = last.get("error"), last.get("exit_code", "")
        fine = (
            isinstance(error, dict) and set(error) == {"type", "detail"} and isinstance(error["detail"], str)
        )
        if not fine or error["type"] not in ERRORS or not all(bare):
            yield "error"
        if not is_exit(code) or (isinstance(output, dict) and code != output.get("exit_code", "")):
            yield "exit_code"
        if set(last) - TIMING != {"seq", "kind", "error", "exit_code"}:
            yield "more members"
    elif recorded and not all(bare):
        yield "more members"


def _is_output(value, recorded):
    names = {"stdout", "stderr_tail", "exit_code"}
    notes = {"replaced", "cut", "scrubbed", "retries", "cached"}
    if not isinstance(value, dict) or not names <= set(value) <= names | notes:
        return False
    growth = 3 if recorded or "scrubbed" in value else 1
    texts = isinstance(value["stdout"], str) and isinstance(value["stderr_tail"], str)
    replaced, cached = value.get("replaced", {}), value.get("cached", [""])
    return (
        texts
        and len(value["stdout"]) <= MIB * growth
        and len(value["stderr_tail"]) <= 4096 * growth
        and is_exit(value["exit_code"])
        and isinstance(replaced, dict)
        and set(replaced) <= {"stdout", "stderr"}
        and all(isinstance(one, str) and re.fullmatch("[0-9a-f]{64}", one) for one in replaced.values())
        and isinstance(value.get("retries", []), list)
        and isinstance(cached, list)
        and bool(cached)
        and all(isinstance(one, str) for one in cached)
        and _counted(value)
    )


def _is_artifact(files, blobs, recorded):
    if not isinstance(files, dict) or len(files) > 10_000:
        return False
    if not all(_is_path(path) and _is_file(file, blobs, recorded) for path, file in files.items()):
        return False
    growth = 3 if any(recorded or "scrubbed" in file for file in files.values()) else 1
    return sum(file["size"] for file in files.values()) <= 8 * MIB * growth


def _is_path(path):
    return "\0" not in path and not {"", ".", ".."} & set(path.split("/"))


def _is_file(file, blobs, recorded):
    if not isinstance(file, dict) or not set(file) <= {"sha256", "size", "text", "base64", "cut", "scrubbed"}:
        return False
    growth = 3 if recorded or "scrubbed" in file else 1
    text = file.get("text")
    if isinstance(text, dict) and set(text) == {"blob"} and isinstance(text["blob"], str):
        text = blobs.get(text["blob"], "")
    kept = isinstance(text, str) if "text" in file else is_base64(file.get("base64"))
    sized = is_int(file.get("size"), 0, MIB * growth) and isinstance(file.get("sha256"), str)
    return sized and kept and not {"text", "base64"} <= set(file) and _counted(file)


def _calls(events):
    asked, answered, broke = [], set(), False
    for event in events:
        lane, named = event.get("lane", ""), set(event) - TIMING
        if not isinstance(lane, str) or len(lane) > 100 or not lane.isprintable():
            yield "lane"
        if event["kind"] == "model.request":
            if not _is_asked(event, named, len(asked)):
                yield f"request {len(asked)}"
            asked.append(event)
        elif event["kind"] == "model.output" and "call" in event:
            call, sample = event["call"], event["sample"]
            fits = named == {"seq", "kind", "call", "sample"} and is_int(call, 0, len(asked) - 1)
            if not fits or call in answered or not _is_answer(sample):
                yield "answer"
                continue
            answered.add(call)
            broke = broke or (not sample["complete"] and sample.get("ended_by") != "client")
        elif event["kind"] == "model.output" and named - {"lane"} != {"seq", "kind", "sample"}:
            yield "a declared answer"
    if any(call not in answered and one.get("method") != "CALL" for call, one in enumerate(asked)):
        yield "a call without answer"
    if broke and events[-1]["kind"] != "attempt.errored":
        yield "an answer broke off and the attempt did not"


def _is_asked(event, named, number):
    bodies = named & {"request", "request_text", "request_base64"}
    if len(bodies) != 1 or named - bodies - {"headers"} != ASKED or not is_int(event["call"], number, number):
        return False
    if not all(isinstance(event[name], str) for name in {"dialect", "method", "path"} | bodies - {"request"}):
        return False
    path = event["path"].partition("?")[0].rstrip("/")
    spoken = next((dialect for end, dialect in DIALECTS.items() if path.endswith(end)), "other")
    expected = spoken if event["method"] == "POST" else "other"
    return event["dialect"] == expected and _texts(
        event.get("headers", {}), {"anthropic-beta", "anthropic-version", "openai-beta"}
    )


def _is_answer(sample):
    if not isinstance(sample, dict):
        return False
    bodies, notes = set(sample) & {"text", "base64"}, {"ended_by", "headers", "scrubbed"}
    if len(bodies) != 1 or set(sample) - bodies - notes != {"status", "said", "complete"}:
        return False
    return (
        (sample["status"] is None or is_int(sample["status"], 100, 599))
        and isinstance(sample["complete"], bool)
        and isinstance(sample[bodies.pop()], str)
        and sample.get("ended_by", "client") in ("client", "upstream")
        and not ("ended_by" in sample and sample["complete"])
        and _texts(sample.get("headers", {}), {"content-type", "retry-after"})
        and _counted(sample)
    )


def _texts(value, names):
    return (
        isinstance(value, dict)
        and set(value) <= names
        and all(isinstance(text, str) for text in value.values())
    )


def _counted(value):
    return all(is_int(value[name], 1) for name in ("cut", "scrubbed") if name in value)


def is_int(value, least=-(2**53), most=2**53):
    """A whole number within bounds; true is none."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_number(value):
    """A number; true is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_exit(value):
    """An exit status, null after a signal."""
    return value is None or is_int(value, 0, 255)


def is_time(value):
    """RFC 3339."""
    found = TIME.fullmatch(value) if isinstance(value, str) else None
    return bool(found) and 1 <= int(found[3]) <= calendar.monthrange(int(found[1]), int(found[2]))[1]


def is_base64(value):
    """RFC 4648, section 4, in its one padded spelling."""
    try:
        return (
            isinstance(value, str)
            and base64.b64encode(base64.b64decode(value, validate=True)).decode() == value
        )
    except ValueError:
        return False
