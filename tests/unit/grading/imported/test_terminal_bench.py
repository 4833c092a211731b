from typing import Any

import pytest

from passfloor.grading.imported.terminal_bench import read
from passfloor.grading.imported.verdicts import Reading, Unreadable


@pytest.mark.parametrize(
    ("resolved", "mode", "expected"),
    [
        (True, "unset", Reading("passed")),
        (False, "none", Reading("wrong")),
        (False, None, Reading("wrong")),
        (True, "agent_timeout", Reading("passed", None, "agent_timeout")),
        (False, "agent_timeout", Reading("wrong", None, "agent_timeout")),
        (None, "test_timeout", Reading("errored", None, "test_timeout")),
        (None, "unset", Reading("errored", None, "no_verdict")),
    ],
)
def test_the_verdict_wins_and_the_word_is_kept(resolved: Any, mode: Any, expected: Reading) -> None:
    assert read({"is_resolved": resolved, "failure_mode": mode}, {}) == expected


@pytest.mark.parametrize("record", [None, [], {}, {"failure_mode": "unset"}])
def test_what_is_no_trial_is_refused(record: Any) -> None:
    with pytest.raises(Unreadable, match="no Terminal-Bench trial"):
        read(record, {})


@pytest.mark.parametrize("resolved", ["true", 1, 0, []])
def test_a_verdict_that_is_neither_yes_nor_no_is_refused(resolved: Any) -> None:
    with pytest.raises(Unreadable, match="neither true, false nor null"):
        read({"is_resolved": resolved}, {})
