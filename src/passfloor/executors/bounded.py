"""Waiting for something out of reach, but not for ever."""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, function: Callable[[], T]) -> T:
    """What ``function`` returns.

    It runs in a thread of its own; where it takes longer, that thread is left to itself and ends with this
    process at the latest.

    Raises:
        TimeoutError: It has not returned in time.
        Exception: What it raised.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function())
        except BaseException as error:  # for whoever waits
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"not done after {seconds:g} s")
    return results[0]
