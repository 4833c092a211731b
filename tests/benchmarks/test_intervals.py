"""Intervals of 1,000 tasks with 32 attempts, beside a sampled bootstrap and the least there is to do.

The rows to compare: one figure beside 9,999 resamples of it, and every k and both figures beside one Fourier
transform there and back a figure.
"""

import random

import pytest

TASKS, N = 1000, 32


@pytest.fixture(scope="module")
def suite() -> list[tuple[int, int]]:
    draw = random.Random(1)
    return [(N, min(N, max(0, round(draw.gauss(20, 12))))) for _ in range(TASKS)]


def resampled(values, resamples: int = 9_999, batch: int = 1_000) -> tuple[float, float]:
    """The percentile bootstrap as it is usually done, in batches to spare memory."""
    import numpy as np

    array = np.asarray([float(value) for value in values])
    generator = np.random.default_rng(1)
    means = np.concatenate(
        [
            array[generator.integers(0, len(array), (min(batch, resamples - done), len(array)))].mean(axis=1)
            for done in range(0, resamples, batch)
        ]
    )
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def transforms(figures: int = 2 * N - 1) -> None:
    import numpy as np

    from passfloor.stats.sums import GRID_CELLS

    single = np.zeros(GRID_CELLS)
    single[:N] = 1 / N
    for _ in range(figures):
        np.fft.irfft(np.fft.rfft(single))


def test_one_figure_by_resampling(benchmark, suite):
    from passfloor.stats import pass_hat_k

    values = [pass_hat_k(n, c, 16) for n, c in suite]
    benchmark.group = "interval, one figure"
    benchmark.pedantic(resampled, args=(values,), rounds=5, warmup_rounds=1)


def test_one_figure(benchmark, suite):
    from passfloor.stats import bootstrap_over_tasks, pass_hat_k

    values = [pass_hat_k(n, c, 16) for n, c in suite]
    benchmark.group = "interval, one figure"
    benchmark.pedantic(bootstrap_over_tasks, args=(values,), rounds=15, warmup_rounds=2)


def test_every_k_and_both_figures(benchmark, suite):
    from passfloor.stats import bootstrap_all

    benchmark.group = "interval, every k and both figures"
    benchmark.pedantic(bootstrap_all, args=(suite,), rounds=7, warmup_rounds=1)


def test_the_transforms_alone(benchmark):
    benchmark.group = "interval, every k and both figures"
    benchmark.pedantic(transforms, rounds=7, warmup_rounds=1)


def test_the_curve(benchmark, suite):
    from passfloor.stats import curve

    benchmark.group = "figures, every k"
    benchmark.pedantic(curve, args=(suite,), rounds=7, warmup_rounds=1)
