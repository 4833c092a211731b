"""The example results of human-eval, and the number they must give."""

from fractions import Fraction
from pathlib import Path

import pytest

from passfloor.importers.collate import collate
from passfloor.importers.collated import Collated
from passfloor.importers.conventions import ours
from passfloor.importers.human_eval import HumanEvalImporter
from passfloor.importers.interface import Asked
from passfloor.importers.spool import RecordSpool

DATA = Path(__file__).parents[4] / "shared" / "data" / "human-eval"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the published results are not beside this checkout"
)


def counted(name: str) -> Collated:
    with RecordSpool() as spool:
        return collate(HumanEvalImporter().read(DATA / name, Asked()), Asked(), spool)


def test_the_example_passes_in_half_of_its_attempts() -> None:
    found = counted("example_samples.jsonl_results.jsonl")
    assert ours(found.tasks, "pass@1").value == Fraction(1, 2)
    assert [(task.id, task.n, task.count("passed")) for task in found.tasks] == [("test/0", 6, 3)]
    # The tool prints the same in floating point.
    assert round(0.4999999999999999, 12) == float(Fraction(1, 2))
