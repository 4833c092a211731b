"""Every receipt of the vectors is judged as its folder says."""

import subprocess
import sys

import pytest
from judging import FOLDERS, HERE, expected_of, judge_folder

from passfloor.cli.exits import of_status


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_vector_is_judged_as_its_folder_says(folder):
    expected = expected_of(folder)
    outcome = judge_folder(folder)
    found = [(finding.code, finding.step) for finding in outcome.findings]
    assert str(outcome.status) == expected["status"], outcome.findings
    assert of_status(str(outcome.status)) == expected["exit"]
    if expected["code"] is None:
        assert found == []
    else:
        assert (expected["code"], expected["step"]) in found, outcome.findings


def test_there_are_vectors_of_both_kinds():
    refused = [folder for folder in FOLDERS if folder.name.endswith("_fail")]
    assert len(refused) > 400
    assert len(FOLDERS) - len(refused) > 40


def _run(script, *words):
    return subprocess.run(
        [sys.executable, str(HERE / script), *words], capture_output=True, text=True, check=False
    )


def test_the_vectors_are_those_that_the_generator_makes():
    done = _run("generate.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_no_check_of_the_verifier_can_be_removed_unnoticed():
    done = _run("alive.py")
    assert done.returncode == 0, done.stdout + done.stderr
