"""The sealed rule of a format whose scores may need a rule to be verdicts."""

from typing import Any

from passfloor.importers.choices import decimal
from passfloor.importers.interface import Asked


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
