import pytest

from passfloor.cli.spreading import SpreadFlags
from passfloor.errors import UsageError


@pytest.mark.parametrize(
    ("executor", "cluster", "words"),
    [
        ("threads", None, "say 'local' or 'dask'"),
        ("local", "tcp://10.0.0.5:8786", "leave one of them out"),
        ("dask", "10.0.0.5", "such as tcp://10.0.0.5:8786"),
        (None, "tcp://10.0.0.5:99999", "such as tcp://10.0.0.5:8786"),
        (None, "tcp://10.0.0.5:8786/x", "such as tcp://10.0.0.5:8786"),
        (None, "http://10.0.0.5:8786", "such as tcp://10.0.0.5:8786"),
    ],
)
def test_flags_that_cannot_be_followed_are_refused(executor, cluster, words):
    with pytest.raises(UsageError, match=words):
        SpreadFlags(executor, cluster).check()


@pytest.mark.parametrize(
    ("executor", "cluster"),
    [
        (None, None),
        ("local", None),
        ("dask", None),
        (None, "tcp://10.0.0.5:8786"),
        ("dask", "tls://host-1.internal:1"),
        ("dask", "tcp://[::1]:65535"),
    ],
)
def test_flags_that_can_be_followed_are_not(executor, cluster):
    SpreadFlags(executor, cluster).check()


class Recorded:
    recording = "a recording"


@pytest.mark.parametrize(("executor", "cluster"), [("dask", None), (None, "tcp://127.0.0.1:1")])
def test_model_calls_are_not_recorded_on_a_cluster(executor, cluster):
    with pytest.raises(UsageError, match=r"--record has no meaning .* leave --record out, or"):
        SpreadFlags(executor, cluster).ready(Recorded(), None)
    here = SpreadFlags("local").ready(Recorded(), None)
    assert isinstance(here.adapter, Recorded)


def test_where_nothing_is_said_attempts_are_made_here():
    adapter = object()
    spread = SpreadFlags(concurrency=3).ready(adapter, None)
    with spread.open() as opened:
        assert opened is adapter
    assert (spread.concurrency, spread.environment, spread.elsewhere) == (3, None, False)
