"""Secrets go before anything is made of what was recorded."""

import json

from fake_upstream import chat, chat_chunks

from passfloor.dialects import read_reply
from passfloor.projection.symbols import Symbols
from passfloor.recording.sealing import sealed
from passfloor.scrubbing import Scrubber

CANARY = "sk-canary-1234567890"


def seal(text, request=None, **more):
    asked = {
        "kind": "model.request",
        "call": 0,
        "lane": "",
        "dialect": "openai_chat",
        "method": "POST",
        "path": "/p",
    }
    sample = {"status": 200, "text": text, "complete": True}
    events = [
        {"seq": 0, **asked, "request": request or {}},
        {"seq": 1, "kind": "model.output", "call": 0, "sample": sample},
        *({"seq": seq, **event} for seq, event in enumerate(more.get("then", []), start=2)),
    ]
    return sealed(events, Scrubber([CANARY]), Symbols("/tmp/pf-0", "a" * 64, "http://127.0.0.1:1/x"))


def test_what_is_said_is_read_from_the_text_that_is_kept():
    asked, heard = seal(json.dumps(chat(f"the key is {CANARY}")), {"messages": [{"content": f"k={CANARY}"}]})
    assert CANARY not in json.dumps([asked, heard])
    assert asked["request"]["messages"][0]["content"] == "k=[scrubbed]"
    sample = heard["sample"]
    assert sample["said"]["choices"][0]["message"]["content"] == "the key is [scrubbed]"
    assert sample["said"] == read_reply("openai_chat", sample["text"]).said


def test_case_21_a_secret_that_comes_letter_by_letter_takes_the_whole_text_with_it():
    text = (
        "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chat_chunks(f"it is {CANARY}"))
        + "data: [DONE]\n\n"
    )
    assert CANARY not in text
    _, heard = seal(text)
    assert (heard["sample"]["text"], heard["sample"]["said"]) == ("[scrubbed]", "[scrubbed]")
    assert heard["sample"]["scrubbed"] == 1


def test_an_id_that_an_answer_made_up_is_a_symbol_afterwards():
    whole = chat(None, [("look", "{}")])
    call = whole["choices"][0]["message"]["tool_calls"][0]["id"]
    _, heard, after = seal(json.dumps(whole), then=[{"kind": "tool.call", "tool": "look", "note": call}])
    assert after["note"].startswith("@")
    assert after["note"].endswith("/0")
    assert call in heard["sample"]["text"]


def test_folders_ids_and_the_proxy_s_address_are_symbols():
    words = "/tmp/pf-0/work " + "a" * 64 + " http://127.0.0.1:1/x/openai"
    asked, _ = seal("{}", {"messages": [words]})
    assert asked["request"]["messages"] == ["${attempt}/work ${attempt_id} ${proxy}/openai"]
