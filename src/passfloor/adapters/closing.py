"""The events of a process attempt, from what the process left behind; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from passfloor.adapters.agent_journal import JournalLines, substituted
from passfloor.adapters.framing import frame, output_sample
from passfloor.models.suite import Task
from passfloor.recording.recorder import Taken
from passfloor.workspaces.capture import CapturedFiles
from passfloor.workspaces.groups import Ended
from passfloor.workspaces.streams import StreamText

_SILENT = StreamText("", None, 0)
_NOTHING = (_SILENT, _SILENT, None)


@dataclass(frozen=True)
class Leavings:
    """All that is known of a finished process attempt.

    Attributes:
        ended: How the process ended; None where it could not be started.
        spawn_fault: Why it could not be started.
        files: Its working directory.
        journal: The lines it wrote.
        timeout_s: The seconds it had.
        taken: What was recorded of it, its journal lines among it; None where model calls are not recorded.
    """

    ended: Ended | None
    spawn_fault: str
    files: CapturedFiles
    journal: JournalLines
    timeout_s: float
    taken: Taken | None = None


def close(task: Task, seed: int, left: Leavings, words: Mapping[str, str]) -> list[dict[str, Any]]:
    """The events of the attempt, as ``frame`` orders them.

    Args:
        task: The task that was attempted.
        seed: The run's seed.
        left: What the attempt left.
        words: What is replaced inside the strings of journal lines, such as the attempt's folder. Where model
            calls are recorded the lines stand among them, and it is done when they are sealed.
    """
    ended = left.ended
    stdout, stderr, exit_code = (ended.stdout, ended.stderr, ended.exit_code) if ended else _NOTHING
    lines = [substituted(event, words) for event in left.journal.events]
    return frame(
        task,
        seed,
        lines if left.taken is None else left.taken.events,
        output_sample(stdout, stderr, exit_code),
        left.files.entries,
        _error(task, left),
        exit_code=exit_code,
        recorded=left.taken is not None,
    )


def _error(task: Task, left: Leavings) -> dict[str, str] | None:
    """Why the attempt is errored, the first reason that applies; None where it finished."""
    ended = left.ended
    if ended is None:
        return {"type": "spawn", "detail": left.spawn_fault}
    if ended.timed_out:
        return {"type": "timeout", "detail": f"not finished after {left.timeout_s:.12g} s"}
    if ended.signal is not None:
        return {"type": "signal", "detail": f"signal {ended.signal}"}
    if left.taken is not None and left.taken.fault is not None:
        return left.taken.fault
    if ended.exit_code and not any(assertion.kind == "exit_code" for assertion in task.assertions):
        return {"type": "exit", "detail": f"exit status {ended.exit_code}"}
    if left.files.fault:
        return {"type": "capture", "detail": left.files.fault}
    if left.journal.fault:
        return {"type": "journal", "detail": left.journal.fault}
    return None
