"""What is declared to change by itself: read strictly, replaced exactly there."""

import pytest

from passfloor.errors import UsageError
from passfloor.projection import (
    count_marks,
    parse_identity_field,
    parse_identity_fields,
    undeclared_marks,
)

REQUEST = {
    "kind": "model.request",
    "request": {"n": 1, "user": "u1", "messages": [{"content": "on 2026-01-31"}]},
}


def replaced(text, event=None):
    return parse_identity_field(text).replaced(REQUEST if event is None else event)


def test_a_place_without_a_pattern_is_replaced_whatever_stands_there():
    assert replaced("request.user")["request"]["user"] == "${identity}"
    assert REQUEST["request"]["user"] == "u1"
    assert replaced("request.messages")["request"]["messages"] == "${identity}"


def test_only_what_a_pattern_matches_is_replaced_in_every_string_below_the_place():
    changed = replaced(r"request.messages[*].content=\d{4}-\d\d-\d\d")
    assert changed["request"]["messages"] == [{"content": "on ${identity}"}]
    parts = {"request": {"messages": [{"content": [{"text": "2026-01-31 2026-02-01"}, 7, None]}]}}
    changed = replaced(r"request.messages=\d{4}-\d\d-\d\d", parts)
    assert changed["request"]["messages"][0]["content"] == [{"text": "${identity} ${identity}"}, 7, None]


def test_a_pattern_looks_into_values_and_not_into_names():
    named = {"request": {"metadata": {"day 1": "day 2"}}}
    assert replaced("request.metadata=day .", named) == {"request": {"metadata": {"day 1": "${identity}"}}}


def test_an_empty_match_replaces_nothing():
    assert replaced("request.user=x*") == REQUEST
    assert replaced("request.user=[0-9]*")["request"]["user"] == "u${identity}"


def test_items_are_named_by_position_or_all_at_once():
    event = {"value": {"odd name": ["a", "b", "c"]}}
    assert replaced("value['odd name'][1]", event)["value"]["odd name"] == ["a", "${identity}", "c"]
    assert replaced("value['odd name'][*]", event) == {"value": {"odd name": ["${identity}"] * 3}}


@pytest.mark.parametrize(
    "text", ["request.trace", "request.user.u1", "request.n.id", "request.user[0]", "value.stdout", "x[*]"]
)
def test_a_place_that_is_not_there_changes_nothing(text):
    assert replaced(text) == REQUEST


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x" * 1001,
        ".user",
        "=x",
        "request..user",
        "request.user extra",
        "request[x]",
        "request[01]",
        "[0].user",
        "[*]",
        "seq",
        "kind=x",
        "call",
        "lane",
        "sample.said",
        "task_hash",
        "seed",
        "dialect",
        "method",
        "error.detail",
        "request",
        "request_text",
        "request_base64",
        "value",
        "request.user=",
        "request.user=(",
        "request.user=(?=x)",
        "request.user=\ud800",
    ],
)
def test_a_declaration_that_cannot_be_read_or_takes_too_much_is_refused_in_one_line(text, capfd):
    with pytest.raises(UsageError) as refusal:
        parse_identity_field(text)
    assert capfd.readouterr().err == ""
    assert "identity field" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_declaration_has_a_letter_and_no_more_than_a_thousand():
    assert parse_identity_field("x" * 1000).steps == ("x" * 1000,)
    assert parse_identity_field("x").steps == ("x",)
    for text in ("", "x" * 1001):
        with pytest.raises(UsageError, match=f"of {len(text)} characters; give 1 to 1000"):
            parse_identity_field(text)


def test_a_pattern_makes_a_whole_body_a_place():
    assert replaced("request=u1")["request"]["user"] == "${identity}"


def test_a_declaration_keeps_the_text_it_was_given():
    assert parse_identity_field("request.user=a=b").text == "request.user=a=b"


def test_declarations_are_bounded_and_each_stands_once():
    fields = parse_identity_fields(["request.user", "request.metadata.id"])
    assert [field.text for field in fields] == ["request.user", "request.metadata.id"]
    with pytest.raises(UsageError, match="twice"):
        parse_identity_fields(["request.user", "request.user"])
    assert len(parse_identity_fields([f"request.x{number}" for number in range(100)])) == 100
    with pytest.raises(UsageError, match="at most 100"):
        parse_identity_fields([f"request.x{number}" for number in range(101)])


def test_marks_are_counted_and_those_at_no_declared_place_are_found():
    fields = parse_identity_fields(["request.user"])
    event = {"request": {"user": "${identity} ${identity}", "more": ["${identity}"]}}
    assert count_marks(event) == 3
    assert undeclared_marks(event, fields) == 1
    assert undeclared_marks(event, parse_identity_fields(["request.user", "request.more[*]"])) == 0
