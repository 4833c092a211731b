"""Real Inspect logs, and the numbers they must give."""

from fractions import Fraction
from pathlib import Path

import pytest

from passfloor.importers.collate import collate
from passfloor.importers.collated import Collated
from passfloor.importers.conventions import lines, ours
from passfloor.importers.inspect import InspectImporter
from passfloor.importers.interface import Asked
from passfloor.importers.spool import RecordSpool

DATA = Path(__file__).parents[4] / "shared" / "data" / "inspect"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the published results are not beside this checkout"
)


def counted(name: str) -> Collated:
    with RecordSpool() as spool:
        return collate(InspectImporter().read(DATA / name, Asked()), Asked(), spool)


def curve(found: Collated, sign: str, *ks: int) -> list[Fraction]:
    return [ours(found.tasks, f"pass{sign}{k}").value for k in ks]


def test_a_deflated_log_gives_its_accuracy_and_a_pair() -> None:
    found = counted("log_streaming.eval")
    assert curve(found, "@", 1, 2) == [Fraction(3, 4), 1]
    assert curve(found, "^", 2) == [Fraction(1, 2)]
    figures = {line.name: line for line in lines(found, 2)}
    assert figures["mean score"].published == Fraction(3, 4)
    assert figures["mean score"].agrees


def test_a_log_with_zstandard_members_is_read() -> None:
    pytest.importorskip("zstandard")
    (name,) = [path.name for path in DATA.glob("*civic-misinfo*.eval")]
    found = counted(name)
    assert [(task.id, task.n, task.count("passed")) for task in found.tasks] == [
        ("grounded-fetch-001", 1, 1),
        ("grounded-planted-source-001", 1, 1),
    ]
    assert found.log.subject.model == "openrouter/deepseek/deepseek-v4-flash"


@pytest.mark.parametrize("form", ["eval", "json"])
def test_errored_samples_stay_here_and_are_dropped_there(form: str) -> None:
    pytest.importorskip("zstandard")
    found = counted(f"toolmade_6tasks_5epochs_errors.{form}")
    assert {task.id: (task.count("passed"), task.count("errored")) for task in found.tasks} == {
        "always": (5, 0),
        "flaky": (3, 0),
        "never": (0, 0),
        "err1": (3, 1),
        "allerr": (0, 5),
        "partial": (1, 0),
    }
    assert {task.n for task in found.tasks} == {5}
    assert curve(found, "@", 1, 2, 5) == [Fraction(2, 5), Fraction(8, 15), Fraction(2, 3)]
    figures = {line.name: line for line in lines(found, 2)}
    theirs = {
        "pass@1": (Fraction(51, 100), 5),
        "pass@2": (Fraction(33, 50), 5),
        "pass@5": (Fraction(3, 4), 4),
        "mean score": (Fraction(11, 20), 5),
    }
    assert {name: (figures[name].theirs.value, figures[name].theirs.tasks) for name in theirs} == theirs
    assert all(figures[name].agrees for name in theirs)
