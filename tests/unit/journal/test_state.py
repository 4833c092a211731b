"""What is held of a run in memory: two numbers an attempt."""

import sys

import pytest

from passfloor.journal.state import Begun, Finished, RunState, SlotMap


def test_slots_are_kept_in_order_of_first_mention_and_index() -> None:
    slots = SlotMap()
    for slot, value in [(("b", 2), 5), (("a", 0), 0), (("b", 0), 7), (("b", 2), 6)]:
        slots.put(slot, value)
    assert list(slots.items()) == [(("b", 0), 7), (("b", 2), 6), (("a", 0), 0)]
    assert len(slots) == 3
    for missing in [("b", 1), ("b", 3), ("b", -1), ("c", 0)]:
        assert missing not in slots
        with pytest.raises(KeyError):
            slots[missing]


def test_an_attempt_takes_a_few_dozen_bytes(plan, header) -> None:
    state = RunState(plan.model_copy(update={"n": 1000}), header.opening.started_at, header.environment)
    for task in range(10):
        for index in range(1000):
            state.apply(Begun((str(task), index)), 0)
            state.apply(Finished((str(task), index)), 10**9 + index)
    rows = [row for slots in (state.starts, state.finished) for row in slots._rows.values()]
    assert len(state.finished) == 10_000
    assert sum(map(sys.getsizeof, rows)) < 10_000 * 24
