"""``passfloor.stats`` is a public module of its own, and a light one."""

import subprocess
import sys
from pathlib import Path

import pytest

import passfloor
from passfloor import stats


def loaded(program: str) -> set[str]:
    ended = subprocess.run(
        [sys.executable, "-c", f"import sys\n{program}\nprint(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(ended.stdout.split())


def test_every_public_name_is_there_and_documented():
    assert dir(stats) == sorted(stats.__all__)
    for name in stats.__all__:
        value = getattr(stats, name)
        if name not in {"WORKED_MIX", "Mix"}:
            assert value.__doc__, name
            assert value.__name__ == name


def test_the_package_lends_the_same_two_estimators():
    assert passfloor.pass_at_k is stats.pass_at_k
    assert passfloor.pass_hat_k is stats.pass_hat_k


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'passfloor\.stats' has no attribute 'median'"):
        stats.median  # noqa: B018


def test_nothing_but_a_distribution_needs_numpy():
    exact = "from passfloor.stats import *; curve([(5, 3)]); sign_flip_p([1, 0]); clopper_pearson(5, 3)"
    assert "numpy" not in loaded(exact)
    assert "random" not in loaded("import passfloor.stats")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from Linux's /proc")
def test_every_interval_of_a_thousand_tasks_fits_into_100_megabytes():
    program = (
        "from passfloor.stats import bootstrap_all, curve\n"
        "suite = [(32, (7 * i * i) % 33) for i in range(1000)]\n"
        "assert len(bootstrap_all(suite)) == len(curve(suite)) == 32\n"
        "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0])"
    )
    ended = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert int(ended.stdout) < 100 * 1024
