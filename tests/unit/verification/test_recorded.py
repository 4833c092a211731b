"""What was recorded of model calls is whole, well-formed, and says what it says."""

import pytest

from passfloor.canonical import canonical, digest
from passfloor.models.plan import Plan
from passfloor.projection import Symbols, parse_identity_fields
from passfloor.verification.steps import recorded

CHAT = {"lane": "", "dialect": "openai_chat", "method": "POST", "path": "/v1/chat/completions"}
REPLY = '{"id":"chatcmpl-01234567","model":"m-1","system_fingerprint":"fp","choices":[]}'
END = {"kind": "task.completed"}


def asked(call=0, **members):
    return {"kind": "model.request", "call": call, **CHAT, "request": {"model": "m"}, **members}


def answered(call=0, **members):
    sample = {"status": 200, "said": {"model": "m-1", "choices": []}, "text": REPLY, "complete": True}
    return {"kind": "model.output", "call": call, "sample": {**sample, **members}}


def numbered(*events):
    return [{**event, "seq": seq} for seq, event in enumerate(events)]


def found(*events, end=END):
    return list(recorded.problems(numbered({"kind": "task.started"}, *events, end)))


def sealed(*events, fields=()):
    symbols = Symbols("/tmp/pf", "a" * 64, "", fields)
    return numbered(*(symbols.seal(event) for event in events))


def hear(events, *, fields=(), blobs=None):
    texts = recorded.TextShelf(blobs or {})
    return recorded.hear(events, [canonical(event) for event in events], parse_identity_fields(fields), texts)


def without(event, *names):
    return {name: value for name, value in event.items() if name not in names}


def sample_without(*names):
    event = answered()
    return {**event, "sample": without(event["sample"], *names)}


BYTES = {**without(asked(request_base64="AA=="), "request"), "path": "/x", "dialect": "other"}


def answered_with_bytes():
    return {**answered(), "sample": {"status": 200, "said": "AA==", "base64": "AA==", "complete": True}}


@pytest.mark.parametrize(
    "events",
    [
        (asked(), answered()),
        (asked(lane="a", ts=1), answered(), asked(1, headers={"openai-beta": "x"}), answered(1)),
        (asked(), asked(1), answered(1), answered()),
        (asked(), answered(status=None, complete=False, ended_by="client", scrubbed=1)),
        (asked(), answered(headers={"content-type": "application/json", "retry-after": "0"})),
        ({"kind": "model.output", "sample": None, "lane": "a"}, {"kind": "note", "lane": "a"}),
        (asked(method="CALL", dialect="other", path=""),),
        (without(asked(request_text="x"), "request"), answered()),
        (BYTES, answered_with_bytes()),
    ],
)
def test_what_the_recorder_writes_has_no_problem(events):
    assert found(*events) == []


@pytest.mark.parametrize(
    ("place", "events"),
    [
        ("[1].lane", ({"kind": "note", "lane": 1},)),
        ("[1].lane", ({"kind": "note", "lane": "a\n"},)),
        ("[1].lane", (asked(lane="a" * 101), answered())),
        ("[1]", (without(asked(), "request"), answered())),
        ("[1]", (asked(request_text=""), answered())),
        ("[1]", (asked(route=""), answered())),
        ("[1]", (without(asked(), "dialect"), answered())),
        ("[1].call", (asked(1), answered())),
        ("[1].call", (asked(False), answered())),
        ("[1].method", (asked(method=1), answered())),
        ("[1].request_text", (without(asked(request_text=1), "request"), answered())),
        ("[1].dialect", (asked(dialect="other"), answered())),
        ("[1].headers", (asked(headers={"accept": "x"}), answered())),
        ("[1].headers", (asked(headers={"openai-beta": 1}), answered())),
        ("[1].headers", (asked(headers=[]), answered())),
        ("[1]", (asked(),)),
        ("[2]", (asked(), {**answered(), "route": "r1"}, answered())),
        ("[1].call", (answered(),)),
        ("[2].call", (asked(), answered(1), answered())),
        ("[2].call", (asked(), answered(True), answered())),
        ("[3].call", (asked(), answered(), answered())),
        ("[1]", ({"kind": "model.output", "sample": 1, "route": "r1"},)),
        ("[2].sample", (asked(), {**answered(), "sample": "x"})),
        ("[2].sample", (asked(), answered(base64=""))),
        ("[2].sample", (asked(), sample_without("text"))),
        ("[2].sample", (asked(), sample_without("said"))),
        ("[2].sample", (asked(), answered(route="r1"))),
        ("[2].sample.status", (asked(), answered(status=99))),
        ("[2].sample.status", (asked(), answered(status="200"))),
        ("[2].sample.status", (asked(), answered(status=True))),
        ("[2].sample.complete", (asked(), answered(complete=1))),
        ("[2].sample.complete", (asked(), answered(text='data: {"choices":[]}\n\n'))),
        ("[2].sample.text", (asked(), answered(text=None))),
        ("[2].sample.ended_by", (asked(), answered(ended_by="nobody", complete=False))),
        ("[2].sample.ended_by", (asked(), answered(ended_by="client"))),
        ("[2].sample.headers", (asked(), answered(headers={"x": "y"}))),
        ("[2].sample.scrubbed", (asked(), answered(scrubbed=0))),
        ("[2].sample.scrubbed", (asked(), answered(scrubbed=True))),
        ("[3].kind", (asked(), answered(complete=False))),
        ("[3].kind", (asked(), answered(complete=False, ended_by="upstream"))),
    ],
)
def test_what_no_recorder_writes_is_named_by_its_place(place, events):
    assert [where for where, _ in found(*events)] == [place]


def test_an_answer_that_broke_off_is_in_its_place_where_the_attempt_errored():
    cut = answered(complete=False, ended_by="upstream")
    assert found(asked(), cut, end={"kind": "attempt.errored"}) == []


def test_problems_are_bounded():
    assert len(found(*({"kind": "note", "lane": 1} for _ in range(200)))) == 100


def test_what_was_sealed_is_heard_without_a_fault():
    tool = {"id": "call_0123456", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    choice = {"index": 0, "message": {"role": "assistant", "tool_calls": [tool]}}
    text = canonical({"id": "chatcmpl-0", "choices": [choice]}).decode()
    events = sealed(
        asked(),
        answered(text=text),
        {"kind": "tool.call", "id": "call_0123456"},
        asked(1, request={"model": "m", "messages": [{"tool_call_id": "call_0123456"}]}),
        answered(1),
    )
    heard = hear(events)
    assert heard.faults == []
    assert len(heard.acts) == 5
    assert heard.served == {"m": {("m-1", "fp"): None}}
    assert events[3]["request"]["messages"][0]["tool_call_id"].startswith("@")


def test_an_answer_that_says_something_else_than_its_text_is_found():
    events = sealed(asked(), answered())
    events[1]["sample"]["said"]["model"] = "m-2"
    ((code, place, _),) = hear(events).faults
    assert (code, place) == ("said", "[1].sample.said")


@pytest.mark.parametrize(
    "value", ["@0123456789abcdef/0", {"@0123456789abcdef/0": 1}, ["x @0123456789abcdef/12."]]
)
def test_a_symbol_of_no_earlier_answer_is_found(value):
    events = sealed(asked(), answered(), {"kind": "note"})
    events[2]["x"] = value
    ((code, place, reason),) = hear(events).faults
    assert (code, place) == ("symbol", "[2]")
    assert "names no id" in reason


def test_in_the_agent_s_output_such_a_word_is_its_own():
    events = sealed({"kind": "agent.output", "value": "@0123456789abcdef/0 ${identity}"})
    heard = hear(events)
    assert heard.faults == []
    assert heard.marks == 1


def test_symbols_and_marks_are_found_in_blobs():
    hidden = {"content": "@0123456789abcdef/0 ${identity}"}
    name = digest(hidden)
    event = asked(request={"messages": [{"blob": name}, {"blob": name}]})
    heard = hear(numbered(event, event | {"call": 1}), blobs={name: hidden})
    assert [code for code, _, _ in heard.faults] == ["symbol"] * 4
    absent = hear(numbered(asked(request={"messages": [{"blob": "0" * 64}]})))
    assert absent.faults == []


def test_declared_marks_are_counted_and_others_are_found():
    fields = ("request.user",)
    events = sealed(asked(request={"user": "u"}), fields=fields)
    assert (hear(events, fields=fields).marks, hear(events, fields=fields).faults) == (1, [])
    ((code, _, reason),) = hear(events).faults
    assert code == "symbol"
    assert "where none is declared" in reason


def test_an_answer_that_names_no_model_serves_none():
    events = sealed(
        asked(request=["x"]), answered(text='{"choices":[]}'), asked(1), answered(1, text="plain")
    )
    assert hear(events).served == {}
    events = sealed(asked(request={"model": 1}), answered())
    assert hear(events).served == {None: {("m-1", "fp"): None}}
    events = sealed(without(asked(request_text="x"), "request"), answered())
    assert list(hear(events).served) == [None]


def test_declarations_that_cannot_be_read_are_a_finding():
    fields = dict.fromkeys(Plan.model_fields) | {"identity_fields": ["request"]}
    read, findings = recorded.read_fields(Plan.model_construct(**fields))
    assert read == ()
    assert [(finding.step, finding.code, finding.path) for finding in findings] == [
        (9, "type", "identity_fields")
    ]
    read, findings = recorded.read_fields(
        Plan.model_construct(**fields | {"identity_fields": ["request.user"]})
    )
    assert len(read) == 1
    assert findings == []


def test_a_draw_of_the_agent_s_own_is_heard_as_it_is():
    heard = hear(sealed({"kind": "model.output", "sample": 0.25}))
    assert heard.faults == []
    assert [act.heard for act in heard.acts] == [True]
