"""``bench runs``: what was run here, from the ledger of the identity and the journals of runs."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from passfloor.cli import options
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import print_json, print_text
from passfloor.report.escape import show as shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passfloor.models.ledger import LedgerEntry
    from passfloor.running.history import KnownRun

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="What was run here.")

Run = Annotated[str, typer.Argument(metavar="ID", help="The id of a run.", show_default=False)]


@app.command("list", short_help="List all runs, newest first.")
@takes_flags
def list_(runs_dir: options.RunsDir = options.RUNS_DIR, as_json: options.Json = False) -> None:
    """List all runs that the ledger or the runs folder knows, newest first."""
    from passfloor.running.history import known_runs

    runs = [_summary(known) for known in known_runs(runs_dir, _ledger())]
    if as_json:
        print_json({"runs": runs})
    elif runs:
        print_text("\n".join(_line(run) for run in runs))
    else:
        print_text(f"no runs under {shown(str(runs_dir))} and none in the ledger")


@app.command("show", short_help="Show one run.")
@takes_flags
def show(run: Run, runs_dir: options.RunsDir = options.RUNS_DIR, as_json: options.Json = False) -> None:
    """Show one run: its plan, its stages, and the attempts that were begun more than once."""
    from passfloor.running.history import known_run

    document = _document(known_run(run, runs_dir, _ledger()))
    if as_json:
        print_json(document)
        return
    lines = [f"{name:<17}: {_text(document[name])}" for name in _FIELDS]
    lines += [f"stage            : n={s['n']}, decided {s['decided_at']}" for s in document["stages"]]
    lines += [
        f"interrupted      : {shown(each['task_id'])} attempt {each['index']}, begun {each['starts']} times"
        for each in document["interrupted"]
    ]
    print_text("\n".join(lines))


_FIELDS = (
    "run", "status", "run_seq", "started_at", "suite_version", "suite_hash", "k", "n", "finished",
    "receipt_hash", "prev_receipt_hash", "out", "folder",
)  # fmt: skip


def _ledger() -> "Iterable[LedgerEntry]":
    from passfloor.journal.ledger import Ledger

    home = options.store(os.environ).home
    return () if home is None else Ledger(home / "ledger.jsonl").entries()


def _summary(known: "KnownRun") -> dict[str, Any]:
    header = None if known.folder is None else known.folder.header
    state = known.state
    return {
        "run": known.run,
        "status": known.status,
        "run_seq": known.start.run_seq if known.start else None,
        "started_at": known.started_at,
        "suite_version": header.suite_version if header else None,
        "k": header.plan.k if header else None,
        "n": state.n if state else None,
        "finished": len(state.finished) if state else None,
        "receipt_hash": known.receipt_hash,
    }


def _document(known: "KnownRun") -> dict[str, Any]:
    folder, state = known.folder, known.state
    interrupted = [] if state is None else sorted(state.interrupted())
    return {
        **_summary(known),
        "prev_receipt_hash": known.start.prev_receipt_hash if known.start else None,
        "suite_hash": folder.header.plan.suite_hash if folder else None,
        "out": (state.sealed.out if state and state.sealed else folder.header.out) if folder else None,
        "folder": str(Path(folder.path)) if folder else None,
        "stages": [stage.model_dump() for stage in state.stages] if state else [],
        "interrupted": [
            {"task_id": task_id, "index": index, "starts": starts} for task_id, index, starts in interrupted
        ],
    }


def _line(run: dict[str, Any]) -> str:
    number = "" if run["run_seq"] is None else f"#{run['run_seq']}"
    if run["finished"] is None:
        return f"{run['run']}  {number:>5}  {run['status']:<10}"
    what = f"{shown(run['suite_version'])}, k={run['k']}, n={run['n']}, {run['finished']} finished"
    return f"{run['run']}  {number:>5}  {run['status']:<10}  {what}"


def _text(value: Any) -> str:
    return "unknown" if value is None else shown(str(value))
