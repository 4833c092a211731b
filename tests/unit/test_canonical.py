"""Strict reading, and the canonical form of RFC 8785."""

import json
import struct
from decimal import Decimal
from enum import IntEnum, StrEnum

import pytest

from passfloor.canonical import (
    MAX_DEPTH,
    MAX_INT,
    MAX_NODES,
    canonical,
    depth,
    digest,
    equal,
    forms,
    parse,
    sha256_hex,
    splice,
    text,
    writing,
)
from passfloor.canonical.refusal import quoted
from passfloor.errors import JsonError


def refusal(data: bytes, **limits: int) -> JsonError:
    with pytest.raises(JsonError) as caught:
        parse(data, **limits)
    message = str(caught.value)
    assert message.isascii()
    assert message.isprintable()
    assert len(message) < 400
    return caught.value


def nested(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def nested_in_objects(levels: int) -> dict[str, object]:
    value: dict[str, object] = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


class TestReading:
    @pytest.mark.parametrize(
        ("data", "value"),
        [
            (b"{}", {}),
            (b' \t\r\n{"a": [1, -2, true, false, null, "x"]} \n', {"a": [1, -2, True, False, None, "x"]}),
            (b"1", 1),
            (b'"\\ud83d\\ude00"', "\U0001f600"),
            (b'"\\\\ud800"', "\\ud800"),
            (b'"\\\\\\ud83d\\ude00"', "\\\U0001f600"),
            (b'{"\\\\":1,"b":["\\\\",{}]}', {"\\": 1, "b": ["\\", {}]}),
            ('"\U0001f600"'.encode(), "\U0001f600"),
            (b"9007199254740991", MAX_INT),
            (b"[-9007199254740991]", [-MAX_INT]),
            (b'"12345678901234567890"', "12345678901234567890"),
            (b'": 12345678901234567890"', ": 12345678901234567890"),
            (b'{"a":{"a":1},"b":{"a":1}}', {"a": {"a": 1}, "b": {"a": 1}}),
            (b'["\\"a\\":{[,",":"]', ['"a":{[,', ":"]),
        ],
    )
    def test_i_json_is_read(self, data, value):
        assert parse(data).value == value

    def test_an_integer_stays_an_integer_and_a_float_a_float(self):
        value = parse(b"[1,1.0,1e0,-0,-0.0]").value
        assert list(map(type, value)) == [int, float, float, int, float]

    @pytest.mark.parametrize(
        "data", [b"", b" ", b"{", b"[1,]", b'{"a"}', b"nul", b"'a'", b"01", b"+1", b"[1}"]
    )
    def test_what_is_not_json_is_refused_with_its_position(self, data):
        error = refusal(data)
        assert error.code == "parse"
        assert "(line 1 column " in str(error)

    def test_the_position_counts_lines(self):
        assert "(line 2 column 5)" in str(refusal(b'{"a":1,\n"b":?}'))

    @pytest.mark.parametrize("data", [b"{} {}", b"{}{}", b"1 2", b"{}\n{}", b"{}\0", b"{}//"])
    def test_nothing_may_follow_the_value(self, data):
        assert "Extra data" in str(refusal(data))

    @pytest.mark.parametrize("data", [b'"\n"', b'"\x00"', b'"\x1f"'])
    def test_a_raw_control_character_in_a_string_is_refused(self, data):
        assert refusal(data).code == "parse"

    @pytest.mark.parametrize("space", ["\x0b", "\x0c", "\xa0", "\u2028", "\u3000"])
    def test_only_json_whitespace_is_whitespace(self, space):
        assert refusal(f"{space}1".encode()).code == "parse"
        assert refusal(f"1{space}".encode()).code == "parse"

    def test_a_byte_order_mark_is_refused(self):
        assert "byte order mark" in str(refusal(b"\xef\xbb\xbf{}"))

    @pytest.mark.parametrize(
        "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
    )
    def test_other_unicode_encodings_are_refused(self, encoding):
        assert refusal('{"a":1}'.encode(encoding)).code == "parse"

    @pytest.mark.parametrize(
        "data", [b'"\xff"', b'"\xed\xa0\x80"', b'"\xc0\xaf"', b'"\xf4\x90\x80\x80"', b'"\xe2\x82"']
    )
    def test_bytes_that_are_not_utf_8_are_refused_with_their_offset(self, data):
        assert "at offset 1" in str(refusal(data))

    @pytest.mark.parametrize(
        ("data", "name"),
        [
            (b'{"a":1,"a":1}', "a"),
            (b'{"a":1,"\\u0061":2}', "a"),
            (b'{"x":[{"b":1,"c":2,"b":3}]}', "b"),
            (b'{"c":1,"b":2,"b":3}', "b"),
            (b'{"":1,"":1}', ""),
            (b'{"a" :1,"b":":","a"\n:1}', "a"),
            (b'{"\\"":1,"\\u0022":1}', '"'),
            (b'{"\\\\":1,"\\u005c":1}', "\\"),
        ],
    )
    def test_a_name_that_occurs_twice_is_refused_by_name(self, data, name):
        error = refusal(data)
        assert error.code == "parse"
        assert f"the name {name!a} occurs twice" in str(error)

    @pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1" * 400 + ".0"])
    def test_a_number_that_is_not_finite_has_a_code_of_its_own(self, word):
        for data in (word, f"[{word}]", f'{{"a":[1,{word}]}}'):
            assert refusal(data.encode()).code == "nonfinite"
        assert word[:20] in str(refusal(word.encode()))

    @pytest.mark.parametrize(
        "rest", [b",]", b',"\\ud800"]', b',{"a":1,"a":1}]', b"]]", b",9007199254740992]"]
    )
    def test_what_is_not_json_besides_is_not_called_nonfinite(self, rest):
        assert refusal(b"[NaN,1e400" + rest).code == "parse"

    def test_the_first_nonfinite_number_is_named(self):
        assert "'NaN'" in str(refusal(b"[NaN,Infinity,1e400]"))

    @pytest.mark.parametrize("word", ["nan", "inf", "-NaN", "+Infinity", "infinity"])
    def test_other_spellings_of_nonfinite_are_plainly_not_json(self, word):
        assert refusal(word.encode()).code == "parse"

    @pytest.mark.parametrize(
        ("data", "place"),
        [
            (b'"\\ud800"', "$ is '\\ud800'"),
            (b'{"a":[1,"x\\uDFFFy"]}', "$.a[1] is 'x\\udfffy'"),
            (b'{"\\uDbff":1}', "$ has the name '\\udbff'"),
            (b'["\\ude00\\ud83d"]', "$[0] is"),
            (b'["\\ud83d\\ud83d\\ude00"]', "$[0] is"),
            (b'["\\ud83d\\ude00\\ude00"]', "$[0] is"),
            (b'["\\ud83d\\\\ude00"]', "$[0] is"),
            (b'["\\ud83dx\\ude00"]', "$[0] is"),
        ],
    )
    def test_half_a_surrogate_pair_is_refused_with_its_place(self, data, place):
        error = refusal(data)
        assert error.code == "parse"
        assert place in str(error)

    @pytest.mark.parametrize(
        "digits",
        ["9007199254740992", "-9007199254740992", "9" * 17, "9" * 18, "9" * 10_000, "-" + "9" * 10_000],
    )
    def test_an_integer_past_2_to_the_53_is_refused_wherever_it_stands(self, digits):
        for frame in ("{}", "[{}]", "[ {}]", "[1,{}]", "[1,\n{}]", '{{"a":{}}}', '{{"a":\t{}}}', " {}"):
            error = refusal(frame.format(digits).encode())
            assert error.code == "parse"
            assert "2^53-1" in str(error)

    def test_depth_64_is_read_and_65_is_not(self):
        assert depth(parse(b"[" * 64 + b"]" * 64).value) == MAX_DEPTH == 64
        assert refusal(b"[" * 65 + b"]" * 65).code == "depth"
        assert refusal(b'{"a":[' * 32 + b"[1]" + b"]}" * 32).code == "depth"
        assert depth(parse(b'{"a":[' * 32 + b"1" + b"]}" * 32).value) == 64

    def test_many_shallow_containers_are_not_deep(self):
        assert parse(b"[" + b"[{}]," * 500 + b"[]]").nodes == 1503
        assert parse(b"[" + b'["a"],' * 500 + b"[]]").nodes == 1003
        assert parse(b"[" + b'["a,[\\""],' * 500 + b"[]]").nodes == 1003

    def test_what_is_never_closed_is_too_deep_only_where_its_openers_are_too_many(self):
        assert refusal(b"[" * 64).code == "parse"
        assert refusal(b"[" * 65).code == "depth"

    def test_brackets_in_strings_neither_deepen_nor_close(self):
        inside = b'["' + b"[{" * 100 + b'"]'
        assert parse(inside).nodes == 2
        closing = b'["]",' * 65 + b"1" + b',"["]' * 65
        assert refusal(closing).code == "depth"
        escaped = b'["\\"]","\\\\",' * 65 + b"1" + b',"[\\""]' * 65
        assert refusal(escaped).code == "depth"

    def test_a_smaller_depth_can_be_asked_for(self):
        assert parse(b"1", max_depth=0).value == 1
        assert refusal(b"[]", max_depth=0).code == "depth"
        assert refusal(b"[[1]]", max_depth=1).code == "depth"

    def test_a_larger_depth_never_ends_in_a_recursion_error(self):
        assert refusal(b"[" * 200_000, max_depth=10**6).code == "depth"
        assert refusal(b"[" * 600 + b'"\\ud800"' + b"]" * 600, max_depth=10**6).code in {"depth", "parse"}
        assert parse(b"[" * 100 + b"]" * 100, max_depth=100).nodes == 101

    def test_nodes_are_commas_and_openers_outside_strings_plus_one(self):
        assert parse(b"1").nodes == 1
        assert parse(b'{"a":[1,2,{"b":"x,[{"}],"c":"\\",\\"[\\\\"}').nodes == 7

    def test_the_limit_on_nodes_is_inclusive(self):
        assert parse(b"[1,2,3]", max_nodes=4).nodes == 4
        error = refusal(b"[1,2,3]", max_nodes=3)
        assert error.code == "nodes"
        assert "4 JSON values, the limit is 3" in str(error)

    def test_commas_in_strings_are_no_nodes(self):
        assert parse(b'"' + b"," * 100 + b'"', max_nodes=1).nodes == 1

    def test_48_megabytes_of_tiny_objects_are_refused_before_they_are_built(self):
        error = refusal(b"{}," * (16 * 2**20))
        assert error.code == "nodes"
        assert str(MAX_NODES) in str(error)

    def test_a_text_holds_four_million_values_at_most(self):
        error = refusal(b"[" + b"1," * 3_999_999 + b"1]")
        assert "4000001 JSON values, the limit is 4000000" in str(error)

    def test_200_000_opening_brackets_are_refused(self):
        assert refusal(b"[" * 200_000).code == "depth"
        assert refusal(b'{"":' * 200_000).code == "depth"
        assert refusal(b'[{"":' * 100_000 + b"}]" * 100_000).code == "depth"

    def test_unbalanced_brackets_are_not_json(self):
        for data in (b"]" * 1000, b"[[]", b"[]]", b"[]" * 200, b"][" * 60):
            assert refusal(data).code == "parse"

    @pytest.mark.parametrize(
        ("data", "plain"),
        [
            (b'{"a":[1,"\\n"]}', True),
            ('{"a":"\u00e9\U0001f600"}'.encode(), True),
            (b'{"a":"\\u00e9"}', True),
            (b"[1.0]", False),
            (b"[1e2]", False),
            ('{"\u00e9":1}'.encode(), False),
            (b'{"\\u00e9":1}', False),
            (b'[{"x":{"\\ud83d\\ude00":1}}]', False),
        ],
    )
    def test_plain_means_no_float_and_no_name_outside_ascii(self, data, plain):
        assert parse(data).plain is plain

    def test_numbers_with_a_fraction_or_an_exponent_are_counted(self):
        assert parse(b'[1.0,1e2,1,"1.0"]').floats == 2
        assert parse(b"1").floats == 0

    def test_untrusted_text_in_a_message_is_escaped_and_cut(self):
        wild = "\x1b[31m\u202e\n" + "\u00e9" * 100
        data = json.dumps([{wild: 1}])[1:-1]
        message = str(refusal((data[:-1] + "," + data[1:]).encode()))
        assert "\\x1b[31m\\u202e\\n" in message
        assert len(message) < 140

    @pytest.mark.parametrize(
        ("words", "shown"),
        [
            ("a" * 60, "'" + "a" * 60 + "'"),
            ("a" * 61, "'" + "a" * 59 + "..."),
            ("a" * 60 + "'", "'" + "a" * 59 + "..."),
            ("\u00e9" * 15, "'" + "\\xe9" * 15 + "'"),
            ("\u00e9" * 15 + "a", "'" + "\\xe9" * 14 + "\\xe..."),
        ],
    )
    def test_quoted_text_is_cut_to_one_width(self, words, shown):
        assert quoted(words) == shown

    def test_a_long_path_is_cut_in_its_middle(self):
        names = [letter * 39 for letter in "abcd"]
        for last, kept in (("e" * 38, True), ("e" * 39, False)):
            value: object = float("nan")
            for name in reversed([*names, last]):
                value = {name: value}
            path = "$." + ".".join([*names, last])
            with pytest.raises(JsonError) as caught:
                canonical(value)
            assert str(caught.value).startswith(
                f"{path} is nan" if kept else f"{path[:80]}...{path[-100:]} is nan"
            )


class TestCanonicalForm:
    # RFC 8785, appendix B: IEEE 754 bits and their ECMAScript text.
    APPENDIX_B = (
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("ffefffffffffffff", "-1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("c340000000000000", "-9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef4e", "999999999999999700000"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555554", "333333333.33333325"),
        ("41b3de4355555555", "333333333.3333333"),
        ("41b3de4355555556", "333333333.3333334"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    )

    @pytest.mark.parametrize(("bits", "written"), APPENDIX_B)
    def test_numbers_are_written_as_in_appendix_b(self, bits, written):
        (number,) = struct.unpack(">d", bytes.fromhex(bits))
        assert canonical(number) == written.encode()
        assert canonical({"a": [number]}) == b'{"a":[' + written.encode() + b"]}"

    @pytest.mark.parametrize("bits", ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])
    def test_the_nonfinite_numbers_of_appendix_b_are_refused(self, bits):
        (number,) = struct.unpack(">d", bytes.fromhex(bits))
        with pytest.raises(JsonError, match=r"^\$\.a\[1\] is -?(nan|inf);") as caught:
            canonical({"a": [0, number]})
        assert caught.value.code == "nonfinite"

    @pytest.mark.parametrize(
        ("value", "written"),
        [
            (1.0, b"1"),
            (-0.0, b"0"),
            (1e21, b"1e+21"),
            (1e-7, b"1e-7"),
            (1e-5, b"0.00001"),
            (1e-4, b"0.0001"),
            (1e15, b"1000000000000000"),
            (1e16, b"10000000000000000"),
            (1e20, b"100000000000000000000"),
            (float(MAX_INT), b"9007199254740991"),
            (MAX_INT, b"9007199254740991"),
            (-MAX_INT, b"-9007199254740991"),
            (True, b"true"),
            (None, b"null"),
            (
                '\u20ac$\x0f\nA\'B"\\\\"/\x7f\u2028',
                '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f\u2028"'.encode(),
            ),
            ({"b": 1, "a": [], "": {}}, b'{"":{},"a":[],"b":1}'),
        ],
    )
    def test_known_values_have_their_known_form(self, value, written):
        assert canonical(value) == written

    def test_names_are_sorted_by_utf_16_units(self):
        # RFC 8785, section 3.2.3: the emoji's first unit, U+D83D, comes before U+FB33.
        value = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\x80": 6, "\u00f6": 7}
        order = ["\r", "1", "\x80", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
        assert list(json.loads(canonical(value))) == order
        assert list(json.loads(text(value))) == order
        assert list(json.loads(canonical({"z": [value]}))["z"][0]) == order

    def test_what_is_not_written_the_fast_way_has_the_same_limits(self):
        value = {"\ue000": [MAX_INT, -MAX_INT, nested(62)]}
        assert (
            canonical(value)
            == text(value)
            == json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        )

    def test_names_up_to_u_d7ff_are_sorted_too(self):
        assert canonical({"\ud7ff": 1, "\u00e9": 2, "z": 3}) == '{"z":3,"\u00e9":2,"\ud7ff":1}'.encode()

    @pytest.mark.parametrize(
        ("value", "place"),
        [
            (2**53, "$ is an integer"),
            ({"a": [0, {"b c": -(2**53)}]}, "$.a[1]['b c'] is an integer"),
            pytest.param(10**5000, "$ is an integer", id="5,001 digits"),
            (["\ud800"], "$[0] is '\\ud800'"),
            ({"\udc00": 1}, "$ has the name '\\udc00'"),
            ({"\ue000": "\ud800"}, "is '\\ud800'"),
            ({"a": {1: 2}}, "$.a has a name of type int"),
            ({None: 2}, "$ has a name of type NoneType"),
            ((1, 2), "$ is of type tuple"),
            ({"a": {1, 2}}, "$.a is of type set"),
            ([b"x"], "$[0] is of type bytes"),
            ([Decimal(1)], "$[0] is of type Decimal"),
            (object(), "$ is of type object"),
            ([IntEnum("Level", {"LOW": 1})(1)], "$[0] is of type Level"),
            ([StrEnum("Word", {"A": "a"})("a")], "$[0] is of type Word"),
            ({StrEnum("Word", {"A": "a"})("a"): 1}, "$ has a name of type Word"),
        ],
    )
    @pytest.mark.parametrize("write", [canonical, text, digest])
    def test_a_value_without_a_form_is_refused_with_its_place(self, write, value, place):
        with pytest.raises(JsonError) as caught:
            write(value)
        assert place in str(caught.value)
        assert caught.value.code == "parse"
        assert str(caught.value).isascii()

    def test_depth_64_is_written_and_65_is_not(self):
        assert parse(canonical(nested(64))).nodes == 65
        assert text({"a": nested(63)}) == canonical({"a": nested(63)})
        assert parse(canonical(nested_in_objects(64))).nodes == 65
        for value in (nested(65), {"a": nested(64)}, nested_in_objects(65), {"\ue000": nested(64)}):
            with pytest.raises(JsonError, match="nested too deep") as caught:
                canonical(value)
            assert caught.value.code == "depth"

    @pytest.mark.parametrize("plain", [False, True])
    def test_a_value_that_contains_itself_is_refused(self, plain):
        loop: list[object] = []
        loop.append({"again": loop})
        with pytest.raises(JsonError, match="contains itself") as caught:
            canonical(loop, plain=plain)
        assert caught.value.code == "depth"
        assert len(str(caught.value)) < 400

    def test_the_plain_way_is_the_canonical_form_of_plain_values(self):
        for data in (b'{"b":[1,"x"],"a":{"":null}}', '"\u00e9\u2028"'.encode(), b"[]", b"true"):
            parsed = parse(data)
            assert parsed.plain
            assert canonical(parsed.value, plain=True) == canonical(parsed.value)

    def test_a_plain_value_may_be_as_deep_as_was_read(self):
        data = b"[" * 100 + b"]" * 100
        parsed = parse(data, max_depth=100)
        assert parsed.plain
        assert canonical(parsed.value, plain=True) == data
        members = {"a": parsed.value, "b": 1}
        assert splice(members, {"b": b"1"}, plain=True) == b'{"a":' + data + b',"b":1}'

    @pytest.mark.parametrize("value", [["\ud800"], [float("nan")], [{1}], {"a": 1, 2: 3}, {(1,): 2}])
    def test_a_broken_promise_of_plainness_ends_in_no_other_error(self, value):
        with pytest.raises(JsonError):
            canonical(value, plain=True)

    def test_an_error_carries_no_inner_error(self):
        with pytest.raises(JsonError) as caught:
            canonical(["\ud800"])
        assert caught.value.__context__ is None


class TestTextThatReadsBack:
    @pytest.mark.parametrize(
        ("value", "written"),
        [
            (1e16, b"1e+16"),
            (-(2.0**53), b"-9007199254740992.0"),
            ({"b": [2.0**60], "a": 1e-7}, b'{"a":1e-7,"b":[1.152921504606847e+18]}'),
            ({"\ufb33": 1e20, "\U0001f600": "\n"}, '{"\U0001f600":"\\n","\ufb33":1e+20}'.encode()),
        ],
    )
    def test_a_float_past_2_to_the_53_stays_a_float(self, value, written):
        assert text(value) == written
        assert canonical(parse(written).value) == canonical(value)

    @pytest.mark.parametrize(
        "value",
        [1.0, -0.0, 1e-7, 1e21, 1.5e300, 0.5, [1e-7, float(MAX_INT)], {"\ue000": 1e-7, "a": [None, True]}],
    )
    def test_all_else_is_written_canonically(self, value):
        assert text(value) == canonical(value)

    @pytest.mark.parametrize(
        "value", [{"b": [1, "x"], "a": 0.5}, 1e16, {"\ue000": 1e-7}, {"\ufb33": 2.0**60}]
    )
    def test_both_forms_at_once_are_the_two(self, value):
        assert forms(value) == (canonical(value), text(value))

    def test_what_has_no_form_has_not_both(self):
        with pytest.raises(JsonError) as caught:
            forms({"a": float("nan")})
        assert caught.value.code == "nonfinite"


class TestSplicing:
    @pytest.mark.parametrize("plain", [False, True])
    def test_a_finished_part_is_put_in_its_place_as_it_is(self, plain):
        members = {"c": "x", "d": 0, "a": 0, "b": [1]}
        ready = {"d": b"FOURTH", "a": b"FIRST"}
        assert splice(members, ready, plain=plain) == b'{"a":FIRST,"b":[1],"c":"x","d":FOURTH}'

    @pytest.mark.parametrize(
        "value",
        [
            *(None, True, "x", 3, MAX_INT, -MAX_INT, 1.0, 0.5, 1e-4, float(MAX_INT), -float(MAX_INT)),
            *([], {}, {"\u00e9": 1}, {"\ud7ff": 1}),
            pytest.param(nested(63), id="63 lists"),
            pytest.param(nested_in_objects(63), id="63 objects"),
        ],
    )
    def test_no_common_value_makes_a_finished_part_be_made_again(self, value):
        assert splice({"a": 0, "b": value}, {"a": b"DONE"}) == b'{"a":DONE,"b":' + canonical(value) + b"}"

    @pytest.mark.parametrize("members", [{"a": "\ud800"}, {"\ud800": 1}])
    @pytest.mark.parametrize("plain", [False, True])
    def test_half_a_surrogate_pair_is_not_taken_for_the_place_of_a_part(self, members, plain):
        with pytest.raises(JsonError, match="half a surrogate pair"):
            splice(members, {"b": b"1"}, plain=plain)


class TestDigestAndEquality:
    def test_digests_are_of_the_canonical_form(self):
        # SHA-256 of the 10 bytes {"demo":1}.
        known = "7bc67da0a840d5b934fc9ae4c1fce166e998677f1dcbd5bf1c6f1cd960b2924c"
        assert digest({"demo": 1}) == digest({"demo": 1.0}) == sha256_hex(b'{"demo":1}') == known

    @pytest.mark.parametrize(
        ("a", "b"), [(1, 1.0), (0, -0.0), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), (1e16, 1e16)]
    )
    def test_the_same_json_is_equal(self, a, b):
        assert equal(a, b)

    @pytest.mark.parametrize(
        ("a", "b"),
        [(1, True), (0, False), (1, "1"), (None, 0), ("\u00e9", "e\u0301"), ([1, 2], [2, 1]), ({}, [])],
    )
    def test_different_json_is_not_equal(self, a, b):
        assert not equal(a, b)


class TestDepth:
    @pytest.mark.parametrize(
        ("value", "levels"),
        [
            (1, 0),
            ("[[", 0),
            (None, 0),
            ([], 1),
            ({}, 1),
            ([1, {"a": [2]}, []], 3),
            ({"a": {"b": {}}, "c": 1}, 3),
        ],
    )
    def test_depth_counts_containers_inside_one_another(self, value, levels):
        assert depth(value) == levels

    def test_depth_needs_no_stack(self):
        assert depth(nested(100_000)) == 100_000

    def test_a_part_that_is_shared_is_followed_once_a_level(self):
        value: list[object] = []
        for _ in range(200):
            value = [value, value]
        assert depth(value) == 201

    def test_a_cycle_is_refused(self):
        loop: dict[str, object] = {"a": [1]}
        loop["b"] = [loop]
        with pytest.raises(JsonError, match="contains itself") as caught:
            depth(loop)
        assert caught.value.code == "depth"


@pytest.mark.parametrize("between", [b"\\\\", b"\\\\\\\\", b"\\n", b"x"])
def test_two_halves_with_an_escape_between_them_are_no_pair(between):
    error = refusal(b'"\\ud835' + between + b'\\udc00"')
    assert error.code == "parse"
    assert "surrogate" in str(error)


class TestTheReadyMadeEncoder:
    """The standard library's own maker of encoders is no public name; nothing may depend on it."""

    @staticmethod
    def _other_arguments(*_):
        raise TypeError("other arguments in this Python")

    @pytest.mark.parametrize("make", [None, _other_arguments, json.encoder.c_make_encoder])
    def test_every_way_writes_the_same(self, make):
        value = {"b": [1, None, True, "\x7f\u2028\n"], "a": {}}
        assert writing._without_set_up(make)(value) == '{"a":{},"b":[1,null,true,"\x7f\u2028\\n"]}'

    @pytest.mark.parametrize("make", [None, _other_arguments, json.encoder.c_make_encoder])
    def test_every_way_writes_a_value_of_many_parts_whole(self, make):
        written = "[" + "0," * 249_999 + "0]"
        assert writing._without_set_up(make)([0] * 250_000) == written

    @pytest.mark.parametrize("make", [None, _other_arguments, json.encoder.c_make_encoder])
    @pytest.mark.parametrize("value", [[float("nan")], {(1,): 2}, [{1}]])
    def test_every_way_refuses_the_same(self, make, value):
        with pytest.raises((ValueError, TypeError)):
            writing._without_set_up(make)(value)
