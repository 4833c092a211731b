"""Real MCPMark results, and the numbers they must give."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from passfloor.importers.conventions import ours, theirs
from passfloor.importers.interface import Asked
from passfloor.importers.mcpmark import McpMarkImporter

DATA = Path(__file__).parents[4] / "shared" / "data" / "mcpmark"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the published results are not beside this checkout"
)


@pytest.mark.parametrize("path", [DATA / "gpt-5-medium", DATA], ids=["the model", "the folder of models"])
def test_the_files_give_the_published_figures(path: Path, counted: Any) -> None:
    found = counted(McpMarkImporter().read(path, Asked()))
    figures = {name: ours(found.tasks, name).value for name in ("pass@1", "pass@4", "pass^4")}
    assert figures == {"pass@1": Fraction(267, 508), "pass@4": Fraction(87, 127), "pass^4": Fraction(43, 127)}
    convention = found.log.convention
    published = {name: round(float(theirs(found.tasks, name, convention).value), 4) for name in figures}
    assert published == {"pass@1": 0.5256, "pass@4": 0.6850, "pass^4": 0.3386}
    passed = [(task.count("passed"), task.n) for task in found.tasks]
    assert (
        sum(c == n for c, n in passed),
        sum(0 < c < n for c, n in passed),
        sum(c == 0 for c, _ in passed),
    ) == (43, 44, 40)


def test_a_pass_beside_an_error_stays_a_pass(counted: Any) -> None:
    found = counted(McpMarkImporter().read(DATA / "gpt-5-medium", Asked()))
    assert found.beside == 1
    assert found.count("errored") == 26
    assert McpMarkImporter().recognise(DATA / "gpt-5-medium")
