"""Real Harbor results, and the numbers they must give."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from passfloor.importers.conventions import lines
from passfloor.importers.harbor import HarborImporter
from passfloor.importers.interface import Asked

JOB = Path(__file__).parents[4] / "shared" / "data" / "harbor" / "binary5"
pytestmark = pytest.mark.skipif(not JOB.is_dir(), reason="the published results are not beside this checkout")


def test_the_job_gives_the_figures_that_stand_in_it(counted: Any) -> None:
    found = counted(HarborImporter().read(JOB, Asked()))
    figures = {line.name: line for line in lines(found, 5)}
    assert {name: figures[name].published for name in ("pass@2", "pass@4", "pass@5")} == {
        "pass@2": Fraction(7, 10),
        "pass@4": Fraction(3, 4),
        "pass@5": Fraction(3, 4),
    }
    assert all(figures[name].agrees for name in ("pass@2", "pass@4", "pass@5"))
    assert figures["pass@2"].ours.value == Fraction(7, 10)


def test_four_tasks_of_five_attempts_and_the_verdict_of_a_timeout(counted: Any) -> None:
    found = counted(HarborImporter().read(JOB, Asked()))
    assert {task.name: (task.n, task.count("passed")) for task in found.tasks} == {
        "always": (5, 5),
        "flaky": (5, 3),
        "never": (5, 0),
        "timeouts": (5, 3),
    }
    assert (found.count("passed"), found.count("wrong"), found.count("errored")) == (11, 9, 0)
    assert found.beside == 2


def test_it_is_recognised_and_named() -> None:
    log = HarborImporter().read(JOB, Asked())
    assert HarborImporter().recognise(JOB)
    assert (log.suite, log.subject.name, log.subject.model) == ("specimen", "claude-code", "MiniMax-M2.1")
