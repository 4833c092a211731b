"""``bench plan``: what a run will be able to say, before it is paid for."""

import os
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import options
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import print_json, print_text
from passfloor.errors import UsageError
from passfloor.report.escape import show

if TYPE_CHECKING:
    from passfloor.stats.planning import Mix

_TASKS = 20
_K = 5


@dataclass(frozen=True)
class ForecastFlags:
    """The plan to forecast and what is known of the agent, as given."""

    tasks: Annotated[
        int | None,
        typer.Option(
            "--tasks", metavar="T", help="Tasks. [default: those of --of, or 20]", show_default=False
        ),
    ] = None
    attempts: Annotated[
        int | None,
        typer.Option("--attempts", metavar="N", help="Attempts a task, at most 500. [default: 2 K]"),
    ] = None
    k: Annotated[
        int | None,
        typer.Option("-k", "--k", metavar="K", help="Attempts drawn. [default: that of --of, or 5]"),
    ] = None
    rates: Annotated[
        str | None,
        typer.Option(
            "--rates",
            metavar="MIX",
            help="The agent's rates as SHARE:RATE parts, such as 10:1,4:0.7,3:0.5.",
        ),
    ] = None
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="RECEIPT", help="Learn the rates from this receipt, verified first."),
    ] = None
    width: Annotated[
        str,
        typer.Option(
            "--width", metavar="W", help="Plan for an interval of pass^k this wide; 0.2 is 20 points."
        ),
    ] = "0.2"
    require_floor: Annotated[
        str | None,
        typer.Option(
            "--require-floor",
            metavar="X",
            help="Ask of a gate at X how often it passes this agent. [default: at its true pass^k]",
        ),
    ] = None

    @property
    def target(self) -> Fraction:
        """The width to plan for, between 0 and 1.

        Raises:
            UsageError: it is none.
        """
        from passfloor.comparison.thresholds import share

        target = Fraction(share(self.width, "--width"))
        if not 0 < target < 1:
            raise UsageError(
                f"--width {self.width[:80]!a}: give a width between 0 and 1, such as 0.2 for 20 points"
            )
        return target

    @property
    def bar(self) -> Fraction | None:
        """What the gate asks of pass^k, 0 to 1; None: what the agent truly has.

        Raises:
            UsageError: it is no decimal from 0 to 1.
        """
        from passfloor.comparison.thresholds import share

        return None if self.require_floor is None else Fraction(share(self.require_floor, "--require-floor"))


@takes_flags
def plan(
    *,
    asked: ForecastFlags,
    flags: options.VerifyFlags,
    as_json: options.Json = False,
) -> None:
    """Say what a run of T tasks with N attempts each will cost, and what it can and cannot tell.

    Nothing is run. The agent's rates are those of --rates, or those a receipt shows, or else assumed: the mix
    of the worked suite.
    """
    from passfloor.comparison.forecast import forecast
    from passfloor.report.forecasting import forecast_document, forecast_report

    known = _known(asked.rates, asked.of, flags)
    size = known.k if asked.k is None else asked.k
    result = forecast(
        known.tasks if asked.tasks is None else asked.tasks,
        2 * size if asked.attempts is None else asked.attempts,
        size,
        known.mix,
        target=asked.target,
        bar=asked.bar,
    )
    if as_json:
        print_json(forecast_document(result, known.source))
    else:
        print_text(forecast_report(result, known.source))


@dataclass(frozen=True)
class _Known:
    """What is known of the agent, and where from."""

    mix: "Mix"
    source: str
    tasks: int = _TASKS
    k: int = _K


def _known(rates: str | None, of: str | None, flags: options.VerifyFlags) -> _Known:
    from passfloor.comparison.forecast import read_mix
    from passfloor.stats.planning import WORKED_MIX

    if rates is not None and of is not None:
        raise UsageError("--rates and --of both say what the agent can do: give one of them")
    if of is not None:
        return _learnt(of, flags)
    if rates is not None:
        return _Known(read_mix(rates), "as given by --rates")
    return _Known(WORKED_MIX, "assumed: the mix of the worked suite (give --rates or --of to plan for yours)")


def _learnt(path: str, flags: options.VerifyFlags) -> _Known:
    from passfloor.comparison.evidence import gather
    from passfloor.comparison.forecast import observed_mix

    with options.open_receipt(path) as stream:
        evidence = gather(stream, flags.inputs(os.environ))
    outcome = evidence.verification
    if not outcome.matches or outcome.head is None:
        from passfloor.report.rejection import rejection

        raise UsageError(
            f"--of {path!a} does not verify: {rejection(outcome)}; "
            "look with bench reliability-verify, and name a receipt that matches"
        )
    source = f"as observed in {show(path)}; true rates lie less far apart"
    return _Known(observed_mix(evidence.rows), source, len(evidence.rows), outcome.head.k)
