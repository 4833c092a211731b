"""Writes what in the documentation follows from the code: commands, exit codes, schemas, examples, outputs.

Without arguments everything is written, and the examples of README, tutorial and how-to pages are run for
their output. With ``--check`` nothing is written: what needs no run is compared, and a difference is exit 1.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import example
import pages
import stats_page
import threats
import typer
from pydantic import BaseModel

from passfloor.cli.app import app
from passfloor.cli.exits import MEANINGS
from passfloor.models.check import CheckStatement
from passfloor.models.plan import PLAN_SCHEMA, Plan
from passfloor.models.receipt import ReliabilityReceipt
from passfloor.models.run_receipt import RunReceipt
from passfloor.models.suite import Suite

DOCS = pages.ROOT / "docs"
EXECUTED = (pages.ROOT / "README.md", DOCS / "tutorial.md", *sorted((DOCS / "how-to").glob("*.md")))

_CLI_HEAD = """\
# Commands

Made from the program by `docs/tools/generate.py`; `passfloor COMMAND --help` says the same. What the exit
codes mean stands in [Exit codes](exit-codes.md).
"""


def cli_reference() -> str:
    """Every command that is shown in the help, with its arguments and options."""
    parts = [_CLI_HEAD]
    for name, command in leaves(typer.main.get_command(app), "passfloor"):
        parts.append(_command(name, command))
    return "\n".join(parts)


def leaves(command: Any, name: str, *, hidden: bool = False) -> Iterator[tuple[str, Any]]:
    """The commands that do something, each with its full name; hidden aliases on request."""
    if not hasattr(command, "commands"):
        yield name, command
        return
    for word, inner in command.commands.items():
        if hidden or not inner.hidden:
            yield from leaves(inner, f"{name} {word}", hidden=hidden)


def schemas() -> dict[Path, str]:
    """A JSON Schema (draft 2020-12) for each document."""
    plan = _schema(Plan)
    plan["properties"] = {"schema": {"const": PLAN_SCHEMA}, **plan["properties"]}
    plan["required"] = ["schema", *plan["required"]]
    documents = {
        "suite": _schema(Suite),
        "run-receipt": _schema(RunReceipt),
        "plan": plan,
        "receipt": _schema(ReliabilityReceipt),
        "check": _schema(CheckStatement),
    }
    folder = DOCS / "reference" / "schemas"
    return {folder / f"{name}.json": _json(document) for name, document in documents.items()}


def exit_codes() -> str:
    """The table of exit codes."""
    rows = [f"| {int(code)} | {meaning} |\n" for code, meaning in MEANINGS.items()]
    return "".join(["| code | meaning |\n|---|---|\n", *rows])


def static() -> dict[Path, str]:
    """Path -> content of every generated file that needs no run."""
    made = example.make()
    format_page, exits_page = DOCS / "format.md", DOCS / "reference" / "exit-codes.md"
    threats_page = DOCS / "threat-model.md"
    return {
        DOCS / "reference" / "cli.md": cli_reference(),
        DOCS / "reference" / "stats.md": stats_page.stats_reference(),
        **schemas(),
        DOCS / "reference" / "example" / "suite.json": _json(made.suite),
        DOCS / "reference" / "example" / "receipt.json": made.receipt,
        format_page: _between(_read(format_page), "worked example", made.values),
        exits_page: _between(_read(exits_page), "exit codes", exit_codes()),
        threats_page: _between(_read(threats_page), "attacks", f"\n{threats.table()}\n"),
    }


def outdated(files: dict[Path, str]) -> list[Path]:
    """Those of the files that are missing or say something else."""
    return [path for path, content in files.items() if not path.is_file() or _read(path) != content]


def main(arguments: list[str]) -> int:
    """Write, or check with ``--check``; returns the exit code."""
    files = static()
    if arguments == ["--check"]:
        stale = outdated(files)
        for path in stale:
            sys.stderr.write(f"{path.relative_to(pages.ROOT)} is out of date: run `make generated`\n")
        return 1 if stale else 0
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    for path in EXECUTED:
        path.write_text(pages.refreshed(_read(path)), encoding="utf-8")
    return 0


def _command(name: str, command: Any) -> str:
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    usage = " ".join([name, *(f"{p.metavar or p.name.upper()}" for p in arguments), "[OPTIONS]"])
    lines = [f"## {name}", "", "```text", usage, "```", "", (command.help or "").strip(), ""]
    if arguments:
        lines += ["| argument | meaning |", "|---|---|"]
        lines += [f"| `{p.metavar or p.name.upper()}` | {_cell(p.help)} |" for p in arguments]
        lines.append("")
    shown = [p for p in options if p.name != "help"]
    if shown:
        lines += ["| option | meaning |", "|---|---|"]
        lines += [f"| {_spelling(p)} | {_cell(p.help)}{_default(p)} |" for p in shown]
        lines.append("")
    return "\n".join(lines)


def _spelling(option: Any) -> str:
    metavar = f" {option.metavar}" if option.metavar and not option.is_flag else ""
    return ", ".join(f"`{word}{_cell(metavar)}`" for word in (*option.opts, *option.secondary_opts))


def _default(option: Any) -> str:
    if option.is_flag or option.default is None or option.multiple or "[default:" in (option.help or ""):
        return ""
    return f" [default: {option.default}]"


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    schema = json.loads(json.dumps(model.model_json_schema()).replace("``", "`"))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _json(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _between(page: str, mark: str, content: str) -> str:
    """The page with everything between the two comments of this mark replaced."""
    begin, end = f"<!-- generated: {mark} -->\n", f"<!-- end: {mark} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"the page has no place for: {mark}")
    return f"{before}{begin}{content}{end}{after}"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
