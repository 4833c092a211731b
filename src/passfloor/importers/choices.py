"""What the user's flags choose in a log: one of several agents, a rule for scores."""

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.importers import universe
from passfloor.importers.interface import Asked, TaskName

_SHOWN = 8


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


def listed(names: Collection[str]) -> str:
    """Some names for a message, in printable ASCII."""
    some = sorted(names)[:_SHOWN]
    more = f" and {len(names) - len(some)} more" if len(names) > len(some) else ""
    return ", ".join(ascii(name[:80])[1:-1] for name in some) + more


def only(asked: Asked, tool: str, *flags: str) -> None:
    """Refuse what was asked and would be passed over in silence.

    Args:
        asked: The user's flags.
        tool: The format's title.
        flags: Of ``--scorer``, ``--threshold``, ``--pass-values`` and ``--agent`` those that mean something.

    Raises:
        ImportRefused: another was given, or one that names a column.
    """
    given = {
        "--scorer": asked.scorer is not None,
        "--threshold": asked.threshold is not None,
        "--pass-values": bool(asked.pass_values),
        "--agent": asked.agent is not None,
        **{f"--{role}-column": True for role in asked.columns},
    }
    for flag, there in given.items():
        if there and flag not in flags:
            raise ImportRefused(f"{flag} means nothing for {tool}: leave it out")


def rule(
    asked: Asked, tool: str, *, scorer: bool = False, threshold: bool = False, agent: bool = False
) -> dict[str, Any]:
    """The rule that the flags make, of those that the format has a use for.

    Raises:
        ImportRefused: a flag was given that means nothing for it.
    """
    useful = {"--scorer": scorer, "--threshold": threshold, "--agent": agent}
    only(asked, tool, *(flag for flag, use in useful.items() if use))
    made: dict[str, Any] = {}
    if asked.scorer is not None:
        made["scorer"] = asked.scorer
    if asked.threshold is not None:
        made["threshold"] = decimal(asked.threshold)
    return made


def decimal(value: Fraction) -> str:
    """A number as plain decimal text.

    Raises:
        ImportRefused: it has none of up to 40 digits behind the point.
    """
    scaled = abs(value) * 10**40
    if scaled.denominator != 1 or scaled >= 10**80:
        raise ImportRefused(f"--threshold {str(value)[:60]} has no short decimal form: give one such as 0.65")
    whole, rest = divmod(scaled.numerator, 10**40)
    digits = f"{rest:040d}".rstrip("0")
    return ("-" if value < 0 else "") + str(whole) + (f".{digits}" if digits else "")


def with_universe(asked: Asked, planned: Mapping[TaskName, int]) -> dict[TaskName, int]:
    """The attempts planned for each task, with as many as any has for those that only ``--universe`` names.

    Args:
        asked: The user's flags.
        planned: Of the log's tasks; not empty.

    Raises:
        ImportRefused: the file names none.
    """
    return dict(planned) | dict.fromkeys(unlogged(asked, planned), max(planned.values()))


def unlogged(asked: Asked, tasks: Iterable[TaskName]) -> list[TaskName]:
    """The tasks that the user's ``--universe`` names and the log does not, in order.

    Raises:
        ImportRefused: the file names none.
    """
    if asked.universe is None:
        return []
    known = {str(task) for task in tasks}
    return [name for name in universe.read(asked.universe) if name not in known]
