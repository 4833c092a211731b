"""What a run will be able to say, before it is paid for: the numbers that help to choose a plan."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from passfloor.comparison.evidence import TaskRow
from passfloor.comparison.thresholds import share
from passfloor.errors import UsageError
from passfloor.stats import assumed_pass_at_k, assumed_pass_hat_k, estimate_sd
from passfloor.stats.pairing import Detectable, smallest_detectable
from passfloor.stats.planning import (
    Bill,
    Distinction,
    GateChance,
    Mix,
    Width,
    attempts_for_width,
    attempts_to_tell,
    bill,
    expected_width,
    gate_pass_chance,
    mix_of,
    rule_of_thumb,
    tasks_for_width,
    tell_apart,
)

MOST_TASKS = 10_000
MOST_ATTEMPTS = 500

USUALLY, RARELY = Fraction(9, 10), Fraction(1, 10)
ALMOST_ALWAYS = Fraction(19, 20)

_KIND = re.compile(r"(?:([0-9]+(?:\.[0-9]+)?):)?([0-9.]+)", re.ASCII)
_LONGEST_MIX = 4000
_MOST_KINDS = 200


@dataclass(frozen=True)
class Forecast:
    """What T tasks with n attempts each will say of an agent with these rates.

    Attributes:
        tasks, n, k: The plan.
        mix: Weight and rate of each kind of task.
        floor: The agent's true pass^k over the mix, 0 to 1.
        ceiling: Its true pass@k.
        width: Expected full widths of the 95% intervals across tasks.
        target: The width asked for.
        tasks_needed: Tasks with n attempts each for that width of pass^k.
        attempts_needed: Attempts with T tasks for it; None where no number of attempts does it.
        gate: What a gate on pass^k does with such an agent.
        runs: The bill.
        tells: How well n attempts of one task tell 0.9 from 0.1.
        confuses: How well they tell 0.95 from 0.9.
        attempts_to_tell: The attempts that tell 0.95 from 0.9 with both mistakes at most 5%.
        detectable: The smallest change of pass^k that two such runs could show.
        thrifty: The same bill spent by the rule of thumb; None where it does not pay for one task.
    """

    tasks: int
    n: int
    k: int
    mix: Mix
    floor: Fraction
    ceiling: Fraction
    width: Width
    target: Fraction
    tasks_needed: int
    attempts_needed: int | None
    gate: GateChance
    runs: Bill
    tells: Distinction
    confuses: Distinction
    attempts_to_tell: Distinction | None
    detectable: Detectable
    thrifty: Bill | None


def forecast(
    tasks: int, n: int, k: int, mix: Mix, *, target: Fraction, bar: Fraction | None = None
) -> Forecast:
    """What such a run will be able to say.

    Args:
        tasks: 1 to 10,000.
        n: Attempts a task, k to 500: the gate is worked out in whole numbers, and more take long.
        k: Attempts drawn, 1 or more.
        mix: The agent's assumed rates.
        target: The width of the interval of pass^k to plan for, strictly between 0 and 1.
        bar: What a gate will ask of pass^k; None: what such an agent truly has.

    Raises:
        UsageError: a number is outside its range.
    """
    _check(tasks, n, k)
    total = sum((Fraction(weight) for weight, _ in mix), Fraction(0))
    kinds = [(Fraction(weight) / total, Fraction(rate)) for weight, rate in mix]
    one_run = sum(float(part) * estimate_sd(rate, n, k) ** 2 for part, rate in kinds) / tasks
    spent = bill(tasks, n)
    return Forecast(
        tasks=tasks,
        n=n,
        k=k,
        mix=mix,
        floor=sum((part * assumed_pass_hat_k(rate, k) for part, rate in kinds), Fraction(0)),
        ceiling=sum((part * assumed_pass_at_k(rate, k) for part, rate in kinds), Fraction(0)),
        width=expected_width(tasks, n, k, mix),
        target=target,
        tasks_needed=tasks_for_width(target, n, k, mix),
        attempts_needed=attempts_for_width(target, tasks, k, mix),
        gate=gate_pass_chance(tasks, n, k, mix, bar),
        runs=spent,
        tells=tell_apart(n, USUALLY, RARELY),
        confuses=tell_apart(n, ALMOST_ALWAYS, USUALLY),
        attempts_to_tell=attempts_to_tell(ALMOST_ALWAYS, USUALLY),
        detectable=smallest_detectable(tasks, math.sqrt(2 * one_run)),
        thrifty=rule_of_thumb(spent.runs, k) if spent.runs >= 2 * k else None,
    )


def read_mix(text: str) -> Mix:
    """A mix of rates from text, ``SHARE:RATE,...``, such as ``10:1,4:0.7``.

    Shares need not sum to 1; a rate alone has the share 1.

    Raises:
        UsageError: it cannot be read, a rate is no decimal from 0 to 1, or all shares are 0.
    """
    parts = text.split(",")
    if len(text) > _LONGEST_MIX or len(parts) > _MOST_KINDS:
        raise UsageError(
            f"--rates {text[:40]!a}...: {len(parts)} parts in {len(text)} characters; "
            f"give at most {_MOST_KINDS} in {_LONGEST_MIX}"
        )
    mix = [_kind(part.strip()) for part in parts]
    if not any(weight for weight, _ in mix):
        raise UsageError(f"--rates {text[:80]!a}: every share is 0; give one above 0, such as 1:0.7")
    return mix


def observed_mix(rows: Iterable[TaskRow]) -> Mix:
    """The mix of rates that a receipt shows.

    Raises:
        UsageError: there are no rows.
    """
    return mix_of([(row.n, row.passed) for row in rows])


def _kind(part: str) -> tuple[Fraction, Fraction]:
    found = _KIND.fullmatch(part)
    if found is None:
        raise UsageError(
            f"--rates {part[:80]!a}: give SHARE:RATE parts, such as 10:1,4:0.7 for ten tasks that always "
            "pass and four that pass seven times in ten"
        )
    return Fraction(found[1] or 1), Fraction(share(found[2], "--rates"))


def _check(tasks: int, n: int, k: int) -> None:
    for flag, value, most in (("--tasks", tasks, MOST_TASKS), ("--attempts", n, MOST_ATTEMPTS), ("-k", k, n)):
        if value < 1:
            raise UsageError(f"{flag} {value}: give a whole number of at least 1")
        if value > most:
            more = (
                f"k={k} > n={n} is not estimable: raise --attempts to {k} or more"
                if flag == "-k"
                else f"{flag} {value}: give at most {most}"
            )
            raise UsageError(more)
