"""Every reader of foreign records is total: a reading, or one line that says why not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.canonical import lenient
from passfloor.grading.imported import (
    human_eval,
    inspect,
    pydantic_evals,
    swe_bench,
    tau2,
    tau_bench,
)
from passfloor.grading.imported.verdicts import Reading, Unreadable

READERS = (human_eval, inspect, pydantic_evals, swe_bench, tau2, tau_bench)
WORDS = [
    *("scores", "match", "value", "error", "message", "limit", "type", "invalidation", "reason"),
    *("assertions", "labels", "evaluator_failures", "error_message", "reward", "info", "reward_info"),
    *("termination_reason", "infrastructure_error", "passed", "result", "listed", "implied", "resolved"),
    *("resolved_ids", "C", "P", "NaN", "Infinity", "1", "0.5", "user_stop"),
]

leaves = (
    st.none() | st.booleans() | st.integers() | st.fractions() | st.sampled_from(WORDS) | st.text(max_size=4)
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=12,
)
rules = st.fixed_dictionaries(
    {},
    optional={
        "scorer": st.sampled_from(WORDS),
        "part": st.sampled_from(WORDS),
        "threshold": st.sampled_from(["0.5", "1", "0.65"]),
        "pass_values": st.lists(st.sampled_from(WORDS), max_size=2),
    },
)


@pytest.mark.parametrize("module", READERS, ids=lambda module: module.NAME)
@settings(max_examples=150)
@given(record=values, rule=rules)
def test_any_record_is_read_or_refused_in_one_line(module, record, rule):
    try:
        reading = module.read(record, rule)
    except Unreadable as error:
        reading, words = None, str(error)
    if reading is None:
        assert words
        assert "\n" not in words
        assert len(words) < 300
    else:
        assert isinstance(reading, Reading)
        assert reading.outcome in ("passed", "wrong", "errored", "cancelled")
        assert reading.score is None or 0 <= reading.score <= 1
        assert reading.error_text is None or isinstance(reading.error_text, str)
        assert module.read(record, rule) == reading


@pytest.mark.parametrize("module", READERS, ids=lambda module: module.NAME)
def test_numbers_past_every_range_are_read_or_refused(module):
    record = lenient.parse('{"scores": {"match": {"value": 1e999}}, "reward": 1e999, "passed": 1e999}')
    with pytest.raises(Unreadable):
        module.read(record, {"scorer": "match"}) if module is not pydantic_evals else module.read(record, {})
