"""Tools are counted by the agent's journal and by what its model was asked next, each call once."""

import pytest

from passfloor.grading.tool_calls import tools_called

S0, S1 = "@0123456789abcdef/0", "@0123456789abcdef/1"


def journal(tool, **members):
    return {"kind": "tool.call", "tool": tool, **members}


def asked(*messages, member="messages"):
    return {"kind": "model.request", "request": {member: list(messages)}}


def said(**members):
    return {"kind": "model.output", "sample": {"said": members}}


def chat(name, tool):
    return {"role": "assistant", "tool_calls": [{"id": name, "function": {"name": tool}}]}


def use(name, tool, kind="tool_use"):
    return {"role": "assistant", "content": [{"type": kind, "id": name, "name": tool}, "x"]}


@pytest.mark.parametrize(
    ("events", "tools"),
    [
        ([journal("a"), journal("b"), journal("a")], ("a", "b", "a")),
        ([journal(1), {"kind": "other", "tool": "a"}, "x"], ()),
        ([asked(chat(S0, "a")), asked(chat(S0, "a"), chat(S1, "b"))], ("a", "b")),
        ([asked({"tool_calls": [{"id": S0, "custom": {"name": "a"}}]})], ("a",)),
        ([asked(use(S0, "a")), asked(use(S1, "b", "server_tool_use"))], ("a", "b")),
        ([asked(use(S0, "a", "mcp_tool_use"))], ("a",)),
        ([asked(use(S0, "a", "text"))], ()),
        ([asked({"type": "function_call_output", "call_id": S0, "name": "a"}, member="input")], ()),
        ([asked({"type": "function_call", "call_id": S0, "name": "a"}, member="input")], ("a",)),
        ([asked({"type": "custom_tool_call", "call_id": S0, "name": "a"}, member="input")], ("a",)),
        ([asked({"type": "function_call", "call_id": 1, "name": "a"}, {"type": "x"}, 7, member="input")], ()),
        ([asked({"tool_calls": [{"id": S0, "function": "a"}]}), {"kind": "model.request"}], ()),
        ([{"kind": "model.output", "sample": "x"}, said(choices=[{"message": 1}, 2])], ()),
    ],
)
def test_calls_are_read_in_every_dialect(events, tools):
    assert tools_called(events) == tools


def test_an_event_with_the_id_of_a_call_or_without_one_is_that_call():
    shown = [asked(chat(S0, "a"), chat(S1, "a"))]
    assert tools_called([journal("a", id=S0), *shown]) == ("a", "a")
    assert tools_called([journal("a"), journal("a"), *shown]) == ("a", "a")
    assert tools_called([journal("a"), journal("a"), journal("a"), *shown]) == ("a", "a", "a")
    assert tools_called([journal("a", id="own"), *shown]) == ("a", "a", "a")
    assert tools_called([journal("a", id=7), *shown]) == ("a", "a")


def test_examples_in_a_prompt_are_no_calls():
    assert tools_called([asked(chat("call_example", "a"))]) == ()


def test_a_short_id_counts_where_an_answer_asked_with_it():
    answer = said(choices=[{"message": chat("call_1", "a")}])
    assert tools_called([answer, asked(chat("call_1", "a"))]) == ("a",)


@pytest.mark.parametrize(
    "result",
    [
        {"type": "function_call_output", "call_id": S0},
        {"role": "tool", "tool_call_id": S0},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": S0}]},
    ],
)
def test_a_result_alone_tells_of_the_call_that_an_answer_asked_for(result):
    answers = [
        said(output=[{"type": "function_call", "call_id": "@0", "name": "old"}]),
        said(output=[{"type": "function_call", "call_id": "@0", "name": "a"}]),
    ]
    assert tools_called([*answers, asked(result, member="input")]) == ("a",)
    assert tools_called([asked(result, member="input")]) == ()


def test_a_call_that_no_later_request_shows_was_not_made():
    assert tools_called([said(content=[{"type": "tool_use", "id": "@0", "name": "a"}])]) == ()


def test_requests_are_left_alone_where_nobody_asks():
    events = [journal("a"), asked(chat(S0, "b"))]
    assert tools_called(events, requests=False) == ("a",)


def test_a_call_keeps_the_name_by_which_it_was_shown_first():
    assert tools_called([asked(chat(S0, "a")), asked(chat(S0, "b"))]) == ("a",)
    answer = said(output=[{"type": "function_call", "call_id": "@0", "name": "b"}])
    assert tools_called([answer, asked(chat(S0, "a"), {"role": "tool", "tool_call_id": S0})]) == ("a",)


def test_a_result_by_a_short_id_is_of_the_answer_that_asked_with_it():
    answers = [said(choices=[{"message": chat(name, name)}]) for name in ("one", "two")]
    assert tools_called([*answers, asked({"role": "tool", "tool_call_id": "one"})]) == ("one",)


def test_a_result_is_of_a_call_in_an_answers_content():
    answer = said(content=[{"type": "tool_use", "id": "@0", "name": "a"}])
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": S0}]}
    assert tools_called([answer, asked(result)]) == ("a",)


def test_events_that_belong_to_no_call_that_is_shown_count_once():
    assert tools_called([journal("a", id="own"), journal("b")]) == ("a", "b")
    assert tools_called([journal("a", id=S0), journal("a"), asked(chat(S0, "a"))]) == ("a", "a")
