"""Calls that recurse, on a stack of their own."""

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def on_fresh_stack(function: Callable[[], Result]) -> Result:
    """What the function returns when called in a new thread.

    How deep the interpreter lets it recurse depends on how deep its caller already is; a new thread starts
    from nothing, so that one question has one answer wherever it is asked.

    Raises:
        Exception: whatever the function raises.
    """
    results: list[Result] = []
    errors: list[Exception] = []

    def call() -> None:
        try:
            results.append(function())
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
