import threading

import pytest

from passfloor.executors.bounded import within


def test_what_returns_in_time_is_returned():
    assert within(60, lambda: 3) == 3


def test_what_is_raised_is_raised():
    with pytest.raises(ZeroDivisionError):
        within(60, lambda: 1 // 0)


def test_what_does_not_return_is_left_alone():
    never = threading.Event()
    with pytest.raises(TimeoutError, match=r"not done after 0.01 s"):
        within(0.01, lambda: never.wait(60))
    never.set()
