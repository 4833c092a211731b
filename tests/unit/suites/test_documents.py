import pytest

from passfloor.errors import SuiteError
from passfloor.suites.documents import MAX_BYTES, parse_document


def yaml(text: str | bytes) -> object:
    data = text.encode() if isinstance(text, str) else text
    return parse_document(data, kind="yaml", source="s.yaml")


def json(data: bytes) -> object:
    return parse_document(data, kind="json", source="s.json")


def refusal(text: str | bytes) -> str:
    with pytest.raises(SuiteError) as caught:
        yaml(text)
    message = str(caught.value)
    assert "\n" not in message
    assert message.isascii()
    assert len(message) < 500
    assert message.startswith("s.yaml: ")
    return message


def test_yaml_is_read_by_the_core_schema_of_version_1_2() -> None:
    text = "{a: yes, b: 010, c: 0o17, d: 0x1F, e: 1e3, f: ~, g: True, h: 1:30, i: '1', j: .5, k: -3, l: off}"
    assert yaml(text) == {
        "a": "yes",
        "b": 10,
        "c": 15,
        "d": 31,
        "e": 1000.0,
        "f": None,
        "g": True,
        "h": "1:30",
        "i": "1",
        "j": 0.5,
        "k": -3,
        "l": "off",
    }


@pytest.mark.parametrize("text", ["", "\n \n", "# only\n# comments\n", "---\n", "---\n# x\n"])
def test_a_document_without_a_value_is_none(text: str) -> None:
    assert yaml(text) is None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a: 2024-01-31", "quote it"),
        ("a: 2024-01-31T10:00:00Z", "quote it"),
        ("a: !!set {x, y}", "remove it"),
        ("a: !!omap [x: 1]", "remove it"),
        ("a: !!binary aGk=", "binary"),
        ("a: !thing x", "!thing"),
        ("a: !!python/object:os.system x", "has no place in JSON"),
        ("1: a", 'the key "1" is not a text; quote it'),
        ("true: a", "quote it"),
        ("? [x]\n: a", "is not a text"),
        ("a: .inf", "has no place in JSON"),
        ("a: -.Inf", "has no place in JSON"),
        ("a: .nan", "has no place in JSON"),
        ("a: 1e400", "has no place in JSON"),
        ("a: 1_000", "quote it"),
        ("a: 0b11", "quote it"),
        ("a: 9007199254740992", "2^53-1"),
        ("a: -9007199254740992", "2^53-1"),
        ("a: 0xffffffffffffffff", "2^53-1"),
        ("a: " + "9" * 5000, "2^53-1"),
        ("a: 1\na: 2", 'line 2: the key "a" stands twice'),
        ("b: {x: 1}\na: {<<: {x: 1}}", "defaults"),
        ("a: 1\n---\na: 2", "more than one document"),
        ("%YAML 1.1\n---\na: yes", "quote it"),
        ('a: "\\ud83d"', "surrogate"),
        ("a: *nowhere", "nowhere"),
        ("a: [", "line 1"),
        ("a: \x01", "unacceptable character"),
        (b"a: \xff", "not UTF-8"),
        ("a: 1".encode("utf-16"), "not UTF-8"),
        ('a: "\\U00110000"', "not YAML"),
    ],
)
def test_what_json_cannot_say_is_refused_with_the_way_out(text: str | bytes, part: str) -> None:
    assert part in refusal(text)


def test_integers_up_to_the_limit_are_read() -> None:
    assert yaml("[9007199254740991, -9007199254740991, 00000000000000000000000007]") == [
        2**53 - 1,
        1 - 2**53,
        7,
    ]


def test_an_escaped_surrogate_pair_is_one_character_as_in_json() -> None:
    assert yaml('"\\ud83d\\ude00"') == "\U0001f600" == json(b'"\\ud83d\\ude00"')


def test_aliases_are_values() -> None:
    assert yaml("a: &x [1, 2]\nb: *x\nc: &x 3\nd: *x") == {"a": [1, 2], "b": [1, 2], "c": 3, "d": 3}


def test_an_alias_bomb_of_nodes_is_refused_without_being_written_out() -> None:
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]" for i in range(1, 30)]
    assert "fewer aliases" in refusal("\n".join(lines))


def test_an_alias_bomb_of_long_texts_is_refused() -> None:
    text = f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 1000)}]"
    assert "characters" in refusal(text)


def test_an_alias_bomb_of_long_keys_is_refused() -> None:
    text = f"a: &a\n  ? {'k' * 100_000}\n  : 1\nb: [{', '.join(['*a'] * 1000)}]"
    assert "characters" in refusal(text)


def test_an_alias_to_what_it_stands_in_is_refused() -> None:
    assert "stands in" in refusal("a: &a [1, *a]")


@pytest.mark.parametrize(
    "text",
    ["[" * 70 + "]" * 70, "[" * 5000, "a: &a " + "[" * 60 + "]" * 60 + "\nb: " + "[" * 10 + "*a" + "]" * 10],
)
def test_deep_nesting_is_refused(text: str) -> None:
    assert "nested deeper than 64" in refusal(text)


def test_nesting_at_the_limit_is_read_by_both_formats() -> None:
    text = "[" * 64 + "]" * 64
    assert yaml(text) == json(text.encode())


def test_a_byte_order_mark_is_allowed_in_yaml_and_refused_in_json() -> None:
    assert yaml(b"\xef\xbb\xbfa: 1") == {"a": 1}
    with pytest.raises(SuiteError, match="byte order mark"):
        json(b'\xef\xbb\xbf{"a": 1}')


@pytest.mark.parametrize("data", [b'{"a": 1, "a": 2}', b"{'a': 1}", b'{"a": NaN}', b'{"a": 1} x', b"\xff"])
def test_json_is_read_strictly(data: bytes) -> None:
    with pytest.raises(SuiteError, match=r"^s\.json: ") as caught:
        json(data)
    assert "\n" not in str(caught.value)


def test_a_file_past_the_size_limit_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(SuiteError, match="larger than 16,777,216 bytes"):
        json(b" " * (MAX_BYTES + 1))


def test_windows_line_ends_do_not_matter_in_yaml() -> None:
    text = "a: |\n  x\n  y\nb: [1,\n  2]\n"
    assert yaml(text) == yaml(text.replace("\n", "\r\n"))
