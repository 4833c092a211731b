"""Durations written the way people write them."""

import re

_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def parse_duration(text):
    """Return the number of seconds that a duration such as 1h30m stands for.

    >>> parse_duration("45s")
    45
    >>> parse_duration("1h30m")
    5400
    >>> parse_duration("2d 4h")
    187200
    >>> parse_duration("90")
    90
    """
    if text.strip().isdigit():
        return int(text)
    parts = re.findall(r"(\d+)\s*([dhms])", text)
    if not parts:
        raise ValueError(f"not a duration: {text!r}")
    return sum(int(amount) * _SECONDS[unit] for amount, unit in parts)


def format_duration(seconds):
    """Return seconds as hours, minutes and seconds.

    >>> format_duration(3725)
    '1h2m5s'
    """
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes}m{rest}s"
