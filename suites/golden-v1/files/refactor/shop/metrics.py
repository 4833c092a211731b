"""Counters that the dashboard reads by name."""

COUNTERS = {"net_price": 0, "net_price_rounded": 0}


def count(name):
    """Add one to the counter ``name``."""
    COUNTERS[name] += 1
