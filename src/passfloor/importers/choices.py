"""Which of several agents, models or variants of a log is meant."""

from collections.abc import Collection, Mapping

from passfloor.errors import ImportRefused
from passfloor.importers.words import listed


def chosen(asked: str | None, names: Mapping[str, Collection[str]], what: str) -> str:
    """One of the agents of a log.

    Args:
        asked: The user's ``--agent``, or None.
        names: Each agent's name, with other names that it goes by; not empty.
        what: What they are, in the plural.

    Raises:
        ImportRefused: there are several and none was asked for, or what was asked for is none of them or
            several of them.
    """
    if asked in names:
        return str(asked)
    if asked is None:
        if len(names) == 1:
            return next(iter(names))
        raise ImportRefused(f"{len(names)} {what} in one log ({listed(names)}): choose one with --agent")
    found = [name for name, others in names.items() if asked in others]
    if len(found) == 1:
        return found[0]
    fault = f"is {len(found)} of the {what}" if found else f"is none of the {what}"
    raise ImportRefused(f"--agent {asked[:80]!a} {fault} in this log ({listed(found or names)})")
