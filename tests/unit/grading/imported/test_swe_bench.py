"""What a SWE-bench report lists of an instance."""

import pytest

from passfloor.grading.imported.swe_bench import read
from passfloor.grading.imported.verdicts import Unreadable


@pytest.mark.parametrize(
    ("listed", "outcome", "word"),
    [
        (["completed_ids", "submitted_ids", "resolved_ids"], "passed", None),
        (["unresolved_ids"], "wrong", None),
        (["empty_patch_ids"], "wrong", "empty_patch_ids"),
        (["submitted_ids", "error_ids"], "errored", "error_ids"),
        (["completed_ids", "error_ids", "resolved_ids"], "passed", "error_ids"),
        (["resolved"], "passed", None),
        (["no_generation"], "wrong", "no_generation"),
        (["no_logs"], "errored", "no_logs"),
        (["applied", "test_timeout"], "errored", "test_timeout"),
        (["applied"], "wrong", None),
        (["no_apply"], "wrong", "no_apply"),
        (["install_fail"], "errored", "install_fail"),
        (["reset_failed"], "errored", "reset_failed"),
        (["test_errored"], "errored", "test_errored"),
    ],
)
def test_the_lists_that_hold_an_instance_decide(listed, outcome, word):
    reading = read({"instance_id": "a", "listed": listed}, {})
    assert (reading.outcome, reading.error_type) == (outcome, word)


def test_an_instance_that_is_listed_nowhere_is_no_verdict_unless_that_means_unresolved():
    with pytest.raises(Unreadable, match="--universe"):
        read({"instance_id": "a", "listed": []}, {})
    assert read({"instance_id": "a", "listed": [], "implied": "unresolved"}, {}).outcome == "wrong"


def test_the_report_of_one_instance_says_it_itself():
    assert read({"a__a-1": {"patch_exists": True, "resolved": True}}, {}).outcome == "passed"
    assert read({"a__a-1": {"patch_exists": True, "resolved": False}}, {}).outcome == "wrong"
    assert read({"version": 1, "a__a-1": {"resolved": True}}, {}).outcome == "passed"


@pytest.mark.parametrize(
    "record", [None, {}, {"a": {"resolved": 1}}, {"a": {"resolved": True}, "b": {"resolved": True}}]
)
def test_what_is_no_report_is_no_verdict(record):
    with pytest.raises(Unreadable):
        read(record, {})
