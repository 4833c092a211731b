"""Every importer by name; a format's module is loaded when it is asked for."""

import difflib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from passfloor.errors import ImportRefused
from passfloor.importers.interface import Importer

AUTO = "auto"
"""In place of a name: whichever recognises the path."""

_IMPORTERS = {
    "inspect": "passfloor.importers.inspect:InspectImporter",
    "tau-bench": "passfloor.importers.tau_bench:TauBenchImporter",
    "tau2": "passfloor.importers.tau2:Tau2Importer",
    "pydantic-evals": "passfloor.importers.pydantic_evals:PydanticEvalsImporter",
    "human-eval": "passfloor.importers.human_eval:HumanEvalImporter",
    "swe-bench": "passfloor.importers.swe_bench:SweBenchImporter",
    "harbor": "passfloor.importers.harbor:HarborImporter",
    "terminal-bench": "passfloor.importers.terminal_bench:TerminalBenchImporter",
    "mcpmark": "passfloor.importers.mcpmark:McpMarkImporter",
    "promptfoo": "passfloor.importers.promptfoo:PromptfooImporter",
    "vally": "passfloor.importers.vally:VallyImporter",
    "rows": "passfloor.importers.rows:RowsImporter",
    "junit": "passfloor.importers.junit:JunitImporter",
}
"""Name -> module:class, in the order in which they are listed."""


def names() -> tuple[str, ...]:
    """All names, in order."""
    return tuple(_IMPORTERS)


def importer(name: str) -> Importer:
    """The importer of that name.

    Raises:
        ImportRefused: there is none.
    """
    where = _IMPORTERS.get(name)
    if where is None:
        near = difflib.get_close_matches(name, _IMPORTERS, 1)
        hint = f"did you mean {near[0]}?" if near else "bench import --list shows all"
        raise ImportRefused(f"no importer is called {name[:80]!a}: {hint}")
    module, _, made = where.partition(":")
    found: Importer = getattr(import_module(module), made)()
    return found


def every() -> Iterator[Importer]:
    """All importers, in order."""
    return map(importer, _IMPORTERS)


def recognise(path: Path) -> list[tuple[Importer, str]]:
    """The importers that take ``path`` for theirs, each with its reason, in order.

    ``rows``, which takes almost anything, is left out where another recognises it.
    """
    found = [(each, why) for each in every() if (why := each.recognise(path)) is not None]
    own = [pair for pair in found if pair[0].name != "rows"]
    return own or found
