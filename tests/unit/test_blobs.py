"""Large values leave the events at the declared positions, and nowhere else."""

import hashlib

import pytest
import rfc8785

from passfloor.blobs import THRESHOLD, expand, externalise, may_hold, references

BIG = "x" * 2000


def name_of(value) -> str:
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()


def request(**members) -> dict:
    return {"seq": 0, "kind": "model.request", "request": members}


def artifact(text, *, kind: str = "model.artifact", member: str = "sample") -> dict:
    return {"seq": 0, "kind": kind, member: {"a.txt": {"sha256": "s", "size": 1, "text": text}}}


AT_POSITION = [
    (request(messages=["small", BIG]), ("request", "messages", 1)),
    (request(input=[BIG]), ("request", "input", 0)),
    (request(tools=[BIG]), ("request", "tools")),
    (request(system=BIG), ("request", "system")),
    (artifact(BIG), ("sample", "a.txt", "text")),
    (artifact(BIG, kind="agent.artifact", member="value"), ("value", "a.txt", "text")),
]
ELSEWHERE = [
    request(prompt=BIG),
    request(messages=BIG),
    request(messages={"0": BIG}),
    request(input=BIG),
    request(metadata={"messages": [BIG]}),
    {"seq": 0, "kind": "model.request", "request": [BIG]},
    {"seq": 0, "kind": "model.request", "request_text": BIG, "messages": [BIG], "system": BIG},
    {"seq": 0, "kind": "model.requests", "request": {"system": BIG}},
    {"seq": 0, "kind": "tool.call", "request": {"system": BIG}, "sample": {"a": {"text": BIG}}},
    {"seq": 0, "kind": "model.output", "sample": {"stdout": BIG, "a": {"text": BIG}}},
    {"seq": 0, "kind": "agent.output", "value": {"a": {"text": BIG}}},
    {"seq": 0, "kind": "model.artifact", "sample": None, "value": {"a": {"text": BIG}}},
    {"seq": 0, "kind": "agent.artifact", "value": None, "sample": {"a": {"text": BIG}}},
    {"seq": 0, "kind": "model.artifact", "sample": {"a": {"base64": BIG}, "b": BIG, "c": [BIG]}},
    {"seq": 0, "kind": "model.artifact", "sample": {"a": {"b": {"text": BIG}}}, "text": BIG},
]


def at(value, way):
    for step in way:
        value = value[step]
    return value


@pytest.mark.parametrize(("event", "way"), AT_POSITION)
def test_a_large_value_at_a_declared_position_becomes_a_blob(event, way):
    value = at(event, way)
    moved, blobs = externalise([event])
    assert at(moved[0], way) == {"blob": name_of(value)}
    assert blobs == {name_of(value): value}
    assert list(references(moved[0])) == [(way, name_of(value))]
    assert may_hold(event)
    assert expand(moved, blobs) == [event]


@pytest.mark.parametrize("event", ELSEWHERE)
def test_a_large_value_anywhere_else_stays(event):
    assert externalise([event]) == ([event], {})


@pytest.mark.parametrize("event", ELSEWHERE)
def test_what_looks_like_a_reference_anywhere_else_is_plain_data(event):
    def referring(value):
        if value == BIG:
            return {"blob": name_of(BIG)}
        if isinstance(value, dict):
            return {name: referring(member) for name, member in value.items()}
        return [referring(item) for item in value] if isinstance(value, list) else value

    looks = referring(event)
    assert list(references(looks)) == []
    assert expand([looks], {name_of(BIG): BIG}) == [looks]


def test_the_threshold_is_1024_canonical_bytes_exactly():
    assert THRESHOLD == 1024
    fits, too_big = "x" * 1022, "x" * 1023  # two quotes more
    assert externalise([artifact(fits)]) == ([artifact(fits)], {})
    assert set(externalise([artifact(too_big)])[1]) == {name_of(too_big)}


def test_bytes_are_counted_and_not_characters():
    fits, too_big = "é" * 511, "é" * 511 + "x"
    assert externalise([artifact(fits)])[1] == {}
    assert externalise([artifact(too_big)])[1] == {name_of(too_big): too_big}
    assert externalise([artifact("\n" * 512)])[1] != {}  # escaped: two bytes each


def test_a_value_that_stands_many_times_is_kept_once():
    events = [request(messages=[BIG, BIG]), artifact(BIG)]
    moved, blobs = externalise(events)
    assert blobs == {name_of(BIG): BIG}
    assert expand(moved, blobs) == events


@pytest.mark.parametrize("way", ["messages", "tools", "text"])
def test_a_small_value_that_looks_like_a_reference_is_moved_so_that_it_comes_back(way):
    looks = {"blob": "no digest at all"}
    event = {
        "messages": request(messages=[looks]),
        "tools": request(tools=looks),
        "text": artifact(looks),
    }[way]
    moved, blobs = externalise([event])
    assert blobs == {name_of(looks): looks}
    assert expand(moved, blobs) == [event]


@pytest.mark.parametrize("value", [{"blob": 1}, {"blob": "a", "more": 1}, {}, ["blob"], {"Blob": "a"}])
def test_only_an_object_of_one_member_blob_that_is_a_string_is_a_reference(value):
    event = request(messages=[value])
    assert list(references(event)) == []
    assert externalise([event]) == ([event], {})


def test_a_reference_to_an_absent_blob_stays():
    event = request(messages=[{"blob": "f" * 64}])
    assert expand([event], {}) == [event]
    assert list(references(event)) == [(("request", "messages", 0), "f" * 64)]


def test_what_was_given_is_not_changed():
    event = request(messages=["small", BIG], system=BIG)
    before = rfc8785.dumps(event)
    moved, blobs = externalise([event])
    expand(moved, blobs)
    assert rfc8785.dumps(event) == before
    assert moved[0]["request"]["messages"] is not event["request"]["messages"]
    assert at(expand(moved, blobs)[0], ("request", "messages", 1)) == BIG
    assert "blob" in moved[0]["request"]["system"]


def test_a_blob_may_hold_a_reference_which_is_data_there():
    inner = [{"blob": name_of(BIG)}, BIG]
    moved, blobs = externalise([request(tools=inner)])
    assert expand(moved, blobs) == [request(tools=inner)]
