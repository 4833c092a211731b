"""A finding points at the member that is wrong, so that whoever reads it need not search."""

import json
from pathlib import Path

import pytest
from judging import HERE, expected_of, judge_folder

PLACES = json.loads(Path(__file__).with_name("places.json").read_text())
"""Vector -> the place that its first expected finding names; empty where it is about the whole."""


@pytest.mark.parametrize(("name", "place"), PLACES.items(), ids=str)
def test_a_finding_points_at_what_is_wrong(name, place):
    folder = HERE / name
    expected = expected_of(folder)
    wanted = (expected["code"], expected["step"])
    found = [each.path for each in judge_folder(folder).findings if (each.code, each.step) == wanted]
    assert found[0] == place


def test_a_member_too_many_of_an_imported_attempt_is_named():
    [finding] = judge_folder(HERE / "imported_with_a_member_of_the_run_receipt_fail").findings
    assert finding.path.startswith("task_results[0].attempts[0].receipt.")
    assert not finding.path.endswith(".")


def test_what_recorded_attempts_gave_is_counted():
    recorded, honest = (judge_folder(HERE / name) for name in ("recorded_identity_fields", "honest"))
    assert (recorded.identity_marks, recorded.acts_compared, len(recorded.served)) == (4, 14, 4)
    assert (honest.identity_marks, honest.acts_compared, honest.served) == (0, None, ())
    assert honest.graders_run == 0


@pytest.mark.parametrize("what", ["statement", "commitment"])
def test_a_document_beside_the_receipt_is_called_by_its_name(what):
    [finding] = judge_folder(HERE / f"{what}_unsigned_fail").findings
    assert f"the {what} carries no signature" in finding.detail
