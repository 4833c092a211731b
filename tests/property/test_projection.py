"""Whatever the events are: only declared members may differ, and everything else may not."""

import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.canonical import canonical, sha256_hex
from passfloor.projection import (
    AttemptView,
    compare,
    event_problem,
    first_difference,
    project_run_receipt,
)
from passfloor.projection.vocabulary import SAMPLED_KINDS, TIMING

MODERATE = settings(max_examples=120, deadline=None)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(["model.output", "model.artifact", "modelx.output", "model.route", "tool.call"])
NAMES = st.sampled_from(["route", "index", "prev_hash", "sample", "\U0001f600", "\ufb33"]) | TEXT


@st.composite
def event_lists(draw):
    events = []
    for seq in range(draw(st.integers(1, 5))):
        members = draw(st.dictionaries(NAMES, VALUES, max_size=3))
        own = {"seq": seq, "kind": draw(KINDS)}
        events.append({"sample": None, **{k: v for k, v in members.items() if k not in TIMING}, **own})
    return [*events, {"seq": len(events), "kind": "task.completed"}]


EXTRAS = st.dictionaries(TEXT.filter(lambda name: name != "events"), VALUES, max_size=2)


def permuted(value):
    if isinstance(value, dict):
        return {name: permuted(inner) for name, inner in reversed(value.items())}
    return [permuted(inner) for inner in value] if isinstance(value, list) else value


def leaves(value, path=()):
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [leaf for name, child in inner for leaf in leaves(child, (*path, name))]
    return found or [path]


def changed(leaf):
    """A value that is no longer the same JSON value, as close to it as can be."""
    if isinstance(leaf, bool):
        return int(leaf)
    if isinstance(leaf, str):
        return leaf + "x"
    if isinstance(leaf, int | float):
        return str(leaf)
    return {None: False}.get(leaf) if leaf is None else [{}] if leaf == [] else [leaf]


@MODERATE
@given(event_lists(), EXTRAS, st.data())
def test_permuted_members_timing_and_samples_never_diverge(events, extra, data):
    other = permuted(copy.deepcopy(events))
    for event in other:
        if data.draw(st.booleans()):
            event["ts"] = data.draw(st.floats(allow_nan=False, allow_infinity=False))
            event["elapsed_s"] = data.draw(st.integers())
        if event["kind"] in SAMPLED_KINDS:
            event["sample"] = data.draw(VALUES)
    assert all(event_problem(event, seq) is None for seq, event in enumerate(other))
    verdict = compare([AttemptView(events, extra), AttemptView(other, permuted(extra))])
    assert verdict.identical
    whole = {**extra, "events": events}
    # Names that identify a receipt are for the caller to leave out, and chance never draws them.
    assert verdict.hash == sha256_hex(canonical(project_run_receipt(whole)))


@MODERATE
@given(event_lists(), st.data())
def test_changing_any_other_leaf_always_diverges(events, data):
    counted = [
        path
        for path in leaves(events)
        if not (path[1] == "sample" and events[path[0]]["kind"] in SAMPLED_KINDS)
    ]
    path = data.draw(st.sampled_from(counted))
    other = copy.deepcopy(events)
    parent = other
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = changed(parent[path[-1]])
    verdict = compare([AttemptView(events), AttemptView(other)])
    assert not verdict.identical
    assert verdict.divergence is not None
    assert verdict.divergence.path.startswith(f"events[{path[0]}]")
    assert verdict.divergence.detail.isascii()
    assert verdict.divergence.detail.isprintable()


@MODERATE
@given(event_lists(), st.data())
def test_an_attempt_cut_anywhere_is_a_prefix_of_the_finished_one(events, data):
    end = data.draw(st.integers(0, len(events) - 1))
    cut = [*events[:end], {"seq": end, "kind": "attempt.errored", "error": data.draw(VALUES)}]
    verdict = compare([AttemptView(cut), AttemptView(events)])
    assert verdict.identical
    assert verdict.hash == compare([AttemptView(events)]).hash


@MODERATE
@given(VALUES, VALUES)
def test_a_difference_is_found_exactly_where_canonical_forms_differ(a, b):
    found = first_difference(a, b, "x")
    assert (found is None) == (canonical(a) == canonical(b))
    assert first_difference(permuted(a), permuted(b), "x") == found
