"""Real tau-bench results, and the numbers they must give."""

from fractions import Fraction
from pathlib import Path

import pytest

from passfloor.importers.collate import collate
from passfloor.importers.collated import Collated
from passfloor.importers.conventions import ours
from passfloor.importers.interface import Asked
from passfloor.importers.spool import RecordSpool
from passfloor.importers.tau_bench import TauBenchImporter

DATA = Path(__file__).parents[4] / "shared" / "data" / "tau-bench"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the published results are not beside this checkout"
)


def counted(name: str) -> Collated:
    with RecordSpool() as spool:
        return collate(TauBenchImporter().read(DATA / name, Asked()), Asked(), spool)


def piles(found: Collated) -> tuple[int, int, int]:
    passed = [(task.count("passed"), task.n) for task in found.tasks]
    return sum(c == n for c, n in passed), sum(0 < c < n for c, n in passed), sum(c == 0 for c, _ in passed)


def curve(found: Collated, sign: str, *ks: int) -> list[Fraction]:
    return [ours(found.tasks, f"pass{sign}{k}").value for k in ks]


def test_the_trajectories_of_gpt_4o_give_the_published_floor() -> None:
    found = counted("gpt-4o-airline.cut.json")
    floor = [Fraction(21, 50), Fraction(41, 150), Fraction(11, 50), Fraction(1, 5)]
    assert curve(found, "^", 1, 2, 3, 4) == floor
    # As the tool's own page prints them.
    assert [round(float(each), 3) for each in floor] == [0.420, 0.273, 0.220, 0.200]
    assert curve(found, "@", 1, 2, 3, 4) == [
        Fraction(21, 50),
        Fraction(17, 30),
        Fraction(33, 50),
        Fraction(18, 25),
    ]
    assert piles(found) == (10, 26, 14)
    assert (found.count("passed"), found.count("errored"), len(found.tasks)) == (84, 0, 50)
    assert not found.log.notes
