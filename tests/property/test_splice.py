"""Putting finished parts into an object gives what writing it whole gives."""

import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.canonical import parse, splice, text
from passfloor.errors import JsonError

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
NAMES = TEXT | st.sampled_from(
    ["events", "receipt", "a", "z", "\uffff", "\U00010000", "\ud7ff", "\ue000", '"']
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | st.sampled_from(["\\ud800", '"\\ud800"', "\ufffd", "\ue000"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=6)


def cut(members, chosen):
    """The members, and those of them that were chosen in finished form."""
    names = sorted(members)
    return {name: rfc8785.dumps(members[name]) for i, name in enumerate(names) if chosen & (1 << i)}


@settings(max_examples=200, deadline=None)
@given(OBJECTS, st.integers(0, 63))
def test_spliced_is_canonical(members, chosen):
    assert splice(members, cut(members, chosen)) == rfc8785.dumps(members)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text('abz_"\\\n', max_size=3), VALUES, max_size=6), st.integers(0, 63))
def test_so_it_is_of_what_was_read_as_plain(members, chosen):
    read = parse(text(members))
    if read.plain:
        assert splice(read.value, cut(read.value, chosen), plain=True) == rfc8785.dumps(members)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["\ud800", '"\ud800"', "\ud801", "x\ud800", ["\ud800"], {"\ud800": 1}, {"b": "\ud800"}])
)
def test_half_a_surrogate_pair_is_refused_and_not_mistaken_for_a_place(value):
    for plain in (False, True):
        try:
            written = splice({"a": value, "b": 1}, {"b": b"1"}, plain=plain)
        except JsonError:
            continue
        raise AssertionError(written)
