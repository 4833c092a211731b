"""Whatever the secret, its encoding and its place: it never survives, and scrubbing again changes nothing."""

import base64
import json
import urllib.parse
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from passfloor.scrubbing import MARK, Scrubber, scrub_events
from passfloor.scrubbing.values import is_plain

# Neither letters of the mark nor of base64's neighbours are kept out: they are what goes wrong.
SECRETS = st.text(
    st.characters(exclude_categories=["Cs"], max_codepoint=0x2FFF), min_size=8, max_size=40
).filter(
    lambda secret: (
        secret == secret.strip()
        and not is_plain(secret)
        and len(secret.strip("=")) >= 8
        and secret not in MARK
        and MARK not in secret
        and len("".join(secret.split())) >= 8
    )
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0x2FFF), max_size=12)
ENCODINGS = [
    lambda s: s,
    lambda s: urllib.parse.quote(s, safe=""),
    urllib.parse.quote,
    urllib.parse.quote_plus,
    lambda s: "".join(f"%{byte:02x}" for byte in s.encode()),
    lambda s: json.dumps(s)[1:-1],
    lambda s: json.dumps(s, ensure_ascii=False)[1:-1],
    lambda s: json.dumps(json.dumps({"k": s}))[1:-1],
    lambda s: s.encode().hex(),
    lambda s: s.encode().hex().upper(),
]
ENCODED = st.sampled_from(ENCODINGS)
PATTERNS = st.lists(st.sampled_from(["a+", r"\w", "(?s).*", r"[\[\]]", "ed]?", "[0-9]{3}"]), max_size=2)


def of(secret: str, *patterns: str) -> Scrubber:
    return Scrubber.from_environment({"API_KEY": secret}, patterns)


@settings(max_examples=200, deadline=None)
@given(SECRETS, ENCODED, TEXT, TEXT)
def test_a_secret_survives_in_no_encoding(secret: str, encode: Any, before: str, after: str) -> None:
    encoded = encode(secret)
    # What stands next to a secret may make another escape of its first character, and hide it from anyone.
    text, count = of(secret).scrub_text(f"{before} {encoded} {after}")
    assert count >= 1
    assert encoded not in text
    assert secret not in text


@settings(max_examples=150, deadline=None)
@given(SECRETS, st.binary(max_size=5), st.binary(max_size=5), st.booleans(), st.integers(0, 80))
def test_a_secret_survives_in_no_base64(
    secret: str, before: bytes, after: bytes, safe: bool, row: int
) -> None:
    data = before + secret.encode() + after
    encoded = (base64.urlsafe_b64encode if safe else base64.b64encode)(data).decode()
    wrapped = "\n".join(encoded[at : at + row] for at in range(0, len(encoded), row)) if row > 3 else encoded
    text, count = of(secret).scrub_text(f"<{wrapped}>")
    assert count >= 1
    start, end = text.index(MARK), text.rindex(MARK) + len(MARK)
    shown = "".join((text[:start] + text[end:]).split())
    # What is left stands for the neighbours, and shares at most a character of 6 bits with the secret's ends.
    assert len(shown) <= len("<>") + -(-8 * len(before) // 6) + -(-8 * len(after) // 6) + 4


@settings(max_examples=150, deadline=None)
@given(SECRETS, PATTERNS, TEXT, TEXT, ENCODED, st.booleans(), st.booleans())
def test_scrubbing_again_changes_nothing(
    secret: str, patterns: list[str], before: str, after: str, encode: Any, cut: bool, start: bool
) -> None:
    scrubber = of(secret, *patterns)
    once, _ = scrubber.scrub_text(
        before + encode(secret) + MARK + after + secret[:9], cut=cut, cut_start=start
    )
    assert scrubber.scrub_text(once, cut=cut, cut_start=start) == (once, 0)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["\n", "x y", "é", ", ", MARK]), max_size=6))
def test_every_occurrence_is_counted(between: list[str]) -> None:
    text = "sk-canary-1234".join(["<", *between, ">"])
    assert of("sk-canary-1234").scrub_text(text) == (MARK.join(["<", *between, ">"]), len(between) + 1)


@settings(max_examples=100, deadline=None)
@given(SECRETS, st.binary(max_size=20), st.binary(max_size=20))
def test_bytes_keep_everything_but_the_secret(secret: str, before: bytes, after: bytes) -> None:
    scrubber = of(secret)
    assume(scrubber.scrub_bytes(before)[1] == scrubber.scrub_bytes(after)[1] == 0)
    kept, count = scrubber.scrub_bytes(before + b"<" + secret.encode() + b">" + after)
    assert count >= 1
    assert kept.startswith(before)
    assert kept.endswith(after)
    assert secret.encode() not in kept


@settings(max_examples=100, deadline=None)
@given(SECRETS, TEXT, st.integers(0, 40))
def test_a_cut_text_keeps_no_piece_of_a_secret(secret: str, before: str, length: int) -> None:
    piece = secret[:length]
    assume(
        len(piece.rstrip()) >= 8 and "\\" not in piece and "%" not in piece and not set("\r\n") & set(piece)
    )
    text, count = of(secret).scrub_text(f"{before} {piece}", cut=True)
    assert count >= 1
    assert not text.endswith(piece)


JSON = st.recursive(
    st.sampled_from(["<canary>", "plain", 7, None, True, 1.5]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["<canary>", "a", "b"]), inner)
    ),
    max_leaves=8,
)
CANARY = "sk-canary-1234"


def planted(value: Any, encode: Any) -> Any:
    if isinstance(value, dict):
        return {planted(name, encode): planted(item, encode) for name, item in value.items()}
    if isinstance(value, list):
        return [planted(item, encode) for item in value]
    return f"<{encode(CANARY)}>" if value == "<canary>" else value


@settings(max_examples=150, deadline=None)
@given(
    JSON, ENCODED, st.sampled_from(["tool.call", "note", "model.output", "model.artifact", "agent.artifact"])
)
def test_a_canary_in_any_place_of_an_event_never_survives(value: Any, encode: Any, kind: str) -> None:
    member = "sample" if kind.startswith("model.") else "value"
    event = {
        "seq": 0,
        "kind": kind,
        member: planted(value, encode),
        **planted({"<canary>": "<canary>"}, encode),
    }
    [kept] = scrub_events([event], of(CANARY))
    assert (kept["seq"], kept["kind"]) == (0, kind)
    text = json.dumps(kept)
    assert encode(CANARY) not in text
    assert json.dumps(encode(CANARY))[1:-1] not in text
    assert scrub_events([kept], of(CANARY)) == [kept]
