"""Receipts of attempts whose model calls were recorded."""

import copy
import json

from casework import (
    BLOB,
    CHAIN,
    DIVERGED,
    EVENT,
    EVENTS,
    RECEIPT,
    drop,
    events,
    match,
    pair,
    put,
    refused,
    resealed,
)
from forging import (
    Run,
    attempts_of,
    build,
    captured,
    digest,
    numbered,
    rechain,
    reclaim,
    sha,
    task_hash,
)
from recording import CHAT, answered, asked, says, symbol

SAID = ("HASH_MISMATCH", "said", 10)
SYMBOL = ("HASH_MISMATCH", "symbol", 10)
CAUSAL = {"coordination_rule": "causal"}
LOOKUP = {"name": "lookup", "arguments": '{"country":"France"}'}
SECOND = (*EVENTS[:3], 1, *EVENTS[4:])


def ended(stdout="", files=None, *, error=None, exit_code=0):
    """The events that close a recorded attempt."""
    output = {"stdout": stdout, "exit_code": exit_code, "stderr_tail": ""}
    last = {"kind": "task.completed"}
    if error:
        last = {"kind": "attempt.errored", "error": error, "exit_code": exit_code}
    return [
        {"kind": "agent.output", "value": output},
        {"kind": "agent.artifact", "value": files or {}},
        last,
    ]


def started(task):
    return {"kind": "task.started", "task_hash": task_hash(task), "seed": 7}


def lookup(task, index, *, city=None, own="", **more):
    """An agent that looks a capital up with a tool: its first answers agree, its second ones do not."""
    ids = f"chatcmpl-a{index}a{index}", f"call_b{index}b{index}"
    prompt = [{"role": "user", "content": task["description"] + own}]
    ask = asked(0, prompt, **more)
    heard = answered(0, *says({"call": LOOKUP}, ids))
    name = symbol(ask, heard, 0)
    told = {"role": "assistant", "tool_calls": [{"id": name, "type": "function", "function": LOOKUP}]}
    result = {"role": "tool", "tool_call_id": name, "content": "see the map"}
    city = city or ("Lyon" if index == 1 else "Paris")
    again = asked(1, [*prompt, told, result], **more)
    return [
        started(task),
        ask,
        heard,
        {"kind": "tool.call", "tool": "lookup", "id": name},
        {"kind": "tool.result", "id": name, "result": "see the map"},
        again,
        answered(1, *says({"content": city}, [f"chatcmpl-c{index}c{index}"])),
        *ended(f"{city}\n"),
    ]


def tidy(task, index):
    return [
        started(task),
        asked(0, [{"role": "user", "content": "tidy"}]),
        answered(0, *says({"content": "done"}, [f"chatcmpl-d{index}d{index}"])),
        *ended(files={"notes.txt": captured("final\n")}),
    ]


def agent(task, index):
    return numbered((lookup if task["id"] == "capital" else tidy)(task, index))


def capital(make):
    """An agent that is ``make`` on the one task: (task, index) -> events without ``seq``."""
    return lambda task, index: numbered((make if task["id"] == "capital" else tidy)(task, index))


def recorded(make=lookup, **changes):
    """The sealed document of an honest recorded run."""
    members = {**CAUSAL, **changes.pop("members", {})}
    return build(Run(events=capital(make), members=members, **changes))


def cases():
    yield from honest_ones()
    yield from hidden()
    yield from sayings()
    yield from calls()
    yield from shapes()
    yield from frames()
    yield from symbols()
    yield from claims()


def honest_ones():
    yield match("recorded", recorded())
    for name, make in {
        "votes_differ": votes,
        "lanes_and_retries": retries,
        "stream": streamed,
        "agent_hung_up": hung_up,
        "upstream_broke_off": broke_off,
        "sampled_by_itself": sampled,
        "called_by_itself": by_itself,
        "bodies": bodies,
        "headers": lambda task, index: lookup(task, index, headers={"openai-beta": "x"}),
        "escaped_marks": lambda task, index: lookup(task, index, own=r" @\0123456789abcdef/0 $\{identity}"),
    }.items():
        yield match(f"recorded_{name}", recorded(make))
    longest = recorded(lambda task, index: lookup(task, index, lane="x" * 100))
    yield match("recorded_lane_of_the_longest_name", longest)
    identical = build(Run(events=agent, n=2, members={"coordination_rule": "identical"}, k=1))
    yield refused("recorded_under_the_other_rule", DIVERGED, identical)
    alike = build(Run(events=capital(lambda task, index: lookup(task, 0)), n=2, k=1))
    yield match("recorded_alike_under_the_other_rule", alike)
    yield match("recorded_by_an_object", recorded(adapter="custom"))


def votes(task, index):
    """The same question three times at once, the answers in one order here and in another there."""
    prompt = [{"role": "user", "content": "vote"}]
    cities = ["Paris", "Lyon", "Paris"] if index else ["Lyon", "Paris", "Paris"]
    return [
        started(task),
        *(asked(call, prompt) for call in range(3)),
        *(
            answered(call, *says({"content": city}, [f"chatcmpl-{index}{call}vote"]))
            for call, city in enumerate(cities)
        ),
        *ended("Paris\n"),
    ]


def retries(task, index):
    """A lane with a name asks again when it is told to wait; the other attempt is not told to."""
    prompt = [{"role": "user", "content": "go"}]
    text = '{"error":{"message":"slow down"}}'
    wait = answered(0, text, json.loads(text), status=429, headers={"retry-after": "0"})
    first = [asked(0, prompt, "a"), wait] if index else []
    call = len(first) // 2
    own = says({"content": "Paris"}, [f"chatcmpl-{index}retry"])
    after = {"kind": "note", "lane": "a", "tries": call + 1}
    return [started(task), *first, asked(call, prompt, "a"), answered(call, *own), after, *ended("Paris\n")]


def chunk(own, delta):
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    body = {"id": own, "object": "chat.completion.chunk", "created": 1, "model": "m-1", "choices": [choice]}
    return f"data: {json.dumps(body)}\n\n"


def streaming(index, cut=False):
    parts = [{"role": "assistant", "content": "Pa"}, {"content": "ris"}]
    text = "".join(chunk(f"chatcmpl-{index}stream", delta) for delta in parts[: 1 if cut else 2])
    message = {"role": "assistant", "content": "Pa" if cut else "Paris"}
    said = {"object": "chat.completion", "model": "m-1", "choices": [{"index": 0, "message": message}]}
    return (text if cut else f"{text}data: [DONE]\n\n"), said


def one_call(task, *sample, end, **more):
    return [started(task), asked(0, [{"role": "user", "content": "go"}]), answered(0, *sample, **more), *end]


def streamed(task, index):
    return one_call(
        task, *streaming(index), end=ended("Paris\n"), headers={"content-type": "text/event-stream"}
    )


def hung_up(task, index):
    cut = {"complete": False, "ended_by": "client"} if index else {}
    return one_call(task, *streaming(index, cut=bool(index)), end=ended("Paris\n"), **cut)


def broke_off(task, index):
    if not index:
        return streamed(task, index)
    error = {"type": "stream", "detail": "call 0: the upstream broke off its reply"}
    cut = {"complete": False, "ended_by": "upstream"}
    return one_call(task, *streaming(1, cut=True), end=ended("", error=error, exit_code=1), **cut)


def sampled(task, index):
    """A callable that draws: what it drew is an answer without a request."""
    draw = {"kind": "model.output", "sample": 0.25 + index}
    own = {"kind": "model.output", "lane": "a", "sample": {"drawn": index}}
    return [started(task), draw, own, {"kind": "note", "index": index}, *ended("Paris\n")]


def by_itself(task, index):
    """A callable that calls a model by its own means; the second attempt's call failed."""
    ask = {"kind": "model.request", "call": 0, "lane": "", "dialect": "other", "method": "CALL", "path": ""}
    ask = {**ask, "request": ["what?"]}
    heard = [] if index else [answered(0, '"Paris"', '"Paris"')]
    return [started(task), ask, *heard, *ended("Paris\n", error=None)]


def bodies(task, index):
    """What no dialect reads: text, bytes, an answer of which nothing arrived."""
    frame = {"kind": "model.request", "lane": "", "dialect": "other", "method": "PUT", "path": "/openai/x"}
    lost = {"status": None, "said": "", "text": "", "complete": False, "ended_by": "client"}
    return [
        started(task),
        {**frame, "call": 0, "request_text": "as it is"},
        answered(0, "plain", "plain"),
        {**frame, "call": 1, "request_base64": "AAH/"},
        {
            "kind": "model.output",
            "call": 1,
            "sample": {"status": 200, "said": "AAH/", "base64": "AAH/", "complete": True, "scrubbed": 1},
        },
        {**frame, "call": 2, "request_text": ""},
        {"kind": "model.output", "call": 2, "sample": lost},
        *ended("Paris\n"),
    ]


def hidden():
    """Differences before the first different answer, wherever they are put."""
    places = {
        "request": (5, ("request", "route"), "r1"),
        "request_headers": (5, ("headers",), {"openai-beta": "r1"}),
        "request_path": (5, ("path",), "/r1" + CHAT),
        "tool_call": (3, ("route",), "r1"),
        "tool_result": (4, ("result",), "another map"),
        "tool_lane": (3, ("lane",), "r1"),
    }
    for name, (position, way, value) in places.items():
        edit = put(*SECOND, position, *way, value)
        yield resealed(f"recorded_{name}_differs", DIVERGED, edit, rechain, reclaim, document=recorded())
    yield refused("recorded_draw_in_a_prompt", DIVERGED, recorded(drawing))
    yield refused("recorded_draw_before_votes", DIVERGED, recorded(lambda t, i: drawing(t, i, votes)))
    yield match("recorded_draw_after_votes", recorded(lambda t, i: late_draw(t, i)))
    yield refused("recorded_draw_in_a_file", DIVERGED, recorded(file_draw))
    yield refused("recorded_call_more", DIVERGED, recorded(one_more))
    smuggled = {
        "in_timing": (1, ("ts",), "r1"),
        "in_elapsed": (1, ("elapsed_s",), "r1"),
        "beside_an_answer": (2, ("route",), "r1"),
        "beside_a_request": (1, ("route",), "r1"),
        "in_a_sample": (2, ("sample", "route"), "r1"),
        "in_sample_headers": (2, ("sample", "headers"), {"x-route": "r1"}),
        "in_request_headers": (1, ("headers",), {"x-route": "r1"}),
        "in_the_output_event": (7, ("route",), "r1"),
        "in_the_lane_of_an_answer": (2, ("lane",), "r1"),
    }
    for name, (position, way, value) in smuggled.items():
        edit = put(*SECOND, position, *way, value)
        yield from pair(f"recorded_route_{name}", EVENT, edit, rechain, document=recorded())


def drawing(task, index, make=None):
    made = (make or lookup)(task, index)
    made.insert(1, {"kind": "note", "drawn": index})
    return made


def late_draw(task, index):
    made = votes(task, index)
    made.insert(-3, {"kind": "note", "drawn": index})
    return made


def file_draw(task, index):
    made = lookup(task, index, city="Paris")
    made[-2]["value"]["log.txt"] = captured(f"run {index}\n")
    return made


def one_more(task, index):
    made = lookup(task, index, city="Paris")
    more = asked(2, [{"role": "user", "content": "more"}])
    heard = answered(2, *says({"content": "more"}, [f"chatcmpl-{index}more"]))
    return [*made[:-3], *([more, heard] if index else []), *made[-3:]]


def sayings():
    document = recorded()
    said = document["task_results"][0]["attempts"][1]["receipt"]["events"][6]["sample"]["said"]
    other = copy.deepcopy(said)
    other["choices"][0]["message"]["content"] = "Rome"
    text = says({"content": "Rome"}, ["chatcmpl-x1x1x1"])[0]
    edits = {
        "said_edited": put(*SECOND, 6, "sample", "said", other),
        "text_edited": put(*SECOND, 6, "sample", "text", text),
        "said_is_the_text": put(*SECOND, 6, "sample", "said", text),
        "said_null": put(*SECOND, 6, "sample", "said", None),
        "texts_swapped": swap_texts,
    }
    for name, edit in edits.items():
        yield from pair(f"recorded_{name}", SAID, edit, rechain, reclaim, document=recorded())
    yield resealed("recorded_answers_swapped", SYMBOL, swap_samples, rechain, reclaim, document=recorded())
    draw = recorded(late_request)
    yield refused("recorded_draw_in_a_request", DIVERGED, draw)
    yield resealed("recorded_said_hides_a_draw", SAID, hide_draw, rechain, reclaim, document=draw)


def swap_texts(document):
    one, other = (events(document, 0, 1)[at]["sample"] for at in (2, 6))
    one["text"], other["text"] = other["text"], one["text"]


def swap_samples(document):
    one, other = (events(document, 0, 1)[at] for at in (2, 6))
    one["sample"], other["sample"] = other["sample"], one["sample"]


def hide_draw(document):
    """The answer before the draw is made to look like none that the other attempt heard."""
    said = events(document, 0, 1)[2]["sample"]["said"]
    said["choices"][0]["message"]["tool_calls"][0]["function"]["name"] = "other"


def late_request(task, index):
    made = lookup(task, index)
    made[5]["request"]["user"] = f"run {index}"
    return made


def calls():
    second = {
        "number_true": put(*SECOND, 5, "call", True),
        "number_skipped": put(*SECOND, 5, "call", 2),
        "number_again": put(*SECOND, 5, "call", 0),
        "number_text": put(*SECOND, 5, "call", "1"),
        "without_request": put(*SECOND, 6, "call", 9),
        "answer_number_true": put(*SECOND, 6, "call", True),
        "answered_twice": put(*SECOND, 6, "call", 0),
        "without_answer": without(6),
        "answer_before_its_request": before,
    }
    for name, edit in second.items():
        yield from pair(f"recorded_call_{name}", EVENT, edit, rechain, document=recorded())
    extra = recorded(sampled)
    edit = put(*SECOND, 1, "route", "r1")
    yield from pair("recorded_draw_with_more", EVENT, edit, rechain, document=extra)


def without(position):
    def edit(document):
        found = events(document, 0, 1)
        del found[position]
        found[:] = numbered(found)

    return edit


def before(document):
    found = events(document, 0, 1)
    found[1], found[2] = found[2], found[1]
    found[:] = numbered(found)


def shapes():
    edits = {
        "lane_number": put(*SECOND, 1, "lane", 1),
        "lane_unprintable": put(*SECOND, 3, "lane", "a\n"),
        "lane_long": put(*SECOND, 3, "lane", "a" * 101),
        "dialect_list": put(*SECOND, 1, "dialect", ["openai_chat"]),
        "dialect_object": put(*SECOND, 1, "dialect", {}),
        "dialect_other": put(*SECOND, 1, "dialect", "other"),
        "method_number": put(*SECOND, 1, "method", 1),
        "path_of_another_dialect": put(*SECOND, 1, "path", "/openai/v1/responses"),
        "two_bodies": put(*SECOND, 1, "request_text", ""),
        "no_body": drop(*SECOND, 1, "request"),
        "sample_text": put(*SECOND, 2, "sample", "x"),
        "sample_without_said": drop(*SECOND, 2, "sample", "said"),
        "sample_text_and_base64": put(*SECOND, 2, "sample", "base64", ""),
        "sample_text_number": put(*SECOND, 2, "sample", "text", 1),
        "status_text": put(*SECOND, 2, "sample", "status", "200"),
        "status_large": put(*SECOND, 2, "sample", "status", 600),
        "complete_number": put(*SECOND, 2, "sample", "complete", 1),
        "ended_by_nobody": put(*SECOND, 2, "sample", "ended_by", "nobody"),
        "ended_though_complete": put(*SECOND, 2, "sample", "ended_by", "client"),
        "scrubbed_nothing": put(*SECOND, 2, "sample", "scrubbed", 0),
        "broke_off_unnoticed": put(*SECOND, 2, "sample", "complete", False),
    }
    for name, edit in edits.items():
        yield from pair(f"recorded_{name}", EVENT, edit, rechain, document=recorded())
    edit = put(*SECOND, 2, "sample", "complete", True)
    cut = recorded(hung_up)
    edits = (edit, drop(*SECOND, 2, "sample", "ended_by"))
    yield resealed("recorded_stream_without_end", EVENT, both(*edits), rechain, document=cut)


def both(*edits):
    def edit(document):
        for each in edits:
            each(document)

    return edit


def frames():
    edits = {
        "no_output": without(7),
        "output_sampled": put(*SECOND, 7, {"seq": 7, "kind": "model.output", "sample": None}),
        "output_text": put(*SECOND, 7, "value", "Lyon"),
        "artifact_list": put(*SECOND, 8, "value", []),
        "artifact_sampled": put(*SECOND, 3, {"seq": 3, "kind": "model.artifact", "sample": {}}),
        "second_output": put(*SECOND, 3, {"seq": 3, "kind": "agent.output", "value": {}}),
    }
    for name, edit in edits.items():
        yield from pair(f"recorded_{name}", EVENT, edit, rechain, document=recorded())
    edit = put(*EVENTS[:1], 1, "attempts", 1, *EVENTS[4:], 4, "value", "notes.txt", "text", "edited\n")
    yield from pair("recorded_file_edited", CHAIN, edit, rechain, reclaim, document=recorded())
    large = "x" * 1100

    def long(task, index):
        return lookup(task, index, own=large)

    document = recorded(long)
    yield match("recorded_large_and_in_place", document)
    shelved = build(Run(events=capital(shelf), members=CAUSAL, blobs={digest(PAGE): PAGE}))
    yield match("recorded_blob", shelved)
    yield from pair("recorded_blob_absent", BLOB, drop("blobs", digest(PAGE)), document=shelved)


PAGE = {"role": "user", "content": "x" * 1100 + r" @\0123456789abcdef/0"}


def shelf(task, index):
    reference = {"blob": digest(PAGE)}
    heard = answered(0, *says({"content": "Paris"}, [f"chatcmpl-{index}blob"]))
    return [started(task), asked(0, [reference]), heard, *ended("Paris\n")]


def symbols():
    unknown = "@0123456789abcdef/0"
    edits = {
        "of_no_answer": put(*SECOND, 5, "request", "messages", 2, "tool_call_id", unknown),
        "in_a_tool_call": put(*SECOND, 3, "id", unknown),
        "in_a_name": put(*SECOND, 5, "request", unknown, 1),
        "mark_undeclared": put(*SECOND, 5, "request", "user", "${identity}"),
    }
    for name, edit in edits.items():
        yield from pair(f"recorded_symbol_{name}", SYMBOL, edit, rechain, reclaim, document=recorded())
    number = recorded()
    messages = number["task_results"][0]["attempts"][1]["receipt"]["events"][5]["request"]["messages"]
    beyond = messages[2]["tool_call_id"].replace("/0", "/7")
    edit = put(*SECOND, 5, "request", "messages", 2, "tool_call_id", beyond)
    yield from pair("recorded_symbol_of_no_number", SYMBOL, edit, rechain, reclaim, document=number)
    hidden_page = {**PAGE, "content": PAGE["content"].replace("@\\", "@")}
    forged = build(Run(events=capital(shelf), members=CAUSAL, blobs={digest(PAGE): PAGE}))
    yield resealed(
        "recorded_symbol_in_a_blob", SYMBOL, exchange(PAGE, hidden_page), rechain, reclaim, document=forged
    )
    fields = {"identity_fields": ["request.user", r"request.messages[*].content=\d{4}-\d\d-\d\d"]}
    marked = recorded(lambda t, i: lookup(t, i, own=" on ${identity}"), members={**fields, **CAUSAL})
    yield match("recorded_identity_fields", marked)
    unread = recorded(members={"identity_fields": ["request.user=("]})
    yield refused("recorded_identity_field_unread", ("MALFORMED_RECEIPT", "type", 9), unread)
    edit = put("identity_fields", [])
    plan = ("HASH_MISMATCH", "plan", 9)
    yield from pair("recorded_identity_fields_dropped", plan, edit, document=marked)


def exchange(old, new):
    def edit(document):
        document["blobs"] = {digest(new): new}
        for attempt in attempts_of(document):
            for event in attempt["receipt"]["events"]:
                if event.get("request", {}).get("messages") == [{"blob": digest(old)}]:
                    event["request"]["messages"] = [{"blob": digest(new)}]

    return edit


def claims():
    for name, path, value in (
        ("hash", ("task_results", 0, "coordination_hash"), sha(b"?")),
        ("identical", ("task_results", 0, "coordination_identical"), False),
        ("ok", ("coordination_ok",), False),
    ):
        finding = ("COORDINATION_DIVERGED", f"coordination_{name}", 13)
        yield from pair(f"recorded_claims_{name}", finding, put(*path, value), document=recorded())
    edit = put(*RECEIPT, "attempt_id", sha(b"another"))
    identity = ("DUPLICATE_ATTEMPT", "attempt_identity", 9)
    unsealed = ("HASH_MISMATCH", "chain", 10)
    document = recorded(votes)
    yield from pair(
        "recorded_under_another_id", identity, edit, rechain, document=document, unsealed=unsealed
    )
