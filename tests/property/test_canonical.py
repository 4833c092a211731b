"""What holds for every JSON value and for every sequence of bytes."""

import json
import math
import re
import struct

import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from passfloor.canonical import MAX_INT, canonical, depth, equal, parse, text
from passfloor.errors import JsonError

moderate = settings(max_examples=200, deadline=None)

CHARACTERS = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from(
        '"\\/\x00\x08\x0c\x1f\x7f\x80\u2028\u2029\ud7ff\ue000\ufb33\uffff\U00010000\U0001f600[]{},: '
    ),
)
STRINGS = st.text(CHARACTERS, max_size=12)
BITS = st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("<d", bits.to_bytes(8, "little"))[0])
FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    BITS.filter(math.isfinite),
    st.builds(
        lambda digits, power: float(f"{digits}e{power}"), st.integers(-(10**17), 10**17), st.integers(-30, 30)
    ),
)
INTEGERS = st.integers(-MAX_INT, MAX_INT)
SCALARS = st.one_of(st.none(), st.booleans(), INTEGERS, FLOATS, STRINGS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(STRINGS, inner, max_size=5),
    max_leaves=25,
)
HALVES = st.text(st.characters(categories=["Cs"]) | CHARACTERS, max_size=4)


def refusal(data: bytes, **limits: int) -> JsonError | None:
    try:
        parse(data, **limits)
    except JsonError as error:
        return error
    return None


def refused_integer(value: object) -> bool:
    """Say whether the canonical form holds digits that read as an integer past 2^53-1."""
    if isinstance(value, dict):
        return any(map(refused_integer, value.values()))
    if isinstance(value, list):
        return any(map(refused_integer, value))
    return isinstance(value, float) and MAX_INT < abs(value) < 1e21


@moderate
@given(VALUES)
def test_the_fast_way_writes_what_rfc8785_writes(value):
    assert canonical(value) == rfc8785.dumps(value)


@moderate
@given(FLOATS)
def test_every_float_is_written_as_rfc8785_writes_it(number):
    assert canonical([number]) == rfc8785.dumps([number])


@moderate
@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_plain_is_claimed_only_where_the_plain_dump_is_canonical(value, ascii_only, indent):
    parsed = parse(json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode())
    assert parsed.value == value
    assert canonical(parsed.value, plain=parsed.plain) == rfc8785.dumps(value)


@moderate
@given(VALUES)
def test_a_canonical_form_reads_back_to_itself(value):
    form = canonical(value)
    if refused_integer(value):
        form = text(value)
    assert canonical(parse(form).value) == canonical(value)
    assert equal(parse(form).value, value)


@moderate
@given(VALUES)
def test_text_is_canonical_where_that_reads_back_and_reads_back_always(value):
    written = text(value)
    assert canonical(parse(written).value) == canonical(value)
    assert (written == canonical(value)) is not refused_integer(value)


@moderate
@given(VALUES, st.booleans())
def test_nodes_and_depth_are_those_of_the_text_without_its_strings(value, ascii_only):
    data = json.dumps(value, ensure_ascii=ascii_only).encode()
    bare = re.sub(rb'"(?:[^"\\]|\\.)*"', b"", data, flags=re.DOTALL)
    assert parse(data).nodes == bare.count(b",") + bare.count(b"[") + bare.count(b"{") + 1
    levels = depth(value)
    assert parse(data, max_depth=levels).value == value
    if levels:
        assert refusal(data, max_depth=levels - 1).code == "depth"


@moderate
@given(
    st.recursive(
        HALVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HALVES, inner, max_size=3)
    )
)
def test_half_a_surrogate_pair_is_refused_on_both_ways(value):
    data = json.dumps(value)
    whole = not re.search("[\ud800-\udfff]", json.dumps(json.loads(data), ensure_ascii=False))
    for step in (lambda: parse(data.encode()).value, lambda: canonical(json.loads(data))):
        try:
            step()
        except JsonError:
            assert not whole
        else:
            assert whole


@moderate
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "\\u0061", "b", '\\"', "\\u0022", ":", "a:"]), VALUES), max_size=5
    )
)
def test_names_are_refused_exactly_when_two_are_equal(members):
    data = "{" + ",".join(f'"{name}": {json.dumps(value)}' for name, value in members) + "}"
    names = [json.loads(f'"{name}"') for name, _ in members]
    if len(set(names)) == len(names):
        assert set(parse(data.encode()).value) == set(names)
    else:
        assert "occurs twice" in str(refusal(data.encode()))


@moderate
@given(
    st.integers(-(10**19), 10**19) | st.integers(MAX_INT - 3, MAX_INT + 3), st.sampled_from(["", " ", "\n\t"])
)
def test_integers_are_refused_exactly_past_2_to_the_53(number, space):
    for frame in ("%s%d", "[%s%d]", '{"a":%s%d}', "[0,%s%d]"):
        data = (frame % (space, number)).encode()
        if abs(number) <= MAX_INT:
            assert refusal(data) is None
        else:
            assert "2^53-1" in str(refusal(data))


def assert_total(data: bytes) -> None:
    error = refusal(data)
    if error is not None:
        assert str(error).isascii()
        assert str(error).isprintable()
        return
    value = parse(data).value
    # What is accepted is what the standard library reads, and it can be written.
    assert value == json.loads(data)
    assert canonical(parse(text(value)).value) == canonical(value)


@moderate
@given(st.binary(max_size=60) | st.text('[]{},:"\\ued8c019.-+EN \n', max_size=30).map(str.encode))
@example(b"\xff\xfe{\x00}\x00")
def test_parse_raises_nothing_but_its_own_error_on_any_bytes(data):
    assert_total(data)


@moderate
@given(VALUES, st.data())
def test_parse_raises_nothing_but_its_own_error_on_damaged_json(value, data):
    whole = bytearray(json.dumps(value, ensure_ascii=data.draw(st.booleans())).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(whole)))
        span = data.draw(st.integers(0, 3))
        whole[at : at + span] = data.draw(
            st.binary(max_size=3) | st.sampled_from([b'"', b"\\", b"[", b"}", b"9" * 20])
        )
    assert_total(bytes(whole))
