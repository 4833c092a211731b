"""What graders look at: the output, the exit status, the files and the tool calls of one sealed attempt."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from passfloor.blobs import is_reference, references
from passfloor.grading.tool_calls import tools_called
from passfloor.models.suite import Task

TOOL_KINDS = frozenset({"tool_called", "tool_not_called", "call_count", "python"})


@dataclass(frozen=True)
class CapturedFile:
    """A regular file as it stood afterwards. ``cut``: only its beginning was kept."""

    data: bytes
    cut: bool = False


@dataclass(frozen=True)
class Evidence:
    """One attempt as graders see it.

    Attributes:
        stdout: the agent's answer, "" where there is none.
        stdout_cut: only its beginning was kept.
        exit_code: the exit status; None after a signal or where the agent is no process.
        files: relative POSIX path -> regular file afterwards.
        tool_calls: names of the tools called, each as often as it was; those of the journal alone where no
            assertion looks at tools.
        starting: relative POSIX path -> content before the attempt.
        withheld_files: paths of files whose content was taken out since; ``files`` has them, empty.
        withheld_calls: a part of a conversation was, so that ``tool_calls`` may lack some.
    """

    stdout: str
    stdout_cut: bool
    exit_code: int | None
    files: Mapping[str, CapturedFile]
    tool_calls: tuple[str, ...]
    starting: Mapping[str, bytes]
    withheld_files: frozenset[str] = frozenset()
    withheld_calls: bool = False

    @property
    def withheld(self) -> bool:
        """Whether anything was taken out."""
        return bool(self.withheld_files) or self.withheld_calls


def evidence_of(
    task: Task, events: Sequence[Mapping[str, Any]], removed: frozenset[str] = frozenset()
) -> Evidence:
    """The evidence in the events of a run receipt, blobs expanded.

    Where the agent's own answer and files stand (``agent.output``, ``agent.artifact``: attempts whose model
    calls were recorded) they are taken, else the last ``model.output`` and ``model.artifact``. Never raises:
    what has an unexpected shape counts as absent.

    Args:
        task: what was asked.
        events: in order.
        removed: digests of blobs that were taken out, so that references to them still stand there.
    """
    last = {kind_of(event): event for event in events}
    output = _payload(last, "output")
    if isinstance(output, str):
        output = {"stdout": output}
    members: Mapping[str, Any] = output if isinstance(output, Mapping) else {}
    stdout, exit_code = members.get("stdout"), members.get("exit_code")
    artifact = _payload(last, "artifact")
    gone = dict(_withheld(artifact, removed))
    return Evidence(
        stdout=stdout if isinstance(stdout, str) else "",
        stdout_cut=_is_cut(members),
        exit_code=exit_code if type(exit_code) is int else None,
        files=_files(artifact) | gone,
        tool_calls=tools_called(events, requests=_asks_for_tools(task)),
        starting=task.file_bytes,
        withheld_files=frozenset(gone),
        withheld_calls=bool(removed) and any(_asks_with(event, removed) for event in events),
    )


def _withheld(artifact: object, removed: frozenset[str]) -> Iterator[tuple[str, CapturedFile]]:
    """The files whose text refers to a blob that was taken out; that one was cut still stands there."""
    for path, entry in artifact.items() if isinstance(artifact, Mapping) else ():
        if isinstance(entry, Mapping) and _refers(entry.get("text"), removed):
            yield path, CapturedFile(b"", _is_cut(entry))


def _asks_with(event: Mapping[str, Any], removed: frozenset[str]) -> bool:
    """Whether a part of a recorded request was taken out."""
    return kind_of(event) == "model.request" and any(name in removed for _, name in references(event))


def _refers(value: object, removed: frozenset[str]) -> bool:
    return is_reference(value) and value["blob"] in removed


def _asks_for_tools(task: Task) -> bool:
    return any(assertion.kind in TOOL_KINDS for assertion in task.assertions)


def kind_of(event: object) -> str | None:
    """The event's kind, None where it has none."""
    kind = event.get("kind") if type(event) is dict or isinstance(event, Mapping) else None
    return kind if isinstance(kind, str) else None


def _payload(last: Mapping[str | None, Mapping[str, Any]], noun: str) -> object:
    """What the agent itself gave, else the model; ``last``: kind -> last event of that kind."""
    for kind, member in ((f"agent.{noun}", "value"), (f"model.{noun}", "sample")):
        if kind in last:
            return last[kind].get(member)
    return None


def _is_cut(members: Mapping[str, Any]) -> bool:
    cut = members.get("cut")
    return type(cut) is int and cut > 0


def _files(sample: object) -> dict[str, CapturedFile]:
    if not isinstance(sample, Mapping):
        return {}
    found = {path: _file(entry) for path, entry in sample.items() if isinstance(path, str)}
    return {path: file for path, file in found.items() if file is not None}


def _file(entry: object) -> CapturedFile | None:
    if type(entry) is not dict and not isinstance(entry, Mapping):
        return None
    text, encoded = entry.get("text"), entry.get("base64")
    try:
        if isinstance(text, str) and encoded is None:
            return CapturedFile(text.encode(), _is_cut(entry))
        if isinstance(encoded, str) and text is None:
            return CapturedFile(base64.b64decode(encoded, validate=True), _is_cut(entry))
    except ValueError:  # a lone surrogate, or no base64
        pass
    return None
