"""The flags that choose a part of a suite."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import options
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.models.plan import Selection
    from passfloor.models.suite import Suite
    from passfloor.running.selection import Pile
    from passfloor.verification.inputs import VerifiedTask


@dataclass(frozen=True)
class SelectionFlags:
    """The selection flags as given."""

    task: Annotated[
        list[str] | None,
        typer.Option("--task", metavar="ID", help="Run this task, not the whole suite. Repeatable."),
    ] = None
    tag: Annotated[
        list[str] | None,
        typer.Option(
            "--tag", metavar="T", help="Run the tasks with this tag. Repeatable; a task needs one of them."
        ),
    ] = None
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            metavar="flaky|never|always",
            help="Run the tasks that passed sometimes, never or always in the receipt of --of.",
        ),
    ] = None
    of: Annotated[
        str | None,
        typer.Option(
            "--of",
            metavar="RECEIPT",
            help="The receipt that --only looks at; it has to verify over this suite.",
        ),
    ] = None

    def choose(
        self, suite: "Suite", environ: Mapping[str, str], *, allow_stub: bool
    ) -> "tuple[Suite, Selection | None]":
        """The part of ``suite`` to run, and what the plan says of it: None where that is the whole.

        Args:
            suite: The whole.
            environ: Where the local identity is found, whose signature on the receipt of ``--of`` counts.
            allow_stub: That of the test stub counts as well: what it selects for is test-grade itself.

        Raises:
            UsageError: nothing is left, a name is unknown, or the receipt of ``--of`` does not verify.
        """
        from passfloor.running.selection import select

        tasks, tags = tuple(self.task or ()), tuple(self.tag or ())
        if (self.only is None) != (self.of is None):
            missing = "--of RECEIPT" if self.of is None else "--only flaky, never or always"
            raise UsageError(f"--only and --of belong together: add {missing}")
        if self.only is None or self.of is None:
            return select(suite, tasks=tasks, tags=tags)
        known = _known(self.of, suite, environ, allow_stub=allow_stub)
        return select(suite, tasks=tasks, tags=tags, only=(_pile(self.only), known))


def _pile(text: str) -> "Pile":
    match text:
        case "flaky" | "never" | "always":
            return text
        case other:
            raise UsageError(f"--only {other!a}: say 'flaky', 'never' or 'always'")


def _known(path: str, suite: "Suite", environ: Mapping[str, str], *, allow_stub: bool) -> "dict[str, Pile]":
    """The piles of the tasks of a receipt, which is verified first."""
    from passfloor.running.selection import piles
    from passfloor.verification.verifier import verify

    made: list[tuple[str, list[str]]] = []

    def observe(verified: "VerifiedTask") -> None:
        outcomes = [attempt["outcome"] for attempt in verified.result["attempts"]]
        made.append((verified.task.id, outcomes))

    inputs = options.VerifyFlags(allow_stub=allow_stub, allow_attested=True).inputs(environ)
    with options.open_receipt(path) as stream:
        outcome = verify(stream, replace(inputs, suite=suite, observe=observe))
    if not outcome.matches:
        from passfloor.report.rejection import rejection

        raise UsageError(
            f"--of {path!a} does not verify over this suite: {rejection(outcome)}; "
            "look with bench reliability-verify, and name a receipt that matches"
        )
    return piles(made)
