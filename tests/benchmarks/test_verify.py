"""Verifying, beside the least that any verifier of the same file must do; no assertion of time.

``python -m pytest tests/benchmarks --benchmark-only`` runs this folder.
"""

import pytest


@pytest.mark.parametrize("row", ["whole", "lines", "ours"])
@pytest.mark.parametrize("shape", ["small", "large"])
def test_verify(benchmark, receipts, shape, row):
    import rows

    path = receipts(shape)
    benchmark.group = f"verify, {shape}"
    benchmark.pedantic(
        rows.ROWS[row], setup=lambda: ((path, rows.inputs_for(shape, 1)), {}), rounds=5, warmup_rounds=1
    )
