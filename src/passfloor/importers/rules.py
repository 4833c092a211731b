"""The user's flags about verdicts: refused where they mean nothing, and made the rule that is sealed."""

from fractions import Fraction
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.importers.interface import Asked


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


def rule(asked: Asked, tool: str, *flags: str) -> dict[str, Any]:
    """The rule that the flags themselves make; arguments as for ``only``.

    Raises:
        ImportRefused: a flag was given that means nothing for the format; or as ``scored`` does.
    """
    only(asked, tool, *flags)
    return scored(asked, **({} if asked.scorer is None else {"scorer": asked.scorer}))


def scored(asked: Asked, **members: Any) -> dict[str, Any]:
    """The members, with ``threshold`` and ``pass_values`` where they were given.

    Raises:
        ImportRefused: the threshold has no short decimal form.
    """
    made = dict(members)
    if asked.threshold is not None:
        made["threshold"] = decimal(asked.threshold)
    if asked.pass_values:
        made["pass_values"] = list(asked.pass_values)
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
