"""The policy flags, as the demands they make."""

from fractions import Fraction

import pytest

from passfloor.cli.policies import PolicyFlags
from passfloor.errors import UsageError
from passfloor.verification.demands import Demands, ExpectedSubject


def test_nothing_given_demands_nothing():
    assert PolicyFlags().demands() == Demands()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bot", ExpectedSubject(name="bot")),
        ("bot@1.2", ExpectedSubject(name="bot", version="1.2")),
        ("@scope/bot", ExpectedSubject(name="@scope/bot")),
        ("@scope/bot@1.2", ExpectedSubject(name="@scope/bot", version="1.2")),
        ("a@b@2", ExpectedSubject(name="a@b", version="2")),
        (f"sha256:{'0' * 64}", ExpectedSubject(adapter_digest="0" * 64)),
    ],
)
def test_a_subject_is_a_name_a_name_with_its_version_or_a_digest(text, expected):
    assert PolicyFlags(expect_subject=text).demands().subject == expected


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("15m", 900), ("12h", 43200), ("30d", 2592000), ("2w", 1209600)]
)
def test_a_duration_is_a_number_and_a_unit(text, seconds):
    assert PolicyFlags(max_age=text).demands().max_age == seconds


def test_a_floor_is_exact():
    assert PolicyFlags(min_floor="0.7").demands().min_floor == Fraction(7, 10)


def test_files_are_read_and_a_challenge_may_stand_in_one(tmp_path):
    for name in ("challenge", "commitment", "ledger"):
        (tmp_path / name).write_text("A" * 43 + "\n")
    given = {name: str(tmp_path / name) for name in ("challenge", "commitment", "ledger")}
    demands = PolicyFlags(**given, allow_other_runs=True).demands()
    assert demands.challenge == "A" * 43
    assert demands.commitment == demands.ledger == b"A" * 43 + b"\n"
    assert demands.other_runs
    assert PolicyFlags(challenge="B" * 43).demands().challenge == "B" * 43


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"min_floor": "1.5"}, "--min-floor"),
        ({"expect_suite_hash": "c0ffee"}, "all 64 lower-case hex digits"),
        ({"expect_suite_hash": "C" * 64}, "all 64 lower-case hex digits"),
        ({"expect_subject": "bot@"}, "NAME@VERSION"),
        ({"expect_subject": ""}, "NAME"),
        ({"expect_subject": "sha256:12"}, "64 lower-case hex digits after sha256:"),
        ({"max_age": "0s"}, "a whole number and a unit"),
        ({"max_age": "1.5h"}, "a whole number and a unit"),
        ({"max_age": "30"}, "a whole number and a unit"),
        ({"challenge": "short"}, "22 to 128"),
        ({"challenge": "."}, "cannot read the challenge"),
        ({"commitment": "missing.json"}, "cannot read the commitment"),
        ({"ledger": "missing.jsonl"}, "cannot read the ledger"),
        ({"allow_other_runs": True}, "add --ledger FILE"),
    ],
)
def test_what_says_nothing_clear_is_refused(given, why):
    with pytest.raises(UsageError, match=why):
        PolicyFlags(**given).demands()
