"""Lines of human-eval results."""

import pytest

from passfloor.grading.imported.human_eval import read
from passfloor.grading.imported.verdicts import Unreadable


@pytest.mark.parametrize(
    ("passed", "result", "outcome", "word", "text"),
    [
        (True, "passed", "passed", None, None),
        (False, "timed out", "wrong", "timed out", None),
        (False, "failed: not callable", "wrong", None, "not callable"),
        (False, "failed: ", "wrong", None, None),
        (False, None, "wrong", None, None),
    ],
)
def test_passed_decides_and_the_result_is_kept(passed, result, outcome, word, text):
    reading = read({"task_id": "a", "passed": passed, "result": result}, {})
    assert (reading.outcome, reading.error_type, reading.error_text) == (outcome, word, text)


@pytest.mark.parametrize("record", [[], {"task_id": "a"}, {"passed": 1}, {"passed": "true"}])
def test_what_is_neither_true_nor_false_is_no_verdict(record):
    with pytest.raises(Unreadable):
        read(record, {})
