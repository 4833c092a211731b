"""A fuzzer drives the verifier: a little in every run, for as long as one likes by hand (see ``fuzz.py``)."""

import importlib.util
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

import targets  # noqa: E402


def fuzzed(target, seconds, folder):
    """Run Atheris for so long; what it said."""
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("atheris is not installed: there is no wheel of it for this Python or platform")
    words = [target, f"-max_total_time={seconds}", "-seed=1", "-rss_limit_mb=1024", "-timeout=120"]
    return subprocess.run(
        [sys.executable, str(HERE / "fuzz.py"), *words, f"-artifact_prefix={folder}/"],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")])),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )


@pytest.mark.parametrize("target", sorted(targets.TARGETS))
def test_a_fuzzer_finds_no_input_that_breaks_the_verifier(target, tmp_path):
    done = fuzzed(target, 10, tmp_path)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    assert "Done " in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("target", sorted(targets.TARGETS))
def test_a_fuzzer_that_takes_a_minute_finds_none_either(target, tmp_path):
    done = fuzzed(target, 60, tmp_path)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def test_without_a_fuzzer_chance_alone_finds_none():
    chance = random.Random(1)
    data = [(targets.VECTORS / name / "receipt.json").read_bytes() for name in targets.SEEDS]
    for _ in range(300):
        targets.key_holder(chance.randbytes(chance.randrange(64)))
        made = bytearray(chance.choice(data))
        for _ in range(chance.randrange(4)):
            start = chance.randrange(len(made))
            made[start : start + chance.randrange(8)] = chance.randbytes(chance.randrange(8))
        targets.any_bytes(bytes(made))


def test_what_slips_through_is_noticed(monkeypatch):
    """The targets tell a match that nothing bears out; without that they would find nothing."""

    class Credulous:
        matches = True

    monkeypatch.setattr(targets, "verify", lambda stream, inputs: Credulous())
    assert targets.any_bytes(targets.casework.written(targets.casework.honest())).matches
    with pytest.raises(targets.EscapedError):
        targets.any_bytes(b'{"k":1}')
    forged = targets.casework.honest()
    forged["pass_caret_k"] = 1.0
    with pytest.raises(targets.EscapedError):
        targets._demand_derived(targets.forging.seal(forged))
    targets._demand_derived(targets.casework.honest())
