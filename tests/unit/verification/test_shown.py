"""Whatever a receipt says, the reader's terminal, build log and report do nothing but show it."""

import json
import re
import unicodedata
import xml.etree.ElementTree as ET

import pytest
from judging import FOLDERS, expected_of

from passfloor.cli import main

SHOWN = [folder for folder in FOLDERS if folder.name.startswith("shown_")]
DETAILS = [folder for folder in SHOWN if folder.name.endswith("_in_a_detail")]
# A line that a runner obeys: GitHub's and its relatives', and those of Azure's.
COMMAND = re.compile(r"^\s*::|##\[|##vso\[", re.MULTILINE)
ACTING = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


@pytest.fixture
def said(monkeypatch, capsys):
    """Exit code and standard output of a verb over the receipt of a folder."""

    def say(folder, *words):
        monkeypatch.chdir(folder)
        monkeypatch.setattr("sys.argv", ["passfloor", *words, "receipt.json", *expected_of(folder)["flags"]])
        code = main()
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return say


def acting(text):
    """The characters that something would act on; a line feed ends a line and nothing else."""
    return {letter for letter in text if letter != "\n" and unicodedata.category(letter) in ACTING}


@pytest.mark.parametrize("folder", SHOWN, ids=lambda folder: folder.name)
def test_verifying_shows_hostile_text_and_does_nothing_with_it(folder, said):
    code, out, err = said(folder, "bench", "verify")
    assert code == expected_of(folder)["exit"]
    assert acting(out + err) == set()
    assert not COMMAND.search(out + err)
    assert out.startswith(f"overall: {expected_of(folder)['status']}\n")
    assert len(re.findall(r"^overall:", out, re.MULTILINE)) == 1


@pytest.mark.parametrize("folder", SHOWN, ids=lambda folder: folder.name)
def test_the_object_for_machines_is_one_line_of_data_whatever_the_text(folder, said):
    _, out, _ = said(folder, "bench", "verify", "--json")
    assert json.loads(out)["status"] == expected_of(folder)["status"]
    assert acting(out) == set()


@pytest.mark.parametrize("folder", DETAILS, ids=lambda folder: folder.name)
def test_reports_show_it_too(folder, said):
    for form in ("text", "markdown", "junit"):
        code, out, _ = said(folder, "bench", "report", "--format", form)
        assert code == 0
        assert acting(out) == set(), form
        assert not COMMAND.search(out), form
        assert form != "markdown" or "<img" not in out.replace("\\\\<", ""), out
        if form == "junit":
            ET.fromstring(out)
