"""Runs of agents that do nothing, with what each attempt is held against; no assertion of time.

``python tests/benchmarks/report.py`` prints them as ratios.
"""

import pytest


@pytest.mark.parametrize(("row", "count"), [("processes", 1000), ("functions", 1000), ("many", 20_000)])
def test_a_run(benchmark, tmp_path, row, count):
    import runs

    benchmark.group = "runs"
    benchmark.extra_info.update(
        benchmark.pedantic(runs.ROWS[row], (tmp_path.resolve(), count), rounds=1, iterations=1)
    )


@pytest.mark.parametrize("row", ["processes", "functions", "many"])
def test_every_row_can_still_be_measured(row):
    import runs

    figures = runs.measure(row, 4)
    assert set(figures) == {"attempt", "beside", "seal", "all", "peak"}
    assert all(value > 0 for value in figures.values())


def test_receipts_to_measure_with_can_still_be_made_and_verified(tmp_path, monkeypatch):
    import made
    import rows

    monkeypatch.setitem(made.SHAPES, "tiny", made.Shape(2, 1, 90, 300, (330,)))
    made.save(made.SHAPES["tiny"], tmp_path / "r.json")
    rows.ours(tmp_path / "r.json", rows.inputs_for("tiny", 1))
