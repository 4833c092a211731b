"""Events are checked before they are projected, and lose only what is declared."""

from types import MappingProxyType

import pytest

from passfloor.canonical import canonical
from passfloor.projection import (
    event_problem,
    further_members,
    project_event,
    project_run_receipt,
    projection_bytes,
)


def event(**members):
    return {"seq": 3, "kind": "tool.call", **members}


@pytest.mark.parametrize(
    "good",
    [
        event(),
        event(ts=0, elapsed_s=1.5),
        event(ts=-1, elapsed_s=10**400),
        event(started_at="2026-02-28T23:59:60.123456789+05:30", finished_at="2024-02-29t00:00:00z"),
        event(started_at="0000-02-29T00:00:00Z"),
        event(kind="model.output", sample=None),
        event(kind="model.artifact", sample={}, route="r1"),
        event(kind="model.scheduler.route"),
        event(kind="modelx.output"),
        event(anything={"at": ["all"]}),
        MappingProxyType(event()),
    ],
)
def test_a_well_formed_event_has_no_problem(good):
    assert event_problem(good, 3) is None


@pytest.mark.parametrize(
    ("bad", "where", "reason"),
    [
        ([], "", "is an array of 0 items (an event is an object)"),
        (None, "", "is null (an event is an object)"),
        ("e", "", "is 'e' (an event is an object)"),
        ({"kind": "a"}, ".seq", "is missing (must be the integer 3, its position)"),
        (event(seq=3.0), ".seq", "is 3.0 (must be the integer 3, its position)"),
        (event(seq="3"), ".seq", "is '3' (must be the integer 3, its position)"),
        (event(seq=None), ".seq", "is null (must be the integer 3, its position)"),
        (event(seq=4), ".seq", "is 4 (must be the integer 3, its position)"),
        ({"seq": 3}, ".kind", "is missing (must be a string that is not empty)"),
        (event(kind=""), ".kind", "is '' (must be a string that is not empty)"),
        (event(kind=7), ".kind", "is 7 (must be a string that is not empty)"),
        (event(kind=["a"]), ".kind", "is an array of 1 items (must be a string that is not empty)"),
        (event(ts="r1"), ".ts", "is 'r1' (must be a finite number)"),
        (event(ts=True), ".ts", "is true (must be a finite number)"),
        (event(ts=None), ".ts", "is null (must be a finite number)"),
        (event(elapsed_s=float("inf")), ".elapsed_s", "is inf (must be a finite number)"),
        (event(elapsed_s=float("nan")), ".elapsed_s", "is nan (must be a finite number)"),
        (event(elapsed_s={"route": 1}), ".elapsed_s", "is an object of 1 members (must be a finite number)"),
        (event(started_at=1), ".started_at", "is 1 (must be an RFC 3339 time)"),
        (event(finished_at="r1"), ".finished_at", "is 'r1' (must be an RFC 3339 time)"),
        (
            event(ts=1, started_at="2026-01-01T00:00:00Z", finished_at=""),
            ".finished_at",
            "is '' (must be an RFC 3339 time)",
        ),
        (
            event(kind="model.output"),
            ".sample",
            "is missing (every model.output has one, null where there is nothing)",
        ),
        (
            event(kind="model.artifact"),
            ".sample",
            "is missing (every model.artifact has one, null where there is nothing)",
        ),
    ],
)
def test_a_malformed_event_is_named_with_place_and_reason(bad, where, reason):
    assert event_problem(bad, 3) == (where, reason)


def test_true_is_not_the_position_one():
    assert event_problem(event(seq=True), 1) == (
        ".seq",
        "is true (must be the integer 1, its position)",
    )
    assert event_problem(event(seq=1), 1) is None


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00Z\n",
        "2026-01-01T00:00:00Z r1",
        "２026-01-01T00:00:00Z",
        "2026-01-01",
    ],
)
def test_what_is_not_a_time_cannot_hide_in_a_time(text):
    problem = event_problem(event(started_at=text), 3)
    assert problem is not None
    assert problem[0] == ".started_at"


def test_timing_and_the_sample_of_a_model_event_are_dropped():
    whole = event(
        kind="model.output", sample="A", route="r1", ts=1, elapsed_s=2, started_at="x", finished_at="y"
    )
    assert project_event(whole) == {"seq": 3, "kind": "model.output", "route": "r1"}
    assert project_event({**whole, "kind": "model.artifact"}).keys() == {"seq", "kind", "route"}


def test_timing_is_dropped_of_every_kind():
    assert project_event(event(ts=1, elapsed_s=2, started_at="x", finished_at="y")) == event()


@pytest.mark.parametrize(
    "kind",
    ["modelx.output", "model.scheduler.route", "model.outputs", "Model.output", "model.request", "tool.call"],
)
def test_the_sample_of_any_other_kind_is_kept(kind):
    assert project_event(event(kind=kind, sample="A")) == event(kind=kind, sample="A")


@pytest.mark.parametrize(
    "name", ["index", "prev_hash", "payload_hash", "event_hash", "call", "time", "timestamp"]
)
def test_a_member_that_merely_looks_free_is_kept(name):
    assert project_event(event(**{name: 1}))[name] == 1


def test_timing_below_the_top_is_kept():
    assert project_event(event(args={"ts": 1}))["args"] == {"ts": 1}


def test_projecting_leaves_the_event_alone():
    whole = event(kind="model.output", sample="A", ts=1)
    project_event(whole)
    assert whole == event(kind="model.output", sample="A", ts=1)


def test_bytes_at_hand_are_reused_where_nothing_is_dropped():
    form = canonical(event(a=1))
    assert projection_bytes(event(a=1), form) is form
    assert projection_bytes(event(a=1), None) == form


@pytest.mark.parametrize("whole", [event(ts=1), event(kind="model.output", sample="A")])
def test_bytes_at_hand_are_not_reused_where_something_is_dropped(whole):
    projected = canonical(project_event(whole))
    assert projection_bytes(whole, canonical(whole)) == projected
    assert projection_bytes(whole, None) == projected


def test_a_run_receipt_projects_to_its_events_and_further_members():
    receipt = {
        "run_id": "r/0/0",
        "attempt_id": "a",
        "adapter_run_id": "x",
        "journal_head": "j",
        "spine_head": "s",
        "scheduler": {"ts": 1},
        "events": [event(ts=1), event(kind="model.output", sample="A")],
    }
    assert further_members(receipt) == {"scheduler": {"ts": 1}}
    assert project_run_receipt(receipt) == {
        "events": [event(), event(kind="model.output")],
        "scheduler": {"ts": 1},
    }
