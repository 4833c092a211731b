"""Whatever an attempt did before it heard something new, every attempt did."""

import pytest

from passfloor.canonical import digest
from passfloor.errors import UsageError
from passfloor.projection import AttemptView, acts_of, compare_causally, coordination, unmatched

START, END = {"kind": "task.started", "seed": 0}, {"kind": "task.completed"}
CUT = {"kind": "attempt.errored", "error": {"type": "timeout", "detail": ""}}


def view(*events, end=END, name="", extra=None, blobs=None):
    made = [{**event, "seq": seq} for seq, event in enumerate((START, *events, end))]
    return AttemptView(made, extra or {}, attempt_id=name, blobs=blobs or {})


def ask(call, lane="", **request):
    return {"kind": "model.request", "call": call, "lane": lane, "path": "/x", "request": request}


def hear(call, said="yes"):
    return {"kind": "model.output", "call": call, "sample": {"status": 200, "said": said, "complete": True}}


def parting(*views):
    return compare_causally(views).divergence


def test_attempts_may_part_after_they_heard_something_different():
    a = view(ask(0, q=1), hear(0, "left"), {"kind": "note", "x": "l"})
    b = view(ask(0, q=1), hear(0, "right"), {"kind": "note", "x": "r"}, {"kind": "note"})
    outcome = compare_causally([a, b])
    assert outcome.identical
    assert outcome.divergence is None
    assert outcome.acts == 2


def test_a_draw_before_is_named_by_its_path_and_both_attempts():
    a, b = (view(ask(0, m=[{"content": text}]), hear(0, text)) for text in ("a", "b"))
    found = parting(a, b)
    assert (found.left, found.right) == (0, 1)
    assert found.path == "events[1].request.m[0].content"
    assert found.detail == "events[1].request.m[0].content ('a' != 'b')"
    outcome = compare_causally([a, b])
    assert (outcome.identical, outcome.hash, outcome.acts) == (False, None, None)


def test_the_counterpart_is_the_one_that_shares_the_longest_beginning():
    a = view(ask(0, q="one", r=1), hear(0))
    b = view(ask(0, q="else"), ask(1, q="one", r=2), ask(2, q="one", r=3))
    assert parting(a, b).detail == "events[1].request.r (1 != 2)"


def test_number_against_boolean_is_a_difference():
    assert parting(view(ask(0, q=1)), view(ask(0, q=True))).detail == "events[1].request.q (1 != true)"


def test_the_first_event_has_a_path_as_any_other():
    a, b = (AttemptView([{**START, "seed": seed, "seq": 0}]) for seed in (1, 2))
    assert parting(a, b).detail == "events[0].seed (1 != 2)"


def test_only_acts_of_one_kind_and_path_stand_for_each_other():
    note, other = view({"kind": "note", "x": 1}), view({"kind": "other", "x": 2})
    assert parting(note, other).detail == "events[1] (only in attempt 0)"
    one, two = (view({**ask(0), "path": path}) for path in "xy")
    assert parting(one, two).detail == "events[1] (only in attempt 0)"


def test_of_two_counterparts_that_are_as_close_the_first_is_taken():
    a = view(ask(0, q=1))
    b = view(ask(0, q=2), ask(1, q=3))
    assert parting(a, b).detail == "events[1].request.q (1 != 2)"


def test_of_several_attempts_that_lack_an_act_the_first_is_named():
    found = parting(view(ask(0)), view(), view())
    assert (found.left, found.right) == (0, 1)


def test_what_both_did_as_often_stands_for_nothing_else():
    told = acts_of(view(ask(0, q=1), hear(0), ask(1, q=1)).events, "")
    assert list(unmatched(told, told)) == []
    assert list(unmatched(told[:2], [])) == [told[0], told[1]]
    assert list(unmatched(told, told[:2])) == told[3:]


def test_an_act_without_a_counterpart_is_named_as_such():
    assert parting(view(), view(ask(0))).detail == "events[1] (only in attempt 1)"
    a, b = view(ask(0, "a")), view(ask(0, "b"))
    assert parting(a, b).detail == "events[1] (only in attempt 0)"


def test_an_act_done_less_often_or_at_another_place_is_named():
    one, two = view(ask(0)), view(ask(0), ask(1))
    assert parting(one, two).detail == "events[2] (only in attempt 1)"
    a = view({"kind": "note", "x": 1}, {"kind": "note", "x": 2})
    b = view({"kind": "note", "x": 2}, {"kind": "note", "x": 1})
    assert parting(a, b).detail == "events[1] (only in attempt 0, at this place)"
    c = view({"kind": "note"}, {"kind": "other"}, {"kind": "note"})
    d = view({"kind": "other"}, {"kind": "note"}, {"kind": "note"})
    assert parting(c, d).detail == "events[1] (only in attempt 0, at this place)"


def test_the_position_is_that_of_the_attempt_that_did_it():
    a = view(ask(0), hear(0), ask(1, q=1), hear(1, "new"))
    b = view(ask(0), hear(0), ask(1, q=2))
    found = compare_causally([view(ask(0), hear(0, "other")), b, a]).divergence
    assert (found.left, found.right) == (1, 2)
    assert found.path == "events[3].request.q"


def test_large_values_are_looked_into():
    blobs = {name: {"content": text} for name, text in (("1" * 64, "a"), ("2" * 64, "b"))}
    a, b = (view(ask(0, messages=[{"blob": name}]), blobs=blobs) for name in blobs)
    assert parting(a, b).path == "events[1].request.messages[0].content"


def test_nothing_is_owed_to_an_errored_attempt_and_it_owes_what_it_did():
    whole = view(ask(0), hear(0), ask(1, q=1), {"kind": "agent.output", "value": "done"})
    cut = view(ask(0), {"kind": "agent.output", "value": ""}, end=CUT)
    assert compare_causally([whole, cut]).identical
    wrong = view(ask(0, q="x"), end=CUT)
    assert parting(whole, wrong).detail == "events[1].request.q ('x' != 1)"
    assert compare_causally([cut, wrong]).identical


def test_a_race_for_the_same_question_leaves_nothing_to_compare():
    a = view(ask(0), ask(1), hear(0, "x"), hear(1, "y"), {"kind": "note", "x": "first"}, name="a" * 64)
    b = view(ask(0), ask(1), hear(0, "y"), hear(1, "x"), {"kind": "note", "x": "second"}, name="b" * 64)
    assert compare_causally([a, b]).identical
    shared = [AttemptView(each.events) for each in (a, b)]
    assert not compare_causally(shared).identical


def test_a_try_that_the_other_attempt_never_made_is_something_new_to_hear():
    """Told apart by its number alone: both ask and hear the same, one of them after it was told to wait."""
    waited = view(
        ask(0, "a"), hear(0, "wait"), ask(1, "a"), hear(1, "go"), {"kind": "note", "lane": "a", "tries": 2}
    )
    straight = view(ask(0, "a"), hear(0, "go"), {"kind": "note", "lane": "a", "tries": 1})
    assert compare_causally([waited, straight]).identical


def test_further_members_of_run_receipts_are_compared():
    a, b = (view(extra={"route": name, "run_id": name}) for name in "ab")
    assert parting(a, b).detail == "route ('a' != 'b')"
    assert parting(a, view()).detail == "the run receipt's further members (only in attempt 0)"


def test_the_hash_is_free_of_order_and_of_answers():
    one = view({"kind": "note", "lane": "a"}, {"kind": "note", "lane": "b"}, ask(0), hear(0, "x"))
    two = view({"kind": "note", "lane": "b"}, ask(0), hear(0, "y"), {"kind": "note", "lane": "a"})
    first, second = (compare_causally([each]).hash for each in (one, two))
    assert first == second
    attempt = digest([[digest(form), 1] for form in sorted(_forms(), key=digest)])
    assert compare_causally([view()]).hash == digest({"rule": "causal", "attempts": [attempt]})


def _forms():
    return [["task.started", "", 0, START], ["task.completed", "", 1, END]]


def test_many_attempts_that_are_alike_are_held_against_each_other_at_once():
    many = [view(ask(0), hear(0), {"kind": "note"}) for _ in range(64)]
    assert compare_causally(many).acts == 128
    many[50] = view(ask(0), hear(0), {"kind": "note", "x": 1})
    found = parting(*many)
    assert (found.left, found.right) == (0, 50)


def test_only_acts_of_the_agent_are_counted():
    noted = [view({"kind": "note"}, extra={"route": 1}) for _ in range(2)]
    assert compare_causally(noted).acts == 2


def test_one_attempt_alone_compares_nothing():
    assert compare_causally([view(ask(0))]).acts == 0


def test_the_rule_is_found_by_its_name_and_needs_attempts():
    assert coordination("causal", [view(), view()]) == compare_causally([view(), view()])
    with pytest.raises(UsageError, match="no attempts"):
        compare_causally([])
