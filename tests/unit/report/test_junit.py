"""The report as JUnit XML, read back by a strict parser."""

import xml.parsers.expat
from xml.etree import ElementTree as ET

import pytest

from passfloor.report.junit import junit_report

NAMES = [
    'x\x1b[31m\x00 ]]> & "q" \ufffe',
    "a|b",
    "</testcase>",
    "\ud800".encode("unicode_escape").decode(),
    "plain",
]


def read(document):
    """Parse by expat, which refuses what XML 1.0 refuses."""
    parser = xml.parsers.expat.ParserCreate()
    parser.Parse(document.encode("utf-8"), True)
    return ET.fromstring(document)


def cases(document):
    return {case.get("name"): case for case in read(document).iter("testcase")}


def test_hostile_ids_are_read_by_any_parser(from_counts):
    found = read(junit_report(from_counts(dict.fromkeys(NAMES, "pwe"))))
    names = [case.get("name") for case in found.iter("testcase")]
    assert names[0] == 'x\\x1b[31m\\x00 ]]> & "q" \\ufffe'
    assert names[1:] == NAMES[1:]


def test_errors_stand_apart_from_failures_and_counts_are_of_tasks(from_counts):
    tasks = {"clean": "ppp", "wrong": "pww", "both": "pwe", "errored": "ppe", "crashed": "eee"}
    document = junit_report(from_counts(tasks))
    suite = read(document).find("testsuite")
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5", "failures": "2", "errors": "2", "skipped": "0",
    }  # fmt: skip
    kinds = {
        name: [each.tag for each in case if each.tag in {"failure", "error"}]
        for name, case in cases(document).items()
    }
    assert kinds == {
        "clean": [], "wrong": ["failure"], "both": ["failure"], "errored": ["error"], "crashed": ["error"],
    }  # fmt: skip
    root = read(document)
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("5", "2", "2")


def test_attempts_stand_inside_their_task(sealed, enveloped):
    never = cases(junit_report(enveloped(sealed())))["never"]
    failure = never.find("failure")
    assert failure.get("message") == "0 of 4 passed, 2 wrong, 2 errored; pass@1 0.00, pass@2 0.00"
    assert failure.text.splitlines() == [
        "attempt 0 wrong: no",
        "attempt 1 errored: exit, exit status 3",
        "attempt 2 wrong: no",
        "attempt 3 errored: exit, exit status 3",
    ]
    assert never.find("system-out").text.splitlines()[1:] == [
        "attempt 0: wrong", "attempt 1: errored", "attempt 2: wrong", "attempt 3: errored",
    ]  # fmt: skip


def test_the_exact_figures_are_properties(from_counts):
    document = junit_report(from_counts({"a": "ppw", "b": "ppp"}, k=2))
    found = {each.get("name"): each.get("value") for each in read(document).iter("property")}
    assert found["success_rate"] == "5/6"
    assert found["pass_hat_k"] == "2/3"
    assert found["pass_at_k"] == "1"


@pytest.mark.parametrize(("edit", "mark"), [(None, "TEST-GRADE "), ({"pass_caret_k": 0.9}, "UNVERIFIED ")])
def test_what_is_not_vouched_for_is_marked_on_every_case(sealed, enveloped, edit, mark):
    document = junit_report(enveloped(sealed(), edit and (lambda each: each.update(edit))))
    assert {case.get("classname") for case in read(document).iter("testcase")} == {f"{mark}own-v1"}
