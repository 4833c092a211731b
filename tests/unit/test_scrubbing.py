"""Secrets are known by name and shape, and taken out of texts, bytes and JSON in whatever form they come."""

import base64
import copy
import json
import pickle
import textwrap
import urllib.parse

import pytest

from passfloor.errors import UsageError
from passfloor.scrubbing import MARK, Scrubber
from passfloor.scrubbing.forms import stable_base64
from passfloor.scrubbing.values import says_secret

CANARY = "sk-canary-1234"
ISSUED = "sk-ant-" + "aB3-_x" * 6
AWKWARD = 'p@ss/w0rd+"x\\y" é%41'
PEM_BODY = [base64.b64encode(bytes(range(at, at + 48))).decode() for at in range(0, 144, 48)]
PEM = "\n".join(["-----BEGIN PRIVATE KEY-----", *PEM_BODY, "-----END PRIVATE KEY-----"])


def of(*patterns: str, **passed: str) -> Scrubber:
    return Scrubber.from_environment(passed, patterns)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "OPENAI_API_KEY",
            "GITHUB_TOKEN",
            "dbPassword",
            "PGPASSWORD",
            "AWS_SECRET",
            "SENTRY_DSN",
            "SESSION_ID",
        ),
        *("HTTP_COOKIE", "PRIVATE_PEM", "BASIC_AUTH", "APP_CREDENTIALS", "MYSQL_PASSWD", "apiKey2"),
    ],
)
def test_a_name_that_says_secret_makes_its_value_one(name: str) -> None:
    assert of(**{name: "Tr0ub4dor&3"}).scrub_text("it is Tr0ub4dor&3.") == (f"it is {MARK}.", 1)


@pytest.mark.parametrize(
    "name", ["PATH", "LANG", "AUTHOR", "KEYBOARD", "TOKENIZERS", "PWD", "PASSENGERS", "SESSIONS_PER_DAY"]
)
def test_a_name_that_says_nothing_makes_no_secret(name: str) -> None:
    assert not says_secret(name)
    assert of(**{name: "Tr0ub4dor&3"}).scrub_text("it is Tr0ub4dor&3.") == ("it is Tr0ub4dor&3.", 0)


@pytest.mark.parametrize(
    "value",
    [
        "sk-short-1",
        "sk-ant-api03-abc",
        "ghp_16C7e42F292c69",
        "gho_16C7e42F292c69",
        "github_pat_11ABC",
        "AKIAIOSFODNN7EXAMPLE",
        "xoxb-1234-abcd",
        "AIzaSyA-123",
        "glpat-abc-def",
        "hf_abcdefgh",
        "eyJhbGciOiJIUzI1NiJ9.e30.x",
        PEM,
        "postgres://app:s3cr3t-word@db.example/x",
    ],
)
def test_a_value_that_looks_like_a_key_is_secret_whatever_it_is_called(value: str) -> None:
    text, count = of(SETTING=value).scrub_text(f"<{value}>")
    assert value not in text
    assert count >= 1


@pytest.mark.parametrize("value", ["true", "1", "none", "", "hunter2", "disabled", "password", "********"])
def test_a_trivial_or_short_value_is_never_looked_for(value: str) -> None:
    text = f"x true 1 none hunter2 disabled password ******** {value}"
    assert of(API_KEY=value).scrub_text(text) == (text, 0)


def test_variables_whose_values_are_too_short_are_named() -> None:
    assert of(DB_PASSWORD="hunter2", A_TOKEN="true", B_KEY=CANARY).unprotected == ("DB_PASSWORD",)


def test_its_repr_shows_no_secret_and_a_copy_works_like_it() -> None:
    scrubber = of("acct-[0-9]+", API_KEY=CANARY)
    assert repr(scrubber) == "<Scrubber of 1 secrets and 1 patterns>"
    for twin in (copy.deepcopy(scrubber), pickle.loads(pickle.dumps(scrubber))):
        assert twin.scrub_text(f"{CANARY} acct-7") == (f"{MARK} {MARK}", 2)


ENCODINGS = {
    "plain": lambda s: s,
    "quote": lambda s: urllib.parse.quote(s, safe=""),
    "quote_path": urllib.parse.quote,
    "quote_plus": urllib.parse.quote_plus,
    "quote_lower": lambda s: urllib.parse.quote(s, safe="").swapcase().swapcase().replace("%2F", "%2f"),
    "quote_all": lambda s: "".join(f"%{byte:02x}" for byte in s.encode()),
    "quote_twice": lambda s: urllib.parse.quote(urllib.parse.quote(s, safe=""), safe=""),
    "json": lambda s: json.dumps(s)[1:-1],
    "json_utf8": lambda s: json.dumps(s, ensure_ascii=False)[1:-1],
    "json_in_json": lambda s: json.dumps(json.dumps(s)),
    "json_slashes": lambda s: json.dumps(s).replace("/", "\\/"),
    "json_all": lambda s: "".join(f"\\u{ord(character):04X}" for character in s),
    "hex": lambda s: s.encode().hex(),
    "hex_upper": lambda s: s.encode().hex().upper(),
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64_1": lambda s: base64.b64encode(b"x" + s.encode() + b"yz").decode(),
    "base64_2": lambda s: base64.b64encode(b"user:" + s.encode() + b"\n").decode(),
    "base64_urlsafe": lambda s: base64.urlsafe_b64encode(b"~~" + s.encode()).decode().rstrip("="),
    "base64_wrapped": lambda s: "\n".join(textwrap.wrap(base64.b64encode(s.encode()).decode(), 9)),
    "base64_quoted": lambda s: urllib.parse.quote(base64.b64encode(s.encode()).decode(), safe=""),
    "folded": lambda s: s[:9] + "\r\n    " + s[9:],
}


@pytest.mark.parametrize("secret", [CANARY, AWKWARD, "a much longer pass phrase, with blanks & signs?"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_encoding_of_a_secret_survives(encoding: str, secret: str) -> None:
    encoded = ENCODINGS[encoding](secret)
    text, count = of(API_KEY=secret).scrub_text(f"before {encoded} after")
    assert count >= 1
    assert text.startswith("before ")
    assert text.endswith(" after")
    left = text.replace(MARK, "")
    for piece in (encoded[at : at + 8] for at in range(len(encoded) - 8)):
        assert piece not in left


AROUND = {
    "address_in_json": (
        lambda s: urllib.parse.quote(s, safe=""),
        lambda s: json.dumps(f"https://h/?k={s}"),
    ),
    "json_in_address": (lambda s: json.dumps(s)[1:-1], urllib.parse.quote),
    "base64_in_json": (lambda s: base64.encodebytes(b"x" * 60 + s.encode()).decode(), json.dumps),
    "python": (lambda s: s, repr),
}


@pytest.mark.parametrize("secret", [CANARY, AWKWARD])
@pytest.mark.parametrize("kind", AROUND)
def test_no_encoding_of_an_encoded_secret_survives(kind: str, secret: str) -> None:
    inner, outer = AROUND[kind]
    text, count = of(API_KEY=secret).scrub_text(outer(f"before {inner(secret)} after"))
    assert count >= 1
    assert outer(inner(secret)).strip("\"'\\n")[-24:-4] not in text
    for beside in ("before ", " after"):
        assert outer(beside).removeprefix('"https://h/?k=').strip("\"'") in text


@pytest.mark.parametrize("offset", [0, 1, 2])
def test_the_stable_part_of_base64_is_in_every_text_that_holds_the_bytes(offset: int) -> None:
    data = b"sk-canary-1234"
    for before in (b"\0", b"\xff"):
        for after in (b"", b"\0", b"\xff\xff", b"zzz"):
            whole = base64.b64encode(before * offset + data + after)
            assert stable_base64(data, offset) in whole


def test_a_private_key_is_taken_out_whole_line_by_line_indented_and_with_escaped_line_ends() -> None:
    for given in (PEM, PEM.replace("\n", "\\n")):
        scrubber = of(SIGNING_PEM=given)
        for text in (
            PEM,
            textwrap.indent(PEM, "    "),
            json.dumps(PEM),
            PEM_BODY[1],
            PEM.replace("\n", "\r\n"),
        ):
            kept, count = scrubber.scrub_text(f"a {text} b")
            assert count >= 1
            assert not any(line in kept for line in PEM_BODY)


def test_a_very_long_secret_is_found_too() -> None:
    secret = "".join(chr(33 + (at * at + 7 * at) % 90) for at in range(40_000))
    assert of(BIG_TOKEN=secret).scrub_text(f"a{secret}b")[0] == f"a{MARK}b"


def test_the_password_of_an_address_is_a_secret_of_its_own() -> None:
    scrubber = of(DATABASE_URL="postgres://app:s3cr3t%2Fword@db.example/x")
    for text in ("s3cr3t%2Fword", "s3cr3t/word"):
        assert scrubber.scrub_text(text) == (MARK, 1)
    assert scrubber.scrub_text("db.example") == ("db.example", 0)


def test_the_secret_members_of_a_json_value_are_secrets_and_the_others_are_not() -> None:
    value = json.dumps({"type": "service_account", "private_key": PEM, "client": {"token": "tok-abcdef-123"}})
    scrubber = of(GOOGLE_CREDENTIALS=value)
    assert scrubber.scrub_text("service_account") == ("service_account", 0)
    assert scrubber.scrub_text("tok-abcdef-123") == (MARK, 1)
    assert scrubber.scrub_text(PEM_BODY[0]) == (MARK, 1)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"k={ISSUED}", f"k={MARK}"),
        (f"k%3D{ISSUED}", f"k%3D{MARK}"),
        (f'"\\n{ISSUED}"', f'"\\n{MARK}"'),
        ("ghp_0123456789abcdefghij0123456789ABCDEF.", f"{MARK}."),
        ("AKIAIOSFODNN7EXAMPLE", MARK),
        ("xoxb-123456789012-abcdef", MARK),
        ("glpat-0123456789abcdefghij", MARK),
        ("hf_0123456789abcdefghijAB", MARK),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", MARK),
        (f"x {PEM} y", f"x {MARK} y"),
        ("redis://u:longish@h:1/0", f"redis://u:{MARK}@h:1/0"),
        ("Authorization: Bearer abc.def-123456", f"Authorization: Bearer {MARK}"),
        ("{'authorization': 'Basic dXNlcjpwYXNz'}", f"{{'authorization': 'Basic {MARK}'}}"),
    ],
)
def test_common_keys_are_replaced_though_nobody_named_them(text: str, kept: str) -> None:
    assert Scrubber().scrub_text(text) == (kept, 1)


@pytest.mark.parametrize(
    "text",
    [
        "a task-management-system-for-everybody",
        "sk-learn",
        "f'postgres://{user}:{password}@{host}'",
        "https://example.org:8080/a@b",
        "'-----BEGIN PRIVATE KEY-----'",
        "Authorization: Basic x",
        "basic internationalization",
        "AKIAIOSFODNN7EXAMPLEANDMORE",
        "eyJhbGciOiJIUzI1NiJ9",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert Scrubber().scrub_text(text) == (text, 0)


def test_patterns_replace_the_whole_match_and_nothing_where_they_match_nothing() -> None:
    assert of("acct-([0-9]+)", "z*").scrub_text("acct-12, acct-x") == (f"{MARK}, acct-x", 1)


@pytest.mark.parametrize("pattern", ["", "(", "(?=x)", "a{2000}", "\ud800"])
def test_a_pattern_that_is_not_re2_is_refused_and_not_repeated(pattern: str) -> None:
    with pytest.raises(UsageError, match="--scrub pattern 2 is") as refused:
        of("fine", pattern)
    assert "\n" not in str(refused.value)


def test_a_refused_pattern_is_not_shown_since_it_may_be_a_secret() -> None:
    with pytest.raises(UsageError) as refused:
        of(CANARY + "(")
    assert CANARY not in str(refused.value)


def test_a_secret_made_by_a_replacement_goes_as_well() -> None:
    scrubber = of(A_KEY="abcdefgh", B_KEY="XY[scrubbed]Z1")
    assert scrubber.scrub_text("1 XYabcdefghZ1 2") == (f"1 {MARK} 2", 2)


def test_scrubbing_ends_whatever_the_patterns_make_of_the_mark() -> None:
    for pattern in (".", r"\[", "scrubbed", r"\w+", "(?s).*", r"\]|x"):
        once, count = of(pattern).scrub_text("[x scrubbed [scrubbed] y]")
        assert count
        assert of(pattern).scrub_text(once) == (once, 0)


def test_a_text_that_never_comes_clean_is_replaced_whole() -> None:
    scrubber = of(A_KEY="[scrubbed]bcdefgh", B_KEY="abcdefgh")
    text = "abcdefgh" + "bcdefgh" * 40 + " tail"
    assert scrubber.scrub_text(text)[0] == MARK


def test_overlapping_secrets_leave_neither() -> None:
    text, _ = of(A_KEY="abcdefgh1234", B_KEY="1234zzzzyyyy").scrub_text("abcdefgh1234zzzzyyyy")
    assert "abcdefgh1234" not in text
    assert "1234zzzzyyyy" not in text
    # The longer of two that begin alike goes whole.
    assert of(A_KEY="abcdefgh", B_KEY="abcdefghij").scrub_text("abcdefghij") == (MARK, 1)


@pytest.mark.parametrize("form", ["plain", "json", "quote", "base64", "hex"])
def test_a_secret_that_the_cap_cut_goes_to_its_last_eight_characters(form: str) -> None:
    scrubber = of(API_KEY="canary/with-enough\nlength")
    whole = f"head {ENCODINGS[form]('canary/with-enough' + chr(10) + 'length')}"
    for end in range(len("head ") + 11, len(whole)):
        kept, count = scrubber.scrub_text(whole[:end], cut=True)
        assert count == 1
        assert len(kept) <= len("head ") + len(MARK) + 3  # the end that a neighbour would share
    assert scrubber.scrub_text(whole[:14], cut=False)[1] == 0


def test_the_end_of_a_secret_at_the_start_of_a_tail_goes() -> None:
    scrubber = of(API_KEY="canary/with-enough\nlength")
    whole = f"{json.dumps('canary/with-enough' + chr(10) + 'length')[1:-1]} tail"
    for start in range(len(whole) - len(" tail") - 8):
        kept, count = scrubber.scrub_text(whole[start:], cut_start=True)
        assert (kept, count) == (f"{MARK} tail", 1)


def test_a_common_key_that_the_cap_cut_goes() -> None:
    assert Scrubber().scrub_text("key: sk-ant-ab", cut=True) == (f"key: {MARK}", 1)
    assert Scrubber().scrub_text("key: sk-ant-ab") == ("key: sk-ant-ab", 0)
    assert of(API_KEY=CANARY).scrub_text("an honest end", cut=True, cut_start=True) == ("an honest end", 0)


def test_bytes_that_are_no_text_are_scrubbed() -> None:
    data = b"\xff\xfe\x00" + CANARY.encode() + b"\x80\n"
    assert of("z+", API_KEY=CANARY).scrub_bytes(data) == (b"\xff\xfe\x00[scrubbed]\x80\n", 1)
    assert of(API_KEY=CANARY).scrub_bytes(b"\xff" + CANARY.encode()[:9], cut=True) == (b"\xff[scrubbed]", 1)
    assert of(API_KEY=CANARY).scrub_bytes(b"\xff\x00") == (b"\xff\x00", 0)


def test_a_secret_that_is_not_utf8_is_found_in_bytes_and_in_what_became_of_it() -> None:
    raw = b"\xe9canary\xff-12"
    scrubber = of(API_KEY=raw.decode(errors="surrogateescape"))
    assert scrubber.scrub_bytes(b"x" + raw) == (b"x[scrubbed]", 1)
    assert scrubber.scrub_text("x" + raw.decode(errors="replace")) == (f"x{MARK}", 1)


def test_lone_surrogates_are_no_obstacle() -> None:
    assert of("a+", API_KEY=CANARY).scrub_text(f"\ud800{CANARY}\udfff") == (
        f"\ud800{MARK}\udfff",
        1,
    )


def test_json_values_are_scrubbed_in_strings_names_and_numbers() -> None:
    scrubber = of(API_KEY=CANARY, PIN_TOKEN="123456789012")
    value = {CANARY: [CANARY, 1, None, True, {"x": f"a{CANARY}b"}], "n": 123456789012, "f": 123456789012.0}
    kept, count = scrubber.scrub_json(value)
    assert kept == {MARK: [MARK, 1, None, True, {"x": f"a{MARK}b"}], "n": MARK, "f": MARK}
    assert count == 5
    clean = {"a": [1, 2.5, "b", float("inf"), 10**5000]}
    assert scrubber.scrub_json(clean) == (clean, 0)
    assert scrubber.scrub_json(clean)[0] is clean


def test_names_that_become_equal_are_told_apart_the_same_way_in_every_order() -> None:
    scrubber = of("id-[0-9]+")
    members = {"id-2": "two", "id-1": "one", MARK: "own", "id-3x": "three"}
    kept, _ = scrubber.scrub_json(members)
    assert kept == {f"{MARK}-3": "two", f"{MARK}-2": "one", MARK: "own", f"{MARK}x": "three"}
    assert scrubber.scrub_json(dict(reversed(members.items())))[0] == kept
    assert scrubber.scrub_json(kept) == (kept, 0)


@pytest.mark.parametrize(
    "piece",
    [
        "\\",
        " ",
        "%41",
        "://a:",
        "eyJ",
        "sk-",
        MARK,
        "\n ",
        "-----BEGIN PRIVATE KEY-----",
        "sk-canary",
        "@://:",
    ],
)
def test_a_hostile_text_comes_to_an_end(piece: str) -> None:
    # Anything but linear would take minutes.
    assert of(API_KEY=CANARY).scrub_text(piece * (200_000 // len(piece)), cut=True)[1] <= 1
