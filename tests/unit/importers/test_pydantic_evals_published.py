"""A real pydantic-evals report, whose cases and failures belong together."""

from fractions import Fraction
from pathlib import Path

import pytest

from passfloor.importers.collate import collate
from passfloor.importers.collated import Collated
from passfloor.importers.conventions import lines, ours
from passfloor.importers.interface import Asked
from passfloor.importers.pydantic_evals import PydanticEvalsImporter
from passfloor.importers.spool import RecordSpool

DATA = Path(__file__).parents[4] / "shared" / "data" / "pydantic-evals"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the published results are not beside this checkout"
)


def counted(name: str) -> Collated:
    with RecordSpool() as spool:
        return collate(PydanticEvalsImporter().read(DATA / name, Asked()), Asked(), spool)


def piles(found: Collated) -> tuple[int, int, int]:
    passed = [(task.count("passed"), task.n) for task in found.tasks]
    return sum(c == n for c, n in passed), sum(0 < c < n for c, n in passed), sum(c == 0 for c, _ in passed)


def test_cases_and_failures_are_fifteen_attempts() -> None:
    found = counted("report_repeat3.json")
    assert sum(task.n for task in found.tasks) == 15
    assert [(task.id, task.count("passed"), task.count("errored")) for task in found.tasks] == [
        ("always", 3, 0),
        ("never", 0, 0),
        ("flaky", 2, 0),
        ("err", 1, 1),
        ("boom", 0, 3),
    ]
    assert piles(found) == (1, 2, 2)
    assert ours(found.tasks, "success rate").value == Fraction(2, 5)


def test_without_the_failures_as_the_tool_averages_it_is_more() -> None:
    found = counted("report_repeat3.json")
    figures = {line.name: line for line in lines(found, 2)}
    assert figures["success rate"].theirs.value == Fraction(6, 11)
    assert figures["success rate"].theirs.tasks == 4
