"""``passfloor eval``: ``bench run`` under another name, with the suite as an option."""

import inspect
from typing import Annotated, Any

import typer

from passfloor.cli.flags import takes_flags
from passfloor.cli.run import run


def _alias() -> Any:
    """Every parameter of ``bench run``, taken from it, so that the two cannot drift apart."""

    def eval_(**values: Any) -> None:
        run(**values)

    signature = inspect.signature(run)
    option = typer.Option("--suite", metavar="SUITE", help="A built-in name, a file or a folder.")
    suite = inspect.Parameter(
        "suite", inspect.Parameter.KEYWORD_ONLY, default="golden-v1", annotation=Annotated[str, option]
    )
    others = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in signature.parameters.items()
        if name != "suite"
    ]
    eval_.__signature__ = signature.replace(parameters=[suite, *others])  # type: ignore[attr-defined]
    eval_.__annotations__ = {p.name: p.annotation for p in (suite, *others)}
    return takes_flags(eval_)


eval_ = _alias()
eval_.__doc__ = "Run a suite: 'bench run' by another name.\n\nThe suite is an option; all else is the same."
