"""The normal distribution, for plans; no interval or test of what was observed uses it."""

import math


def normal_quantile(probability: float) -> float:
    """The value below which a standard normal variable lies with the given chance, between 0 and 1."""
    low, high = -40.0, 40.0
    while (middle := (low + high) / 2) not in (low, high):
        below = math.erfc(-middle / math.sqrt(2)) / 2
        low, high = (middle, high) if below < probability else (low, middle)
    return middle
