"""A call through the recording proxy, beside the same call without it and through a bare pass-through."""

import proxy
import pytest


@pytest.fixture(scope="module")
def places():
    with (
        proxy.started("upstream") as url,
        proxy.started("bare", url) as bare,
        proxy.started("ours", url) as ours,
    ):
        yield dict(zip(proxy.ROWS, (url, bare, ours), strict=True))


@pytest.mark.parametrize("row", proxy.ROWS)
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
def test_a_call(benchmark, places, row, stream):
    benchmark.group = f"a call, {'streamed' if stream else 'plain'}"
    benchmark(proxy.calls, places[row], 1, stream=stream)
