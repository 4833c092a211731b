"""Words of messages: counts with what they count, names in a row."""

from collections.abc import Collection

_SHOWN = 8


def counted(number: int, one: str, many: str) -> str:
    """``1 attempt is``, ``2 attempts are``; 0 goes with ``many``."""
    return f"{number} {one if number == 1 else many}"


def listed(names: Collection[str]) -> str:
    """Some names for a message, in order, in printable ASCII."""
    some = sorted(names)[:_SHOWN]
    more = f" and {len(names) - len(some)} more" if len(names) > len(some) else ""
    return ", ".join(ascii(name[:80])[1:-1] for name in some) + more
