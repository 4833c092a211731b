"""Whatever stands in a record of these five tools, it is read as a verdict or refused in one line."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.canonical.lenient import parse
from passfloor.grading.imported import harbor, mcpmark, promptfoo, terminal_bench, vally
from passfloor.grading.imported.verdicts import Reading, Unreadable

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.fractions()
    | st.sampled_from(
        ["", "NaN", "Infinity", "CancelledError", "success", "error", "\n", "\ud800", "1", 10**400]
    )
    | st.text(max_size=5)
)
ANY = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
BOOL = st.booleans() | SCALARS
REASON = st.sampled_from([0, 1, 2, None]) | ANY
SCORE = st.sampled_from([0, 1, Fraction(1, 2), Fraction(10**400 + 1, 2)]) | ANY
EXCEPTION = (
    st.none()
    | ANY
    | st.fixed_dictionaries(
        {},
        optional={
            "exception_type": SCALARS,
            "exception_message": SCALARS,
            "policy": st.fixed_dictionaries({"has_valid_reward": BOOL}) | ANY,
        },
    )
)


def shaped(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return ANY | st.fixed_dictionaries({}, optional=members)


REWARDS = st.dictionaries(st.sampled_from(["reward", "tests", "\n"]), SCORE, max_size=2) | ANY
RECORDS = {
    harbor: shaped(
        task_name=SCALARS,
        verifier_result=st.fixed_dictionaries({}, optional={"rewards": REWARDS, "reward": SCORE}) | ANY,
        reward_valid=BOOL,
        exception_info=EXCEPTION,
        step_results=st.lists(st.fixed_dictionaries({"exception_info": EXCEPTION}) | ANY, max_size=2) | ANY,
    ),
    terminal_bench: shaped(is_resolved=BOOL, failure_mode=ANY),
    mcpmark: shaped(
        success=BOOL,
        error_message=ANY,
        execution_result=st.fixed_dictionaries(
            {},
            optional={
                "success": BOOL,
                "error_message": ANY,
                "verification_output": ANY,
                "verification_error": ANY,
            },
        )
        | ANY,
    ),
    promptfoo: shaped(
        success=BOOL,
        failureReason=REASON,
        score=SCORE,
        namedScores=st.dictionaries(st.sampled_from(["reward", "\n"]), SCORE, max_size=2) | ANY,
        response=ANY | st.fixed_dictionaries({"error": ANY}),
        error=ANY,
    ),
    vally: shaped(
        type=st.just("trial-result"),
        status=st.sampled_from(["success", "error", "skipped"]) | ANY,
        gradeResult=st.fixed_dictionaries({}, optional={"passed": BOOL, "score": SCORE}) | ANY,
        error=ANY,
    ),
}
RULES = st.fixed_dictionaries(
    {},
    optional={
        "scorer": st.sampled_from(["reward", "tests", "\n"]),
        "threshold": st.sampled_from(["0", "0.65", "-1", "no"]),
    },
)


def attempt(module: Any, record: Any, rule: dict[str, Any]) -> Reading | str:
    try:
        return module.read(record, rule)
    except Unreadable as refusal:
        return str(refusal)


OUTCOMES = {"passed", "wrong", "errored", "cancelled"}


@pytest.mark.parametrize("module", RECORDS, ids=lambda module: module.NAME)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_record_gives_a_reading_or_one_line(module: Any, data: st.DataObject) -> None:
    record, rule = data.draw(RECORDS[module]), data.draw(RULES)
    reading = attempt(module, record, rule)
    if isinstance(reading, str):
        assert "\n" not in reading
        assert len(reading) < 700
        return
    assert isinstance(reading, Reading)
    assert reading.outcome in OUTCOMES
    assert reading.score is None or 0 <= reading.score <= 1
    assert reading == attempt(module, record, rule)


@pytest.mark.parametrize("module", RECORDS, ids=lambda module: module.NAME)
@settings(max_examples=60, deadline=None)
@given(
    text=st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers(),
        lambda inner: st.dictionaries(
            st.sampled_from(["success", "task_name", "is_resolved", "type"]), inner
        ),
    ).map(json.dumps)
)
def test_what_other_writers_put_out_is_read_or_refused(module: Any, text: str) -> None:
    assert attempt(module, parse(text), {})
