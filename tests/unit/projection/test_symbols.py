"""Events are sealed in the form in which they are compared."""

import hashlib
import json

import pytest

from passfloor.errors import JsonError, UsageError
from passfloor.projection import ActReader, Symbols
from passfloor.projection.symbols import heard_of

ID = hashlib.sha256(b"attempt").hexdigest()
FOLDER = f"/tmp/pf-{ID[:24]}"
PROXY = f"http://127.0.0.1:4000/{ID}"
CHAT = {"lane": "", "dialect": "openai_chat", "method": "POST", "path": "/openai/v1/chat/completions"}


def symbols(*fields, folder=FOLDER, attempt_id=ID, proxy=PROXY):
    return Symbols(folder, attempt_id, proxy, fields)


def asked(call=0, **request):
    return {"kind": "model.request", "call": call, **CHAT, "request": request}


def answered(call=0, tool="call_0123456", **more):
    made = {"id": tool, "type": "function", "function": {"name": "f", "arguments": "{}"}}
    choice = {"index": 0, "message": {"role": "assistant", "tool_calls": [made]}}
    text = json.dumps({"id": f"chatcmpl-{tool}", "choices": [choice]})
    sample = {"status": 200, "text": text, "complete": True, **more}
    return {"kind": "model.output", "call": call, "sample": sample}


@pytest.mark.parametrize(
    ("raw", "sealed"),
    [
        (f"in {FOLDER}/work", "in ${attempt}/work"),
        (f"file://{FOLDER}", "file://${attempt}"),
        (f"pf-{ID[:24]}", "pf-${attempt_id}"),
        (ID, "${attempt_id}"),
        (f"{PROXY}/openai/v1", "${proxy}/openai/v1"),
        ("127.0.0.1:4000", "${proxy}"),
        (
            "${attempt} ${attempt_id} ${proxy} ${identity}",
            r"$\{attempt} $\{attempt_id} $\{proxy} $\{identity}",
        ),
        ("@0123456789abcdef/0", r"@\0123456789abcdef/0"),
        ("${other} @0123/0", "${other} @0123/0"),
    ],
)
def test_what_is_the_attempt_s_own_reads_the_same_in_all_and_what_looks_like_it_does_not(raw, sealed):
    event = {"kind": "note", "lane": raw, "text": [raw], "by": {raw: 1}}
    assert symbols().seal(event) == {"kind": "note", "lane": raw, "text": [sealed], "by": {sealed: 1}}


def test_what_an_attempt_has_not_is_not_looked_for():
    event = {"kind": "note", "text": "plain"}
    assert symbols(folder="", attempt_id="", proxy="").seal(event) == event


def test_the_harness_s_own_events_stay_as_they_are():
    for event in ({"kind": "task.started", "task_hash": ID}, {"kind": "attempt.errored", "error": FOLDER}):
        assert symbols().seal(event) == event


def test_declared_fields_are_replaced_and_cannot_be_forged():
    event = asked(user="u1", messages=[{"content": "${identity} on 2026-01-31"}])
    sealed = symbols("request.user", r"request.messages[*].content=\d{4}-\d\d-\d\d").seal(event)
    assert sealed["request"] == {
        "user": "${identity}",
        "messages": [{"content": r"$\{identity} on ${identity}"}],
    }
    with pytest.raises(UsageError):
        symbols("request")


def test_output_and_files_are_replaced_and_not_escaped_and_digests_follow():
    output = {"kind": "agent.output", "value": {"stdout": f"{FOLDER} ${{proxy}}"}}
    assert symbols().seal(output)["value"] == {"stdout": "${attempt} ${proxy}"}
    text = f"see {FOLDER}"
    entry = {"sha256": "0", "size": 1, "text": text}
    binary = {"sha256": "1", "size": 1, "base64": "AA=="}
    files = {"kind": "agent.artifact", "value": {"a": entry, "b": binary, "c": 1, "d": {"text": "x"}}}
    sealed = symbols().seal(files)["value"]
    kept = b"see ${attempt}"
    assert sealed["a"] == {
        "sha256": hashlib.sha256(kept).hexdigest(),
        "size": len(kept),
        "text": kept.decode(),
    }
    assert sealed["b"] == binary
    assert (sealed["c"], sealed["d"]) == (1, {"text": "x"})


def test_a_whole_conversation_may_be_declared_to_change():
    made = symbols("request.messages")
    for call, words in enumerate((["go"], ["go", "on"])):
        assert made.seal(asked(call, messages=words, n=1))["request"] == {"messages": "${identity}", "n": 1}


def test_files_in_which_nothing_is_replaced_stay_as_they_were():
    files = {"kind": "agent.artifact", "value": {"a": {"sha256": "0", "size": 1, "text": "plain"}}}
    assert symbols().seal(files) == files
    assert symbols().seal({"kind": "agent.artifact", "value": "none"})["value"] == "none"
    assert symbols().seal({"kind": "agent.artifact", "value": FOLDER})["value"] == "${attempt}"


def test_an_answer_says_what_its_text_says_and_its_ids_are_symbols_from_then_on():
    made, reader = symbols(), ActReader()
    request = made.seal({**asked(messages=["go"]), "seq": 0})
    answer = made.seal({**answered(said="anything"), "seq": 1})
    assert answer["sample"]["said"]["choices"][0]["message"]["tool_calls"][0]["id"] == "@0"
    reader.read(request)
    (heard,) = reader.read(answer)
    again = made.seal(asked(1, messages=["go", {"tool_call_id": "call_0123456"}]))
    assert again["request"]["messages"][1] == {"tool_call_id": f"@{heard.digest[:16]}/0"}
    call = made.seal({"kind": "tool.call", "id": "call_0123456", "text": "for call_0123456."})
    assert call["id"] == f"@{heard.digest[:16]}/0"
    assert call["text"] == f"for @{heard.digest[:16]}/0."


def test_an_item_of_a_conversation_reads_in_every_turn_as_it_did_in_the_first():
    """What it says was said before an answer made up an id that looks the same."""
    made = symbols()
    first = made.seal(asked(messages=["see call_0123456", {"n": 1}]))
    made.seal(answered())
    again = made.seal(asked(1, messages=["see call_0123456", {"n": 1}, "see call_0123456"]))
    assert again == {**asked(1), "request": {"messages": again["request"]["messages"]}}
    assert again["request"]["messages"][:2] == first["request"]["messages"] == ["see call_0123456", {"n": 1}]
    assert again["request"]["messages"][2].startswith("see @")


def test_an_id_that_comes_again_is_that_of_the_conversation_or_of_the_lane():
    made, reader = symbols(), ActReader()
    names = []
    for call, lane in enumerate(("", "a")):
        reader.read(made.seal({**asked(call, messages=[lane]), "lane": lane, "seq": 0}))
        (heard,) = reader.read(made.seal({**answered(call), "seq": 0}))
        names.append(f"@{heard.digest[:16]}/0")
    common, named = ({"kind": "note", "text": "call_0123456", **lane} for lane in ({}, {"lane": "a"}))
    assert made.seal(common)["text"] == names[0]
    assert made.seal(named)["text"] == names[1]
    goes_on = made.seal({**asked(2, messages=["", "call_0123456"]), "lane": "a"})
    assert goes_on["request"]["messages"][1] == names[0]


def test_an_answer_that_says_more_than_its_sample_makes_up_ids_as_any_other():
    made, reader = symbols(), ActReader()
    reader.read(made.seal({**asked(), "seq": 0}))
    *_, heard = reader.read(made.seal({**answered(), "route": "r1", "seq": 1}))
    assert made.seal({"kind": "note", "text": "call_0123456"})["text"] == f"@{heard.digest[:16]}/0"


def test_an_answer_of_another_shape_stays_as_it_is():
    made = symbols()
    made.seal(asked())
    answer = {"kind": "model.output", "call": 0, "sample": "text"}
    assert made.seal(answer) == answer


def test_an_earlier_id_in_an_answer_is_a_symbol_too():
    made = symbols()
    made.seal(asked())
    made.seal(answered())
    made.seal(asked(1))
    echo = json.dumps({"error": "unknown call_0123456"})
    said = made.seal({"kind": "model.output", "call": 1, "sample": {"status": 400, "text": echo}})["sample"]
    assert said["said"]["error"].startswith("unknown @")


def test_large_values_enter_digests_as_references_and_stay_in_place():
    made = symbols()
    large = {"role": "user", "content": "x" * 2000}
    assert made.seal(asked(messages=[large]))["request"]["messages"] == [large]
    again = made.seal(asked(1, messages=[large, "more"]))
    assert again["request"]["messages"] == [large, "more"]


def test_a_body_no_dialect_reads_says_itself():
    made = symbols()
    made.seal({"kind": "model.request", "call": 0, **CHAT, "dialect": "other", "request_text": "x"})
    sample = {"status": 200, "text": "plain", "complete": True}
    assert made.seal({"kind": "model.output", "call": 0, "sample": sample})["sample"]["said"] == "plain"
    made.seal({"kind": "model.request", "call": 1, **CHAT, "dialect": "other", "request_text": "x"})
    sample = {"status": 200, "base64": "AAH/", "complete": True}
    assert made.seal({"kind": "model.output", "call": 1, "sample": sample})["sample"]["said"] == "AAH/"


@pytest.mark.parametrize(
    "event",
    [
        {"kind": "model.output", "sample": 0.5},
        {"kind": "model.output", "call": 7, "sample": {"text": "x"}},
    ],
)
def test_an_answer_to_no_recorded_request_stays_as_it_is(event):
    assert symbols().seal(event) == event


def test_an_event_without_a_canonical_form_is_an_error():
    with pytest.raises(JsonError):
        symbols().seal({"kind": "note", "x": float("nan")})


def test_what_is_heard_needs_nothing_but_the_text_and_the_answers_before():
    from passfloor.projection import Minted

    said, reply = heard_of("openai_chat", answered()["sample"], Minted(), "")
    assert said["choices"]
    assert reply.minted == ("call_0123456", "chatcmpl-call_0123456")
