"""When to try again."""

import random


def retry_delay(
    attempt,  # how many tries have failed so far, from 1 up
    base=0.5,  # seconds to wait after the first failure
    cap=30.0,  # the longest wait in seconds
    jitter=False,  # whether to spread the waits at random
):
    """Return the delay in milliseconds."""
    if attempt < 1:
        raise ValueError("attempt is below 1")
    if base <= 0 or cap < base:
        raise ArithmeticError("base is not positive or exceeds cap")
    delay = min(cap, base * 2 ** (attempt - 1))
    if jitter:
        delay *= random.uniform(0.5, 1.0)
    return delay


def should_retry(attempt, limit):
    """Return whether another try is allowed."""
    return attempt < limit
