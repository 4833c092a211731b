"""``passfloor suite``: what suites there are, what stands in one, and whether it is sound."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import options
from passfloor.cli.outputs import note, print_json, print_text
from passfloor.report.escape import show
from passfloor.report.layout import counted

if TYPE_CHECKING:
    from passfloor.models.suite import Suite, Task


app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Look at suites, check one, or begin a new one.",
)

Source = Annotated[
    str, typer.Argument(metavar="SUITE", help="A built-in name, a .yaml or .json file, or a folder.")
]
CompletionOnly = Annotated[bool, typer.Option("--completion-only", help="Accept tasks without assertions.")]


@app.command("list")
def list_(as_json: options.Json = False) -> None:
    """List the built-in suites."""
    from passfloor.suites import builtin_names

    found = [(name, _load(name, completion_only=True)) for name in builtin_names()]
    if as_json:
        rows = [
            {
                "name": name,
                "version": suite.version,
                "tasks": len(suite.tasks),
                "suite_hash": suite.suite_hash,
            }
            for name, suite in found
        ]
        print_json({"suites": rows})
        return
    for name, suite in found:
        print_text(f"{show(name)}  {counted(len(suite.tasks), 'task')}")
        print_text(f"  {suite.suite_hash}")


@app.command("show", short_help="Show the tasks of a suite.")
def show_(source: Source, as_json: options.Json = False, completion_only: CompletionOnly = False) -> None:
    """Show the tasks of a suite, with their assertions and files."""
    suite = _load(source, completion_only)
    if as_json:
        tasks = [
            {
                "id": task.id,
                "task_hash": task.task_hash,
                "category": task.category,
                "kinds": [assertion.kind for assertion in task.assertions],
                "files": task.file_hashes,
            }
            for task in suite.tasks
        ]
        print_json({"version": suite.version, "suite_hash": suite.suite_hash, "tasks": tasks})
        return
    print_text(f"{show(suite.version)}  {counted(len(suite.tasks), 'task')}")
    print_text(f"  {suite.suite_hash}")
    for task in suite.tasks:
        print_text(_task_text(task))


@app.command("validate", short_help="Check a suite and warn of its pitfalls.")
def validate(source: Source, as_json: options.Json = False, completion_only: CompletionOnly = False) -> None:
    """Check a suite: 0 if it loads, warnings on standard error, 2 if it is malformed."""
    from passfloor.suites import lint

    suite = _load(source, completion_only)
    warnings = lint(suite)
    if as_json:
        print_json({"valid": True, "warnings": warnings})
    else:
        print_text(f"valid: {show(suite.version)}, {counted(len(suite.tasks), 'task')}")
    for warning in warnings:
        note(f"warning: {show(warning, 1000)}")


@app.command("hash", short_help="Print the hash of a suite.")
def hash_(source: Source, as_json: options.Json = False, completion_only: CompletionOnly = False) -> None:
    """Print the hash of a suite and, with --json, of each task."""
    suite = _load(source, completion_only)
    if as_json:
        tasks = [{"id": task.id, "task_hash": task.task_hash} for task in suite.tasks]
        print_json({"version": suite.version, "suite_hash": suite.suite_hash, "tasks": tasks})
    else:
        print_text(suite.suite_hash)


@app.command("new", short_help="Begin a suite of your own.")
def new(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A new or empty folder; it names the suite.")
    ],
    as_json: options.Json = False,
) -> None:
    """Begin a suite: a folder with two tasks to replace by your own."""
    from passfloor.suites import write_starter

    written = write_starter(folder)
    if as_json:
        print_json({"folder": str(folder), "files": [str(path) for path in written]})
    else:
        for path in written:
            print_text(show(str(path), 1000))
    note(f"next: passfloor suite validate {show(str(folder), 1000)}")


def _load(source: str, completion_only: bool) -> "Suite":
    from passfloor.suites import load_suite

    return load_suite(source, completion_only=completion_only)


def _elided(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def _task_text(task: "Task") -> str:
    """A task in a few lines of at most 80 columns."""
    lines = ["", show(task.id)]
    first = next((line.strip() for line in task.description.splitlines() if line.strip()), "")
    if first:
        lines.append(f"  {_elided(show(first, 1000), 76)}")
    counts: dict[str, int] = {}
    for assertion in task.assertions:
        counts[assertion.kind] = counts.get(assertion.kind, 0) + 1
    kinds = [kind if number == 1 else f"{kind} x{number}" for kind, number in counts.items()]
    lines += _wrapped("asserts", kinds or ["nothing (completion only)"])
    if task.files:
        lines += _wrapped("files", [show(path, 60) for path in task.files])
    return "\n".join(lines)


def _wrapped(label: str, words: list[str]) -> list[str]:
    """``label: a, b, c`` broken between the words."""
    lines = [f"  {label + ':':<9}{words[0]}"]
    for word in words[1:]:
        lines[-1] += ","
        if len(lines[-1]) + 1 + len(word) > 79:
            lines.append(" " * 11 + word)
        else:
            lines[-1] += " " + word
    return lines
