"""Real Terminal-Bench results, and the numbers they must give."""

from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from passfloor.canonical.lenient import parse
from passfloor.grading.imported.terminal_bench import read
from passfloor.importers.conventions import lines, ours
from passfloor.importers.interface import Asked
from passfloor.importers.terminal_bench import TerminalBenchImporter

DATA = Path(__file__).parents[4] / "shared" / "data" / "terminal-bench"
RUN = DATA / "orchestrator_claude-4-sonnet" / "results.cut.json"
pytestmark = pytest.mark.skipif(
    not RUN.is_file(), reason="the published results are not beside this checkout"
)


def test_the_run_gives_the_figures_that_stand_in_it(counted: Any) -> None:
    found = counted(TerminalBenchImporter().read(RUN, Asked()))
    figures = {line.name: line for line in lines(found, 5)}
    expected = {
        "pass@2": Fraction(37, 80),
        "pass@4": Fraction(219, 400),
        "pass@5": Fraction(23, 40),
        "success rate": Fraction(9, 25),
    }
    assert {name: figures[name].published for name in expected} == expected
    assert {name: figures[name].ours.value for name in expected} == expected
    assert all(figures[name].agrees for name in expected)


def test_every_floor_of_it(counted: Any) -> None:
    found = counted(TerminalBenchImporter().read(RUN, Asked()))
    assert [ours(found.tasks, f"pass^{k}").value for k in range(1, 6)] == [
        Fraction(9, 25),
        Fraction(103, 400),
        Fraction(33, 160),
        Fraction(69, 400),
        Fraction(3, 20),
    ]
    passed = [(task.count("passed"), task.n) for task in found.tasks]
    piles = (
        sum(c == n for c, n in passed),
        sum(0 < c < n for c, n in passed),
        sum(c == 0 for c, _ in passed),
    )
    assert piles == (12, 34, 34)
    assert {n for _, n in passed} == {5}


def test_146_attempts_carry_a_failure_word_and_the_verdict_wins() -> None:
    log = TerminalBenchImporter().read(RUN, Asked())
    readings = [read(parse(record.text), log.rule) for record in log.records()]
    assert sum(reading.error_type is not None for reading in readings) == 146
    assert sum(reading.error_type is not None and reading.outcome == "passed" for reading in readings) == 27


def test_the_public_table_drops_agent_errors_and_takes_the_mean_over_runs() -> None:
    log = TerminalBenchImporter().read(RUN, Asked())
    runs: defaultdict[int | None, list[bool]] = defaultdict(list)
    for record in log.records():
        reading = read(parse(record.text), log.rule)
        if reading.error_type != "unknown_agent_error":
            runs[record.index].append(reading.outcome == "passed")
    rates = [Fraction(sum(run), len(run)) for run in runs.values()]
    assert round(float(sum(rates) / len(rates)), 4) == 0.3696
    assert "unknown_agent_error" in log.convention.why
