"""A real promptfoo output, and the numbers it must give."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from passfloor.importers.conventions import lines
from passfloor.importers.interface import Asked
from passfloor.importers.promptfoo import PromptfooImporter

OUTPUT = Path(__file__).parents[4] / "shared" / "data" / "promptfoo" / "repeat3.json"
pytestmark = pytest.mark.skipif(
    not OUTPUT.is_file(), reason="the published results are not beside this checkout"
)


def test_repeats_are_found_though_no_row_tells_which_it_is(counted: Any) -> None:
    found = counted(PromptfooImporter().read(OUTPUT, Asked()))
    assert {task.name: (task.n, task.count("passed"), task.count("errored")) for task in found.tasks} == {
        "t-always": (3, 3, 0),
        "t-never": (3, 0, 0),
        "t-flaky": (3, 2, 0),
        "case=err": (3, 1, 1),
        "case=boom": (3, 0, 3),
    }
    assert found.notes == []


def test_six_passed_five_wrong_four_errored_as_the_output_says(counted: Any) -> None:
    found = counted(PromptfooImporter().read(OUTPUT, Asked()))
    assert (found.count("passed"), found.count("wrong"), found.count("errored")) == (6, 5, 4)
    rate = next(line for line in lines(found, 3) if line.name == "success rate")
    assert rate.published == Fraction(6, 15)
    assert rate.agrees
    assert "6 passed, 5 failed, 4 errors" in rate.where
