"""Ids that answers made up read as symbols, of the answer that is meant."""

from passfloor.projection.minted import SYMBOL, Minted, conversation_of, history_of

ONE, TWO = "1" * 64, "2" * 64


def minted(*ids, answer=ONE, lane="", history=()):
    found = Minted()
    found.add(ids, answer, lane, history)
    return found


def test_a_string_that_is_an_id_reads_as_the_answer_and_its_number():
    found = minted("call_one", "call_two")
    value = {"call_one": ["call_two", 1, None, "call_twos"]}
    assert found.replaced(value, "") == {
        "@1111111111111111/0": ["@1111111111111111/1", 1, None, "call_twos"],
    }


def test_a_long_id_is_found_inside_a_string_and_a_short_one_is_not():
    found = minted("chatcmpl-0123", "call_abc")
    assert found.replaced("<chatcmpl-0123> of call_abc", "") == "<@1111111111111111/0> of call_abc"
    assert minted("call_abc").replaced("the result of call_abc", "") == "the result of call_abc"


def test_the_longest_id_is_taken_where_one_begins_like_another():
    found = minted("call_0123456", "call_01234567")
    assert found.replaced("is call_01234567.", "") == "is @1111111111111111/1."


def test_without_ids_a_value_is_left_alone():
    value = {"a": ["chatcmpl-0123"]}
    assert Minted().replaced(value, "") is value


def test_of_an_id_that_comes_again_the_latest_of_the_lane_is_meant():
    found = minted("call_again", lane="a")
    found.add(["call_again"], TWO, "b")
    assert found.replaced("call_again", "a") == "@1111111111111111/0"
    assert found.replaced("call_again", "b") == "@2222222222222222/0"
    assert found.replaced("call_again", "c") == "@2222222222222222/0"


def test_in_a_conversation_an_id_that_comes_again_is_that_of_the_answer_before_the_item():
    first, second = {"content": "go"}, {"tool_calls": [{"id": "call_again"}]}
    third = {"tool_call_id": "call_again"}
    messages = [first, second, third, second]
    found = Minted()
    found.add(["call_again"], ONE, "", history_of({"messages": [first]}))
    found.add(["call_again"], TWO, "", history_of({"messages": [first, second, third]}))
    request = {"messages": messages, "previous": "call_again"}
    replaced = found.replaced_in_request({"request": request, "path": "/x"}, "", history_of(request))
    assert replaced.keys() == {"request", "path"}
    changed = replaced["request"]
    assert changed["messages"][1] == {"tool_calls": [{"id": "@1111111111111111/0"}]}
    assert changed["messages"][2] == {"tool_call_id": "@1111111111111111/0"}
    assert changed["messages"][3] == {"tool_calls": [{"id": "@2222222222222222/0"}]}
    assert changed["previous"] == "@2222222222222222/0"


def test_an_id_that_two_conversations_made_up_is_that_of_the_one_that_goes_on():
    one, other = ({"messages": [{"content": text}]} for text in ("one", "other"))
    found = Minted()
    found.add(["call_again"], ONE, "", history_of(one))
    found.add(["call_again"], TWO, "", history_of(other))
    for begun, symbol in ((one, "@1111111111111111/0"), (other, "@2222222222222222/0")):
        request = {"messages": [*begun["messages"], "call_again"]}
        changed = found.replaced_in_request({"request": request}, "", history_of(request))
        assert changed["request"]["messages"][-1] == symbol


def test_a_symbol_is_read_as_it_is_written():
    found = SYMBOL.fullmatch(minted("call_one", "call_two").replaced("call_two", ""))
    assert found is not None
    assert found.groups() == ("1" * 16, "1")


def test_a_request_without_a_conversation_is_replaced_as_a_whole():
    event = {"request_text": "call_one"}
    assert minted("call_one").replaced_in_request(event, "", ()) == {"request_text": "@1111111111111111/0"}


def test_a_conversation_stands_in_messages_or_input_and_each_item_covers_those_before():
    assert conversation_of({"messages": [], "input": []}) == "messages"
    assert conversation_of({"input": ["x"]}) == "input"
    assert conversation_of({"input": "x"}) is None
    assert conversation_of("x") is None
    long, short = history_of({"input": ["a", "b"]}), history_of({"input": ["a"]})
    assert long[:1] == short
    assert long[1] != history_of({"input": ["c", "b"]})[1]
    assert history_of(None) == ()


def test_ids_are_found_in_several_texts_short_and_long():
    found = minted("chatcmpl-0123")
    texts = ["a chatcmpl-0123", "b chatcmpl-0123", "c" * 5000 + " chatcmpl-0123", "nothing of the kind"]
    changed = found.replaced(texts, "")
    assert [text.endswith("@1111111111111111/0") for text in changed] == [True, True, True, False]
    assert minted("chatcmpl-0123").replaced("c" * 5000, "") == "c" * 5000
    assert minted("call_abc").replaced("call_abc " * 5, "") == "call_abc " * 5
