"""Attempts are the same schedule exactly when their projections are the same bytes."""

import hashlib

import pytest

from passfloor.canonical import canonical
from passfloor.errors import JsonError, UsageError
from passfloor.projection import (
    AttemptView,
    Divergence,
    compare,
    coordination,
    project_run_receipt,
)


def view(*events, errored=False, extra=None, sample="A"):
    """An attempt with the given middle, opened and closed as the harness does it."""
    last = {"kind": "attempt.errored", "error": {}} if errored else {"kind": "task.completed"}
    closing = [
        {"kind": "model.output", "sample": sample},
        {"kind": "model.artifact", "sample": {}},
        last,
    ]
    events = [{"kind": "task.started", "seed": 7}, *events, *closing]
    return AttemptView([{"seq": i, **event} for i, event in enumerate(events)], extra or {})


CALL = {"kind": "tool.call", "tool": "search", "args": {"q": [1, 2]}}


def detail(*attempts):
    verdict = compare(attempts)
    assert not verdict.identical
    assert verdict.hash is None
    assert verdict.divergence is not None
    return verdict.divergence.detail


def shared_hash(attempt, extra=None):
    document = project_run_receipt({"events": attempt.events, **(extra or {})})
    return hashlib.sha256(canonical(document)).hexdigest()


def test_attempts_that_differ_in_samples_and_timing_alone_are_identical():
    one = view({**CALL, "ts": 1, "started_at": "2026-01-01T00:00:00Z"}, sample="A")
    other = view({**CALL, "elapsed_s": 2.5}, sample={"b": None})
    verdict = compare([one, other, view(CALL, sample=[])])
    assert verdict.identical
    assert verdict.divergence is None
    assert verdict.hash == shared_hash(view(CALL))


def test_a_single_attempt_agrees_with_itself():
    assert compare([view(CALL)]).hash == shared_hash(view(CALL))


def test_no_attempts_cannot_be_judged():
    with pytest.raises(UsageError, match="over no attempts"):
        compare([])


def test_the_hash_covers_further_members_in_canonical_order():
    extra = {"zone": 1, "adapter": {"b": 1.0, "a": 2}, "\U0001f600": 1, "\ufb33": 2}
    verdict = compare([view(CALL, extra=extra), view(CALL, extra=dict(reversed(extra.items())))])
    assert verdict.hash == shared_hash(view(CALL), extra)
    assert verdict.hash != shared_hash(view(CALL))


def test_bytes_at_hand_give_the_same_verdict_and_hash():
    attempts = [view({**CALL, "ts": 1}), view(CALL, sample="B"), view(errored=True)]
    encoded = [AttemptView(a.events, a.extra, [canonical(e) for e in a.events]) for a in attempts]
    assert compare(encoded) == compare(attempts)
    assert compare(encoded).identical


def test_bytes_that_do_not_match_the_number_of_events_are_refused():
    with pytest.raises(ValueError, match="zip"):
        compare([AttemptView(view(CALL).events, {}, [])])


def test_bytes_that_are_not_those_of_the_event_never_pass_as_identical():
    good = view(CALL)
    lie = [canonical(e) for e in good.events]
    lie[1] = b"{}"
    assert detail(good, AttemptView(good.events, {}, lie)) == "events[1] (differs)"


def test_two_model_events_with_different_routes_diverge_at_the_route():
    a = {"kind": "model.output", "sample": "A", "route": "r1"}
    b = {"kind": "model.output", "sample": "B", "route": "r2"}
    assert detail(view(CALL, CALL, a), view(CALL, CALL, b)) == "events[3].route ('r1' != 'r2')"
    assert compare([view(CALL, CALL, a), view(CALL, CALL, {**b, "route": "r1"})]).identical


def test_a_divergence_says_where_and_between_which_attempts():
    other = {**CALL, "args": {"q": [1, 3]}}
    verdict = compare([view(CALL), view(CALL), view(other), view(other)])
    path = "events[1].args.q[1]"
    assert verdict.divergence == Divergence(0, 2, path, f"{path} (2 != 3)")


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (
            {"kind": "modelx.output", "sample": "A"},
            {"kind": "modelx.output", "sample": "B"},
            ".sample ('A' != 'B')",
        ),
        (
            {"kind": "model.scheduler.route", "sample": "r1"},
            {"kind": "model.scheduler.route", "sample": "r2"},
            ".sample ('r1' != 'r2')",
        ),
        ({**CALL, "unknown": 1}, CALL, ".unknown (only in attempt 0)"),
        (CALL, {**CALL, "unknown": None}, ".unknown (only in attempt 1)"),
        ({**CALL, "x": 1}, {**CALL, "x": True}, ".x (1 != true)"),
        ({**CALL, "x": 1}, {**CALL, "x": "1"}, ".x (1 != '1')"),
        ({**CALL, "index": 0}, {**CALL, "index": 1}, ".index (0 != 1)"),
        ({**CALL, "prev_hash": "a"}, {**CALL, "prev_hash": "b"}, ".prev_hash ('a' != 'b')"),
        (
            {**CALL, "payload_hash": "a"},
            {**CALL, "payload_hash": "b"},
            ".payload_hash ('a' != 'b')",
        ),
        ({**CALL, "event_hash": "a"}, {**CALL, "event_hash": "b"}, ".event_hash ('a' != 'b')"),
        (
            CALL,
            {**CALL, "args": {"q": [1, 2], "ts": 1}},
            ".args.ts (only in attempt 1)",
        ),
    ],
)
def test_anything_but_the_declared_members_is_coordination(a, b, text):
    assert detail(view(a), view(b)) == f"events[1]{text}"


def test_one_and_one_point_zero_are_one_json_number():
    verdict = compare([view({**CALL, "x": 1}), view({**CALL, "x": 1.0})])
    assert verdict.identical


def test_the_order_of_members_does_not_matter():
    assert compare([view(CALL), view(dict(reversed(CALL.items())))]).identical


def test_the_order_of_events_does():
    other = {**CALL, "tool": "fetch"}
    assert detail(view(CALL, other), view(other, CALL)) == "events[1].tool ('search' != 'fetch')"


def test_an_event_more_is_named_with_the_attempt_that_has_it():
    whole = view(CALL)
    longer = AttemptView([*whole.events, {"seq": 5, "kind": "tool.call"}])
    assert detail(whole, whole, longer) == "events[5] (only in attempt 2)"
    assert detail(longer, whole) == "events[5] (only in attempt 0)"


def test_a_finished_attempt_that_is_a_prefix_of_another_diverges():
    whole = view(CALL)
    assert detail(AttemptView(whole.events[:3]), whole) == "events[3] (only in attempt 1)"
    assert detail(AttemptView([]), whole) == "events[0] (only in attempt 1)"


def test_a_file_written_in_some_attempts_only_is_another_sample():
    without, with_file = view(CALL), view(CALL)
    with_file.events[3]["sample"] = {"out.txt": {"sha256": "0" * 64, "size": 1, "text": "x"}}
    assert compare([without, with_file]).identical


@pytest.mark.parametrize("middle", [(), (CALL,), (CALL, CALL)])
def test_an_errored_attempt_owes_nothing_past_its_end(middle):
    finished = view(CALL, CALL)
    verdict = compare([view(*middle, errored=True), finished, view(errored=True)])
    assert verdict.identical
    assert verdict.hash == shared_hash(finished)


def test_an_errored_attempt_that_did_something_else_before_its_end_diverges():
    other = {**CALL, "tool": "fetch"}
    text = "events[1].tool ('search' != 'fetch')"
    assert detail(view(CALL, CALL), view(CALL, CALL), view(other, errored=True)) == text
    verdict = compare([view(other, errored=True), view(CALL), view(CALL)])
    assert verdict.divergence == Divergence(0, 1, "events[1].tool", "events[1].tool ('fetch' != 'search')")


def test_attempts_are_held_against_the_first_finished_one():
    errored, longer = view({**CALL, "tool": "fetch"}, errored=True), view(CALL, CALL)
    verdict = compare([errored, view(CALL), longer])
    assert verdict.divergence is not None
    assert (verdict.divergence.left, verdict.divergence.right) == (0, 1)


def test_an_errored_attempt_that_did_more_than_the_finished_ones_diverges():
    one = AttemptView([{"seq": 0, "kind": "task.started"}, {"seq": 1, "kind": "task.completed"}])
    more = [*one.events, {"seq": 2, "kind": "tool.call"}, {"seq": 3, "kind": "attempt.errored"}]
    assert detail(one, AttemptView(more)) == "events[2] (only in attempt 1)"


def test_model_events_are_forgiven_at_the_end_of_an_errored_attempt_only():
    routed = {"kind": "model.output", "sample": "A", "route": "r1"}
    finished = view({**routed, "route": "r2"}, CALL)
    assert detail(finished, view(routed, CALL, errored=True)) == "events[1].route ('r2' != 'r1')"
    assert compare([finished, view(routed, errored=True)]).identical


def test_a_finished_attempt_owes_its_closing_events():
    cut = AttemptView(view(CALL).events[:-1])
    assert detail(view(CALL), cut) == "events[4] (only in attempt 0)"


def test_an_error_in_the_middle_of_an_attempt_cuts_nothing():
    middle = {"kind": "attempt.errored"}
    assert detail(view(CALL), view(middle)).startswith("events[1].args (only in attempt 0)")


def test_where_none_finished_each_is_a_prefix_of_the_longest():
    longest = view(CALL, CALL, errored=True)
    verdict = compare([view(CALL, errored=True), longest, view(errored=True), longest])
    assert verdict.identical
    assert verdict.hash == shared_hash(AttemptView(longest.events[:3]))


def test_where_none_finished_a_different_act_diverges():
    other = {**CALL, "tool": "fetch"}
    longest = view(CALL, CALL, errored=True)
    text = "events[1].tool ('fetch' != 'search')"
    assert detail(view(other, errored=True), longest) == text


def test_an_attempt_that_only_errored_owes_nothing():
    assert compare([AttemptView([{"seq": 0, "kind": "attempt.errored"}]), view(CALL)]).identical


@pytest.mark.parametrize("errored", [False, True])
def test_further_members_are_compared_in_every_attempt(errored):
    one = view(CALL, extra={"route": "r1", "same": [1]})
    assert detail(one, view(CALL, extra={"same": [1], "route": "r2"}, errored=errored)) == (
        "route ('r1' != 'r2')"
    )
    assert detail(one, view(CALL, errored=errored)) == "route (only in attempt 0)"
    assert compare([one, view(CALL, extra={"same": [1.0], "route": "r1"}, errored=errored)]).identical


def test_events_are_named_before_further_members():
    assert detail(view(CALL, extra={"a": 1}), view(extra={"a": 2})).startswith("events[1]")


def test_text_from_the_attempts_is_printed_as_ascii():
    text = detail(view({**CALL, "\x1b[2J": "\u202e"}), view({**CALL, "\x1b[2J": "::error::\n"}))
    assert text == "events[1]['\\x1b[2J'] ('\\u202e' != '::error::\\n')"


def test_what_has_no_canonical_form_is_an_error_and_not_a_verdict():
    with pytest.raises(JsonError):
        compare([view({**CALL, "x": float("nan")})])


def test_the_identical_rule_is_found_by_its_name():
    attempts = [view(CALL), view(CALL)]
    assert coordination("identical", attempts) == compare(attempts)


@pytest.mark.parametrize("rule", ["unrecorded", "Identical", "\x1b"])
def test_a_rule_that_is_not_built_is_refused_by_name(rule):
    with pytest.raises(UsageError) as refusal:
        coordination(rule, [view(CALL)])
    assert str(refusal.value) == (
        f"coordination rule {rule!a} cannot be judged by this version; it knows identical, causal"
    )
