"""``bench import``: figures and a receipt out of another tool's log."""

from pathlib import Path
from typing import Annotated

import typer

from passfloor.cli import options
from passfloor.cli.flags import takes_flags
from passfloor.cli.import_flags import ImportFlags
from passfloor.cli.outputs import print_json, print_text
from passfloor.errors import UsageError


@takes_flags
def import_(
    form: Annotated[
        str | None,
        typer.Argument(metavar="FORMAT", help="Whose log it is, or auto. See --list.", show_default=False),
    ] = None,
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="The log: a file or a folder.", show_default=False)
    ] = None,
    *,
    list_: Annotated[bool, typer.Option("--list", help="List the formats and stop.")] = False,
    flags: ImportFlags,
    as_json: options.Json = False,
) -> None:
    """Turn another tool's log into the honest pair, its piles and a signed receipt: imported, not witnessed.

    Planned attempts are the n; what errored, was cancelled or is missing stays in it. Beside every figure
    stands the one that the log's own tool would print, and why it differs.
    """
    if list_:
        _list(as_json=as_json)
        raise typer.Exit
    if form is None or path is None:
        raise UsageError("name a format and a log: bench import FORMAT PATH, or bench import auto PATH")
    from passfloor.cli.importing import Import

    raise typer.Exit(Import(form, Path(path), flags, flags.log.asked(flags.max_bytes), as_json).perform())


def _list(*, as_json: bool) -> None:
    from passfloor.importers.registry import every

    found = sorted(every(), key=lambda each: each.name)
    if as_json:
        print_json({"importers": [{"name": i.name, "title": i.title, "reads": i.reads} for i in found]})
        return
    width = max(len(each.name) for each in found)
    print_text("\n".join(f"{each.name:<{width}}  {each.title}: {each.reads}" for each in found))
