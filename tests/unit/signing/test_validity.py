import math

import pytest

from passfloor.signing.validity import OPEN, Revocation, Validity, time_text


@pytest.mark.parametrize(
    ("validity", "at", "expected"),
    [
        (OPEN, 0, True),
        (OPEN, None, True),
        (Validity(100), 99.999, False),
        (Validity(100), 100, True),
        (Validity(None, 100), 100, True),
        (Validity(None, 100), 100.001, False),
        (Validity(100, 200), 150, True),
        (Validity(100, 200), None, False),
        (Validity(100), None, False),
        (Validity(None, 100), None, False),
    ],
)
def test_a_window_includes_its_ends_and_no_time_that_does_not_exist(validity, at, expected) -> None:
    assert validity.covers(at) is expected


def test_narrowing_keeps_what_both_allow() -> None:
    lost, stolen = Revocation(5, "lost"), Revocation(3, "stolen")
    wide, narrow = Validity(10, None, lost), Validity(20, 30, stolen)
    assert wide.narrowed(narrow) == narrow.narrowed(wide) == Validity(20, 30, stolen)
    assert OPEN.narrowed(OPEN) == OPEN
    assert OPEN.narrowed(wide) == wide


def test_a_window_is_said_in_words() -> None:
    assert OPEN.window == ""
    assert Validity(0).window == "from 1970-01-01T00:00:00Z"
    assert Validity(None, 1.9).window == "until 1970-01-01T00:00:01Z"
    assert Validity(0, 1).window == "from 1970-01-01T00:00:00Z until 1970-01-01T00:00:01Z"


def test_a_time_without_a_calendar_is_its_number() -> None:
    assert time_text(1e300) == "1e+300"
    assert time_text(math.inf) == "inf"
