from hashlib import sha256

from passfloor.adapters.interface import AttemptAdapter, ReplayAdapter, is_attempt_adapter
from passfloor.adapters.mock import MockReplayAdapter
from passfloor.adapters.process import ProcessAdapter
from passfloor.digests import attempt_seed


def test_the_process_adapter_takes_named_attempts_and_the_doubles_do_not():
    process, mock = ProcessAdapter(["true"]), MockReplayAdapter()
    assert is_attempt_adapter(process)
    assert isinstance(process, AttemptAdapter)
    assert isinstance(process, ReplayAdapter)
    assert not is_attempt_adapter(mock)
    assert isinstance(mock, ReplayAdapter)
    assert not is_attempt_adapter(object())


def test_the_attempt_seed_is_the_first_53_bits_of_the_digest():
    whole = int(sha256(b"7\x00" + b"ab" * 32 + b"\x0012").hexdigest(), 16)
    assert attempt_seed(7, "ab" * 32, 12) == whole >> 203


def test_attempts_of_a_task_have_seeds_of_their_own():
    seeds = {
        attempt_seed(seed, task * 64, index) for seed in range(3) for task in "ab" for index in range(50)
    }
    assert len(seeds) == 300
    assert all(0 <= seed < 2**53 for seed in seeds)
