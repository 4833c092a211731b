"""``bench doctor``: two attempts of one task, to see whether an agent can be measured."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import agents, driving, options
from passfloor.cli.exits import of_status
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import note, print_json, print_text
from passfloor.errors import UsageError
from passfloor.report.escape import show

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.checking.doctor import Diagnosis
    from passfloor.models.suite import Suite, Task
    from passfloor.scrubbing import Scrubber


@takes_flags
def doctor(
    flags: agents.AgentFlags,
    suite: Annotated[
        str | None,
        typer.Option(
            "--suite",
            metavar="SUITE",
            help="Where the task is from: a built-in name, a file or a folder. [default: answers-v1, or "
            "golden-v1 for the packaged agent]",
        ),
    ] = None,
    task: Annotated[
        str | None, typer.Option("--task", metavar="ID", help="The task. [default: the suite's first]")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Look an agent over before a run is paid for: two attempts of one task, nothing sealed.

    Says of each thing it looks at whether it passes, fails or could not be observed. Exit 1 where something
    fails, 4 where nothing could be told.
    """
    from passfloor.report import json_document
    from passfloor.report.doctor import doctor_report

    whole, chosen = _choose(suite or _usual_suite(flags), task)
    with driving.used() as used:
        driven, scrubber = used(driving.ready(flags, whole.version, [chosen]))
        outcome = _looked_over(driven, scrubber, whole, chosen, flags)
    if as_json:
        print_json(json_document.doctor(outcome))
    else:
        print_text(doctor_report(outcome))
    raise typer.Exit(of_status(str(outcome.status)))


def _looked_over(
    driven: "AnyAdapter", scrubber: "Scrubber", suite: "Suite", task: "Task", flags: agents.AgentFlags
) -> "Diagnosis":
    from passfloor.adapters.interface import is_attempt_adapter
    from passfloor.checking.doctor import RUNS, Setting, look_over
    from passfloor.workspaces.folder import default_root

    if not is_attempt_adapter(driven):
        raise UsageError(f"--adapter {flags.adapter} drives no real agent: name yours with --agent CMD")
    note(f"this costs {RUNS} runs of the agent: task {show(task.id)} of {show(suite.version)}, twice")
    root = default_root() if flags.workspace_root is None else flags.workspace_root.resolve()
    home = options.store(os.environ).home
    setting = Setting(
        environ=os.environ,
        start_folder=Path.cwd(),
        workspace_root=root,
        kept=flags.keep_workspaces is not None,
        apart=() if home is None else (home,),
    )
    return look_over(driven, scrubber, suite, task, setting)


def _usual_suite(flags: agents.AgentFlags) -> str:
    """One with a small first task that this agent may be able to do."""
    others = (flags.agent_function, flags.agent_url, flags.model)
    packaged = all(other is None for other in others) and (
        flags.agent is None or flags.agent.split()[:1] == ["passfloor-reference"]
    )
    return "golden-v1" if packaged else "answers-v1"


def _choose(suite: str, task: str | None) -> "tuple[Suite, Task]":
    from passfloor.running.selection import select
    from passfloor.suites import load_suite

    whole = load_suite(suite, completion_only=True)
    chosen, _ = select(whole, tasks=() if task is None else (task,))
    return whole, chosen.tasks[0]
