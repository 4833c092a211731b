"""The gate flags, the same wherever a gate is asked for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from passfloor.comparison.thresholds import Threshold


@dataclass(frozen=True)
class GateFlags:
    """The gate flags as given."""

    require: Annotated[
        str | None,
        typer.Option(
            "--require",
            metavar="X",
            help="Gate: every task's pass@k, the ceiling, is X or more, a decimal from 0 to 1.",
        ),
    ] = None
    require_floor: Annotated[
        str | None,
        typer.Option(
            "--require-floor", metavar="X", help="Gate: the suite's pass^k, the floor, is X or more."
        ),
    ] = None
    require_task_floor: Annotated[
        str | None,
        typer.Option("--require-task-floor", metavar="X", help="Gate: every task's pass^k is X or more."),
    ] = None
    must_pass: Annotated[
        list[str] | None,
        typer.Option(
            "--must-pass", metavar="ID", help="Gate: every attempt of this task passed. Repeatable."
        ),
    ] = None
    max_errored: Annotated[
        int | None,
        typer.Option(
            "--max-errored", metavar="N", help="Gate: undecided where more than N attempts errored.", min=0
        ),
    ] = None

    def thresholds(self) -> "tuple[Threshold, ...]":
        """What is asked; empty where no flag was given.

        Raises:
            UsageError: a number is no decimal from 0 to 1.
        """
        if self == GateFlags():
            return ()
        from passfloor.comparison.thresholds import thresholds

        return thresholds(
            require=self.require,
            require_floor=self.require_floor,
            require_task_floor=self.require_task_floor,
            must_pass=self.must_pass or (),
            max_errored=self.max_errored,
        )
