"""What a gate asks for: exact numbers read from decimal text, and the form in which a plan seals them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from passfloor.errors import PassfloorError, UsageError

Name = Literal["require", "require_floor", "require_task_floor", "must_pass", "max_errored"]
"""What can be asked: of every task's pass@k, of the suite's pass^k, of every task's pass^k, that one task
passes always, and how many attempts may have errored."""

_NAMES: tuple[Name, ...] = get_args(Name)
_DECIMAL = re.compile(r"([0-9]*)(?:\.([0-9]+))?", re.ASCII)
_LONGEST = 64
_TASK = "must_pass:"


@dataclass(frozen=True)
class Threshold:
    """One thing asked.

    Attributes:
        name: What is asked about.
        asked: The number as decimal text in its shortest form, such as ``0.7``: a share from 0 to 1 of
            passing draws, or for ``max_errored`` a number of attempts.
        task_id: The task, for ``must_pass``; else None.
    """

    name: Name
    asked: str
    task_id: str | None = None

    @property
    def value(self) -> Fraction:
        """The number asked, exact."""
        return Fraction(self.asked)

    @property
    def key(self) -> str:
        """Its name in a sealed plan."""
        return self.name if self.task_id is None else f"{_TASK}{self.task_id}"


def thresholds(
    *,
    require: str | None = None,
    require_floor: str | None = None,
    require_task_floor: str | None = None,
    must_pass: Sequence[str] = (),
    max_errored: int | None = None,
) -> tuple[Threshold, ...]:
    """What a gate asks, in the order of its parameters; empty where nothing is asked.

    Args:
        require: The least pass@k of every task, decimal text from 0 to 1.
        require_floor: The least pass^k of the suite.
        require_task_floor: The least pass^k of every task.
        must_pass: Ids of tasks of which every attempt has to pass.
        max_errored: The most attempts that may have errored, 0 or more.

    Raises:
        UsageError: a number is no decimal from 0 to 1, or a count is below 0.
    """
    shares: tuple[tuple[Name, str | None], ...] = (
        ("require", require),
        ("require_floor", require_floor),
        ("require_task_floor", require_task_floor),
    )
    asked = [
        Threshold(name, share(text, f"--{name.replace('_', '-')}"))
        for name, text in shares
        if text is not None
    ]
    asked += [Threshold("must_pass", "1", task_id) for task_id in dict.fromkeys(must_pass)]
    if max_errored is not None:
        if max_errored < 0:
            raise UsageError(f"--max-errored {max_errored}: give a whole number of 0 or more")
        asked.append(Threshold("max_errored", str(max_errored)))
    return tuple(asked)


def share(text: str, flag: str) -> str:
    """``text``, a decimal number from 0 to 1, in its shortest form: ``.70`` gives ``0.7``.

    Read from the digits themselves, so that 0.7 is seven tenths and not the double next to it.

    Raises:
        UsageError: it is anything else: a percentage, a sign, an exponent, ``nan``.
    """
    found = _DECIMAL.fullmatch(text) if 0 < len(text) <= _LONGEST else None
    if found is None or not (found[1] or found[2]) or Fraction(_shortest(*found.groups())) > 1:
        raise UsageError(f"{flag} {text[:80]!a}: give a decimal number from 0 to 1, such as 0.7 for 70%")
    return _shortest(*found.groups())


def sealed(asked: Iterable[Threshold]) -> dict[str, str] | None:
    """The form that a plan seals: decimal text by name; None where nothing is asked."""
    return {threshold.key: threshold.asked for threshold in asked} or None


def unsealed(gate: Mapping[str, str]) -> tuple[Threshold, ...]:
    """What a sealed plan asks, in the order of ``thresholds``.

    Raises:
        PassfloorError: it asks for something that this version does not know, or that nothing can meet.
    """
    asked = [_unsealed(key, text) for key, text in gate.items()]
    order = {name: position for position, name in enumerate(_NAMES)}
    return tuple(sorted(asked, key=lambda threshold: (order[threshold.name], threshold.task_id or "")))


def _unsealed(key: str, text: str) -> Threshold:
    name, task_id = _named(key)
    try:
        normal = str(int(text)) if name == "max_errored" else share(text, key)
    except (UsageError, ValueError):
        normal = ""
    if normal != text or text.startswith("-") or (name == "must_pass" and text != "1"):
        raise PassfloorError(
            f"the gate sealed in the receipt asks {key[:80]!a} of {text[:80]!a}, which nothing can decide; "
            "give thresholds of your own"
        )
    return Threshold(name, text, task_id)


def _named(key: str) -> tuple[Name, str | None]:
    if key.startswith(_TASK):
        return "must_pass", key.removeprefix(_TASK)
    for name in _NAMES:
        if name == key != "must_pass":
            return name, None
    raise PassfloorError(
        f"the gate sealed in the receipt asks for {key[:80]!a}, which this version does not know; "
        "give thresholds of your own"
    )


def _shortest(whole: str, decimals: str | None) -> str:
    before, after = whole.lstrip("0") or "0", (decimals or "").rstrip("0")
    return f"{before}.{after}" if after else before
