"""What a receipt does not show is said to the letter: the words are read by machines."""

import json

import pytest
from judging import HERE, judge_folder

ALWAYS = ("events_happened", "only_run", "subject_code", "timing")
FURTHER = {
    "honest": (),
    "completion_only": ("answers",),
    "selection_against_the_whole_suite": ("other_tasks",),
    "embedded_used": ("suite_choice",),
    "unrecorded_allowed": ("coordination",),
    "recorded": ("unrecorded_acts", "served_model"),
    "imported": ("coordination", "imported"),
    "redacted": ("redacted",),
}


@pytest.mark.parametrize("name", FURTHER)
def test_what_is_not_established_is_named(name):
    outcome = judge_folder(HERE / name)
    assert outcome.matches
    assert outcome.not_established == (*ALWAYS, *FURTHER[name])


@pytest.mark.parametrize(
    "name", ["parse_empty_fail", "document_array_fail", "n_past_the_limit_resealed_fail", "limit_tasks_fail"]
)
def test_of_what_cannot_be_judged_nothing_is_established(name):
    outcome = judge_folder(HERE / name)
    assert outcome.not_established == ALWAYS
    assert str(outcome.status) == json.loads((HERE / name / "expected.json").read_text())["status"]


def test_the_codes_are_those_of_the_table():
    """Spelled out here, so that a code that changes its name or its status is noticed."""
    from passfloor.verification.findings import STATUS_OF, Finding, overall

    page = (HERE.parents[2] / "docs/reference/statuses.md").read_text(encoding="utf-8")
    rows = [
        line.split(" | ")
        for line in page.splitlines()
        if line.count(" | ") == 4 and "`" in line.split(" | ")[2]
    ]
    table = {row[2].strip("` "): row[0].strip("| ") for row in rows}
    assert table == {code: str(status) for code, status in STATUS_OF.items()}
    for code, status in table.items():
        assert str(overall([Finding(0, code, "")])) == status
