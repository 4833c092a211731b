"""A test case of a JUnit report: what it came to at its first try."""

import json

import pytest

from passfloor.grading.imported import Unreadable, read_record
from passfloor.grading.imported.verdicts import Reading


def read(**case):
    return read_record("junit", {}, json.dumps(case))


@pytest.mark.parametrize(
    ("result", "outcome"),
    [("passed", "passed"), ("failure", "wrong"), ("error", "errored"), ("skipped", "cancelled")],
)
def test_each_result_has_its_outcome(result, outcome):
    assert read(result=result).outcome == outcome


def test_type_and_message_are_the_error():
    assert read(result="error", type="Boom", message="it broke") == Reading(
        "errored", None, "Boom", "it broke"
    )
    assert read(result="error").error_type == "error"


def test_why_a_case_failed_is_no_error_beside_the_verdict():
    assert read(result="failure", type="AssertionError", message="1 != 2") == Reading(
        "wrong", None, None, "1 != 2"
    )
    assert read(result="failure", type="AssertionError") == Reading("wrong", None, None, "AssertionError")


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [("flakyFailure", "wrong"), ("flakyError", "errored"), ("rerunFailure", "wrong"), ("odd", "wrong")],
)
def test_a_case_that_passed_when_tried_again_counts_as_its_first_try(kind, outcome):
    first = {"kind": kind, "type": "Assertion", "message": "1 != 2"}
    found = read(result="passed", retries=[first, {"kind": "flakyError"}])
    kept = "Assertion" if outcome == "errored" else None
    assert (found.outcome, found.error_type, found.error_text) == (outcome, kept, "1 != 2")


def test_retries_of_a_case_that_failed_in_the_end_change_nothing():
    assert read(result="failure", retries=[{"kind": "rerunError"}]).outcome == "wrong"


def test_a_case_that_passed_has_no_error_whatever_stands_beside():
    assert read(result="passed", type="note", message="slow") == Reading("passed")


@pytest.mark.parametrize("retries", [None, [], "x", {"0": {}}, ["x"], [None, {"kind": "flakyError"}]])
def test_what_is_no_list_of_tries_was_tried_once(retries):
    assert read(result="passed", retries=retries) == Reading("passed")


@pytest.mark.parametrize("kind", ["flakyError", "rerunError"])
def test_a_try_without_a_type_is_named_by_its_element(kind):
    assert read(result="passed", retries=[{"kind": kind}]) == Reading("errored", None, kind, None)


@pytest.mark.parametrize("record", ["[]", "{}", '{"result": "great"}', '"passed"'])
def test_what_is_no_case_is_refused(record):
    with pytest.raises(Unreadable, match="no test case"):
        read_record("junit", {}, record)
