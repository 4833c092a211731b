"""Whatever the events are: moving large values out and putting them back changes nothing."""

import hashlib

import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.blobs import expand, externalise, references

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
BIG = st.integers(1000, 1100).map("x".__mul__)
REFERENCE = st.fixed_dictionaries({"blob": TEXT})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT | BIG | REFERENCE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
NAMED = st.dictionaries(
    st.sampled_from(["messages", "input", "tools", "system", "other"]), st.lists(VALUES, max_size=3) | VALUES
)
FILES = st.dictionaries(TEXT, st.dictionaries(st.sampled_from(["text", "base64", "size"]), VALUES) | VALUES)
EVENTS = st.lists(
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["model.request", "model.artifact", "agent.artifact", "tool.call"])},
        optional={"request": NAMED | VALUES, "sample": FILES | VALUES, "value": FILES | VALUES},
    ),
    max_size=3,
)


@settings(max_examples=200, deadline=None)
@given(EVENTS)
def test_there_and_back_is_the_same(events):
    moved, blobs = externalise(events)
    assert rfc8785.dumps(expand(moved, blobs)) == rfc8785.dumps(events)


@settings(max_examples=100, deadline=None)
@given(EVENTS)
def test_every_blob_is_named_by_its_digest_and_referred_to(events):
    moved, blobs = externalise(events)
    assert all(hashlib.sha256(rfc8785.dumps(value)).hexdigest() == name for name, value in blobs.items())
    assert {name for event in moved for _, name in references(event)} == set(blobs)
