import sys
from hashlib import sha256
from pathlib import Path

import pytest

import passfloor
from passfloor.adapters.mock import MockReplayAdapter
from passfloor.adapters.registry import SYNTHETIC, adapter_for_command, named_adapter, scorer_for
from passfloor.adapters.stochastic import StochasticMockReplayAdapter
from passfloor.errors import UsageError

REFERENCE = Path(passfloor.__file__).parent / "agents" / "reference.py"


def test_a_command_is_driven_as_a_process():
    adapter = adapter_for_command("sh -c 'echo x'", timeout_s=5)
    adapter.check()
    assert adapter.key == "process"
    assert adapter.identity()["argv"][1:] == ["-c", "echo x"]
    assert adapter.options() == {"timeout_s": 5}


def test_the_packaged_agent_is_named_by_its_own_file_and_not_by_its_interpreter():
    adapter = adapter_for_command("passfloor-reference --flaky 0.2")
    adapter.check()
    assert adapter.key == "reference"
    assert adapter.identity() == {
        "adapter": "reference",
        "argv": [
            {"file": "passfloor-reference", "sha256": sha256(REFERENCE.read_bytes()).hexdigest()},
            "--flaky",
            "0.2",
        ],
        "env": [],
    }
    assert sys.executable not in str(adapter.identity())
    assert adapter.notes == []


def test_the_packaged_agent_by_name_is_the_one_by_command():
    assert named_adapter("reference").identity() == adapter_for_command("passfloor-reference").identity()


def test_the_doubles_are_found_by_name_and_are_synthetic():
    assert isinstance(named_adapter("mock"), MockReplayAdapter)
    assert isinstance(named_adapter("stochastic-mock"), StochasticMockReplayAdapter)
    assert frozenset({"mock", "stochastic-mock"}) == SYNTHETIC
    assert named_adapter("mock") is not named_adapter("mock")


@pytest.mark.parametrize(
    ("name", "hint"), [("mok", "'mock'"), ("stochastic", "'stochastic-mock'"), ("?", "reference")]
)
def test_an_unknown_name_is_refused_with_the_nearest(name, hint):
    with pytest.raises(UsageError, match=hint):
        named_adapter(name)


def test_scorers_are_had_without_their_adapters():
    for key in ("mock", "stochastic-mock", "process", "reference"):
        assert not hasattr(scorer_for(key), "run_task")
    assert scorer_for("custom") is None
