"""A call on a stack of its own gives back what it returns or raises."""

import threading

import pytest

from passfloor.grading.fresh_stack import on_fresh_stack


def test_what_it_returns_or_raises_is_what_comes_back():
    assert on_fresh_stack(lambda: None) is None
    assert on_fresh_stack(lambda: 1) == 1
    with pytest.raises(KeyError, match="x"):
        on_fresh_stack(lambda: {}["x"])


def test_a_call_without_end_does_not_keep_the_program_from_ending():
    assert on_fresh_stack(lambda: threading.current_thread().daemon) is True
